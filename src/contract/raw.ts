/** Raw files (4.10). */
import type { Endpoint, FileContent } from "./endpoint.ts";
import { OF_READS } from "./errors.ts";
import { RawQuery } from "./queries.ts";

const FileByName: FileContent = {
  kind: "file",
  mediaTypes: ["text/plain; charset=utf-8", "image/png", "application/octet-stream", "*/*"],
};
const AnyBlob: FileContent = { kind: "file", mediaTypes: ["application/octet-stream", "text/plain", "*/*"] };

/** Errors of raw files. */
const OF_FILES = [...OF_READS, "rangeNotSatisfiable"] as const;

/** Routes of raw files. */
export const rawEndpoints = [
  {
    method: "GET",
    path: "/raw/:rid/blobs/:oid",
    name: "showRawBlob",
    summary: "A blob by its object id, byte for byte.",
    section: "4.10",
    parameters: { oid: "Object id of a blob." },
    query: RawQuery,
    answers: { 200: AnyBlob, 206: AnyBlob },
    errors: OF_FILES,
    caching: "immutable",
    takesRanges: true,
  },
  {
    method: "GET",
    path: "/raw/:rid/head/*path",
    name: "showRawFileOfHead",
    summary: "A file of the commit that `HEAD` names, byte for byte.",
    section: "4.10",
    answers: { 200: FileByName, 206: FileByName },
    errors: OF_FILES,
    caching: "revalidated",
    takesRanges: true,
  },
  {
    method: "GET",
    path: "/raw/:rid/:sha/*path",
    name: "showRawFile",
    summary: "A file of a commit, byte for byte.",
    section: "4.10",
    answers: { 200: FileByName, 206: FileByName },
    errors: OF_FILES,
    caching: "immutable",
    takesRanges: true,
  },
] as const satisfies readonly Endpoint[];
