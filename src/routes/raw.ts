/** Raw files, for browsers and downloads. Files are untrusted: no browser may run scripts in them. */
import { immutable, revalidated } from "./cacheable.ts";
import { type Call, type OpenRepository, requireCommit, requireHead, type RoutesOf } from "./call.ts";
import type { rawEndpoints } from "../contract/raw.ts";
import { RawQuery } from "../contract/queries.ts";
import { ApiError } from "../errors.ts";
import { findPath, splitPath } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { entryKind } from "../git/tree.ts";
import type { AnswerOf } from "../http/answer.ts";
import { BINARY_TYPE, isMediaType, mediaTypeOf } from "../http/media_type.ts";
import { readQuery } from "../http/query.ts";
import { bytesAnswer } from "../http/respond.ts";
import type { Oid } from "../ids/oid.ts";

/** Routes of raw files. */
export const rawRoutes: RoutesOf<typeof rawEndpoints> = [
  ["GET", "/raw/:rid/blobs/:oid", immutable(readRawBlob, showRawBlob)],
  ["GET", "/raw/:rid/head/*path", revalidated(readRawAtHead, showRawAtHead, headCommit)],
  ["GET", "/raw/:rid/:sha/*path", immutable(readRawFile, showRawFile)],
];

/** Largest raw file, in bytes, inclusive. */
export const MAX_RAW_BYTES = 4 * 1024 * 1024;

/** Header fields that prevent scripts in a file from running with the origin of this host. */
const USER_CONTENT = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
};

function readRawBlob(call: Call) {
  const [rid, oid] = [call.rid("rid"), call.oid("oid")];
  const { mime } = readQuery(call.url, RawQuery);
  return { rid, oid, type: mime !== undefined && isMediaType(mime) ? mime : BINARY_TYPE };
}

async function showRawBlob(
  call: Call,
  { rid, oid, type }: ReturnType<typeof readRawBlob>,
): Promise<AnswerOf<Uint8Array>> {
  return await serveBlob(call, await call.repository(rid), oid, type);
}

function readRawAtHead(call: Call) {
  return { rid: call.rid("rid"), path: call.param("path") };
}

async function showRawAtHead(
  call: Call,
  { rid, path }: ReturnType<typeof readRawAtHead>,
): Promise<AnswerOf<Uint8Array>> {
  const repository = await call.repository(rid);
  const tip = await headCommit(repository) ?? await requireHead(repository);
  return await serveFile(call, repository, await requireCommit(repository, tip), path);
}

/** The commit of the repository's `HEAD` reference. */
async function headCommit({ objects }: OpenRepository): Promise<Oid | undefined> {
  return (await resolveRef(objects, "HEAD"))?.oid;
}

function readRawFile(call: Call) {
  return { rid: call.rid("rid"), oid: call.oid("sha"), path: call.param("path") };
}

async function showRawFile(
  call: Call,
  { rid, oid, path }: ReturnType<typeof readRawFile>,
): Promise<AnswerOf<Uint8Array>> {
  const repository = await call.repository(rid);
  return await serveFile(call, repository, await requireCommit(repository, oid), path);
}

async function serveFile(
  call: Call,
  repository: OpenRepository,
  tip: number,
  path: string,
): Promise<AnswerOf<Uint8Array>> {
  const entry = await findPath(repository.objects, repository.index.treeOf(tip), splitPath(path));
  if (entry === undefined || entryKind(entry.mode) === "commit") {
    throw new ApiError("notFound", `Path "${path}" was not found`);
  }
  return await serveBlob(call, repository, entry.oid, mediaTypeOf(path));
}

async function serveBlob(
  call: Call,
  { objects }: OpenRepository,
  oid: Oid,
  type: string,
): Promise<AnswerOf<Uint8Array>> {
  const header = await objects.header(oid);
  if (header?.kind !== "blob") throw new ApiError("notFound", `File ${oid} was not found`);
  if (header.size > MAX_RAW_BYTES) {
    throw new ApiError("payloadTooLarge", `File is larger than ${MAX_RAW_BYTES} bytes`);
  }
  await call.requireRoom(2 * header.size);
  const blob = await objects.object(oid);
  if (blob === undefined) throw new ApiError("notFound", `File ${oid} was not found`);
  return bytesAnswer(new Uint8Array(blob.bytes), {
    "content-type": type,
    "content-length": String(blob.bytes.length),
    ...USER_CONTENT,
  });
}
