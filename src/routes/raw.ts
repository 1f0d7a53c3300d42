/** Raw files, for browsers and downloads. Files are untrusted: no browser may run scripts in them. */
import { immutable, revalidated } from "./cacheable.ts";
import {
  type Call,
  commitOf,
  type Handler,
  type OpenRepository,
  requireCommit,
  requireHead,
  type RoutesOf,
  tableOf,
} from "./call.ts";
import { OF_FILES } from "../contract/traits.ts";
import type { rawEndpoints } from "../contract/raw.ts";
import { RawQuery } from "../contract/queries.ts";
import { ApiError } from "../errors.ts";
import { findPath, splitPath } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { entryKind } from "../git/tree.ts";
import type { AnswerOf } from "../http/answer.ts";
import { BINARY_TYPE, isMediaType, mediaTypeOf } from "../http/media_type.ts";
import { readQuery } from "../http/parameters.ts";
import { rangedAnswer } from "../http/range.ts";
import { bytesAnswer } from "../http/respond.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** Largest raw file of version 1, in bytes, inclusive. */
export const MAX_RAW_BYTES = 4 * 1024 * 1024;
/** Largest raw file for today's clients, in bytes, inclusive. */
export const TODAY_MAX_RAW_BYTES = 10 * 1024 * 1024;

/** Rules of a dialect for raw files. */
export interface RawRules {
  /** Largest file, in bytes, inclusive. */
  readonly maxBytes: number;
  /** Reads the repository that the path names. */
  readonly readRid: (call: Call) => RepoId;
}

/** Routes of raw files in version 1. */
export const rawRoutes: RoutesOf<typeof rawEndpoints> = rawRoutesFor({
  maxBytes: MAX_RAW_BYTES,
  readRid: ridOf,
});

/** Routes of raw files where both dialects are served: ids are read as specified. */
export const rawRoutesOfBoth: RoutesOf<typeof rawEndpoints> = rawRoutesFor({
  maxBytes: TODAY_MAX_RAW_BYTES,
  readRid: ridOf,
});

/** Routes of raw files by the rules of a dialect. */
export function rawRoutesFor({ maxBytes, readRid }: RawRules): RoutesOf<typeof rawEndpoints> {
  const blob = immutable(
    (call) => readRawBlob(call, readRid(call)),
    (call, subject) => showRawBlob(call, subject, maxBytes),
  );
  const atHead = revalidated(
    (call) => ({ rid: readRid(call), path: call.param("path") }),
    (call, subject) => showRawAtHead(call, subject, maxBytes),
    headCommit,
  );
  const file = immutable(
    async (call) => {
      const [rid, sha, path] = [readRid(call), call.commitish("sha"), call.param("path")];
      return { rid, oid: await commitOf(call, sha, () => call.repository(rid)), path };
    },
    (call, subject) => showRawFile(call, subject, maxBytes),
  );
  return tableOf(OF_FILES, [
    ["GET", "/raw/:rid/blobs/:oid", ranged(blob)],
    ["GET", "/raw/:rid/head/*path", ranged(atHead)],
    ["GET", "/raw/:rid/:sha/*path", ranged(file)],
  ]);
}

/** The same handler, with parts of its answers (RFC 9110, 14). */
function ranged(handler: Handler<Uint8Array>): Handler<Uint8Array> {
  return async (call) => await rangedAnswer(call.request, await handler(call));
}

/** Header fields that prevent scripts in a file from running with the origin of this host. */
const USER_CONTENT = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
};

function ridOf(call: Call): RepoId {
  return call.rid("rid");
}

function readRawBlob(call: Call, rid: RepoId) {
  const oid = call.oid("oid");
  const { mime } = readQuery(call.url, RawQuery);
  return { rid, oid, type: mime !== undefined && isMediaType(mime) ? mime : BINARY_TYPE };
}

async function showRawBlob(
  call: Call,
  { rid, oid, type }: ReturnType<typeof readRawBlob>,
  maxBytes: number,
): Promise<AnswerOf<Uint8Array>> {
  return await serveBlob(call, await call.repository(rid), { oid, type, maxBytes });
}

async function showRawAtHead(
  call: Call,
  { rid, path }: { readonly rid: RepoId; readonly path: string },
  maxBytes: number,
): Promise<AnswerOf<Uint8Array>> {
  const repository = await call.repository(rid);
  const tip = await headCommit(repository) ?? await requireHead(repository);
  return await serveFile(call, repository, await requireCommit(repository, tip), { path, maxBytes });
}

/** The commit of the repository's `HEAD` reference. */
async function headCommit({ objects }: OpenRepository): Promise<Oid | undefined> {
  return (await resolveRef(objects, "HEAD"))?.oid;
}

async function showRawFile(
  call: Call,
  { rid, oid, path }: { readonly rid: RepoId; readonly oid: Oid; readonly path: string },
  maxBytes: number,
): Promise<AnswerOf<Uint8Array>> {
  const repository = await call.repository(rid);
  return await serveFile(call, repository, await requireCommit(repository, oid), { path, maxBytes });
}

async function serveFile(
  call: Call,
  repository: OpenRepository,
  tip: number,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): Promise<AnswerOf<Uint8Array>> {
  const entry = await findPath(repository.objects, repository.graph.treeOf(tip), splitPath(path), call.task);
  if (entry === undefined || entryKind(entry.mode) === "commit") {
    throw new ApiError("notFound", `Path "${path}" was not found`);
  }
  return await serveBlob(call, repository, { oid: entry.oid, type: mediaTypeOf(path), maxBytes });
}

async function serveBlob(
  call: Call,
  { objects }: OpenRepository,
  { oid, type, maxBytes }: { readonly oid: Oid; readonly type: string; readonly maxBytes: number },
): Promise<AnswerOf<Uint8Array>> {
  const header = await objects.header(oid);
  if (header?.kind !== "blob") throw new ApiError("notFound", `File ${oid} was not found`);
  if (header.size > maxBytes) {
    throw new ApiError("payloadTooLarge", `File is larger than ${maxBytes} bytes`);
  }
  await call.requireRoom(2 * header.size);
  const blob = await objects.object(oid);
  if (blob === undefined) throw new ApiError("notFound", `File ${oid} was not found`);
  const bytes = new Uint8Array(blob.bytes);
  blob.release?.();
  return bytesAnswer(bytes, {
    "content-type": type,
    "content-length": String(bytes.length),
    ...USER_CONTENT,
  });
}
