/** Raw files (4.10). */
import { type Endpoint, type FileContent, route } from "./endpoint.ts";
import { OF_READS } from "./errors.ts";
import { ArchiveQuery, RawQuery } from "./queries.ts";

const FileByName: FileContent = {
  kind: "file",
  mediaTypes: ["text/plain; charset=utf-8", "image/png", "application/octet-stream", "*/*"],
};
const AnyBlob: FileContent = { kind: "file", mediaTypes: ["application/octet-stream", "text/plain", "*/*"] };

/** Errors of raw files. */
const OF_FILES = [...OF_READS, "rangeNotSatisfiable"] as const;

/** Routes of raw files. */
export const rawEndpoints = [
  route("4.10", "GET /raw/:rid/blobs/:oid", "showRawBlob", "A blob by its object id, byte for byte.", {
    200: AnyBlob,
    206: AnyBlob,
  }, {
    parameters: { oid: ["Object id of a blob.", "OidText"] },
    query: RawQuery,
    errors: OF_FILES,
    caching: "immutable",
    takesRanges: true,
  }),
  route(
    "4.10",
    "GET /raw/:rid/head/*path",
    "showRawFileOfHead",
    "A file of the commit that `HEAD` names, byte for byte.",
    { 200: FileByName, 206: FileByName },
    { errors: OF_FILES, caching: "revalidated", takesRanges: true },
  ),
  route("4.10", "GET /raw/:rid/:sha/*path", "showRawFile", "A file of a commit, byte for byte.", {
    200: FileByName,
    206: FileByName,
  }, { errors: OF_FILES, caching: "immutable", takesRanges: true }),
] as const satisfies readonly Endpoint[];

const archive: FileContent = {
  kind: "file",
  mediaTypes: ["application/gzip", "application/x-tar", "application/zip"],
};

/** Routes of archives. */
export const archiveEndpoints = [
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
] as const satisfies readonly Endpoint[];
