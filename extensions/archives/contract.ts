/** Describes the routes of archives in the contract (docs/api.md, 4.13). */
import { type Endpoint, type FileContent, OF_READS, route } from "../../src/contract/mod.ts";
import { ArchiveQuery } from "./request.ts";

const archive: FileContent = {
  kind: "file",
  mediaTypes: ["application/gzip", "application/x-tar", "application/zip"],
};

export const archiveEndpoints = [
  route(
    "4.13",
    "GET /raw/:rid/archive/*ref",
    "showArchiveOfRef",
    "Archive of a commit.",
    { 200: archive },
    {
      parameters: {
        ref: ["Name of a commit, followed by `.tar.gz` (default), `.tar` or `.zip`."],
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
        archive: ["Object id or name, followed by `.tar.gz`, `.tar` or `.zip`.", "ArchiveText"],
      },
      query: ArchiveQuery,
      errors: OF_READS,
      caching: "immutable",
      fields: ["Content-Disposition"],
    },
  ),
] as const satisfies readonly Endpoint[];
