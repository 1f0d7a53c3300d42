/** Archives (4.13). */
import type { Endpoint, FileContent } from "./endpoint.ts";
import { OF_READS } from "./errors.ts";
import { ArchiveQuery } from "./queries.ts";

const archive: FileContent = {
  kind: "file",
  mediaTypes: ["application/gzip", "application/x-tar", "application/zip"],
};

/** Routes of archives. */
export const archiveEndpoints = [
  {
    method: "GET",
    path: "/raw/:rid/archive/*ref",
    name: "showArchiveOfRef",
    summary: "Archive of the commit that a name stands for.",
    section: "4.13",
    parameters: {
      ref: "Name of a commit, and the ending `.tar.gz`, `.tar` or `.zip`; `.tar.gz` without one.",
    },
    query: ArchiveQuery,
    answers: { 200: archive },
    errors: OF_READS,
    caching: "revalidated",
    fields: ["Content-Disposition"],
  },
  {
    method: "GET",
    path: "/raw/:rid/:archive",
    name: "showArchive",
    summary: "Archive of a commit or a tree.",
    section: "4.13",
    parameters: { archive: "Object id or name, and the ending `.tar.gz`, `.tar` or `.zip`." },
    query: ArchiveQuery,
    answers: { 200: archive },
    errors: OF_READS,
    caching: "immutable",
    fields: ["Content-Disposition"],
  },
] as const satisfies readonly Endpoint[];
