/** Archives (4.13). */
import { expensive, type FileContent, route } from "./endpoint.ts";
import { OF_READS } from "./errors.ts";
import { ArchiveQuery } from "./queries.ts";

const archive: FileContent = {
  kind: "file",
  mediaTypes: ["application/gzip", "application/x-tar", "application/zip"],
};

/** Routes of archives. */
export const archiveEndpoints = expensive(
  [
    route(
      "4.13",
      "GET /raw/:rid/archive/*ref",
      "showArchiveOfRef",
      "Archive of the commit that a name stands for.",
      { 200: archive },
      {
        parameters: {
          ref: ["Name of a commit, and the ending `.tar.gz`, `.tar` or `.zip`; `.tar.gz` without one."],
        },
        query: ArchiveQuery,
        errors: OF_READS,
        caching: "revalidated",
        fields: ["Content-Disposition"],
      },
    ),
    route(
      "4.13",
      "GET /raw/:rid/:archive",
      "showArchive",
      "Archive of a commit or a tree.",
      { 200: archive },
      {
        parameters: {
          archive: ["Object id or name, and the ending `.tar.gz`, `.tar` or `.zip`.", "ArchiveText"],
        },
        query: ArchiveQuery,
        errors: OF_READS,
        caching: "immutable",
        fields: ["Content-Disposition"],
      },
    ),
  ] as const,
);
