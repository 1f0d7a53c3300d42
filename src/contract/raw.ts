/** Routes of raw files (docs/api.md, 4.10). */
import { type Endpoint, type FileContent, route } from "./endpoint.ts";
import { OF_READS } from "./errors.ts";
import { RawQuery } from "./queries.ts";

const FileByName: FileContent = {
  kind: "file",
  mediaTypes: ["text/plain; charset=utf-8", "image/png", "application/octet-stream", "*/*"],
};
const AnyBlob: FileContent = { kind: "file", mediaTypes: ["application/octet-stream", "text/plain", "*/*"] };

const OF_FILES = [...OF_READS, "rangeNotSatisfiable"] as const;

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
    "A file of the commit that `HEAD` points to, byte for byte.",
    { 200: FileByName, 206: FileByName },
    { errors: OF_FILES, caching: "revalidated", takesRanges: true },
  ),
  route("4.10", "GET /raw/:rid/:sha/*path", "showRawFile", "A file of a commit, byte for byte.", {
    200: FileByName,
    206: FileByName,
  }, { errors: OF_FILES, caching: "immutable", takesRanges: true }),
] as const satisfies readonly Endpoint[];
