/** Files as they are, for browsers and downloads. They are users' content: shown, never run, whatever they claim to be. */
import * as v from "valibot";
import { immutable, revalidated } from "./cacheable.ts";
import { type Call, type OpenRepository, requireCommit, requireHead, type Route } from "./call.ts";
import { ApiError } from "../errors.ts";
import { findPath, splitPath } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { entryKind } from "../git/tree.ts";
import type { Answer } from "../http/answer.ts";
import { BINARY_TYPE, isMediaType, mediaTypeOf } from "../http/media_type.ts";
import { readQuery } from "../http/query.ts";
import { bytesAnswer } from "../http/respond.ts";
import type { Oid } from "../ids/oid.ts";

/** Routes of raw files. */
export const rawRoutes: readonly Route[] = [
  ["GET", "/raw/:rid/blobs/:oid", immutable(showRawBlob, ({ url }) => url.search)],
  ["GET", "/raw/:rid/head/*path", revalidated(showRawAtHead, headCommit)],
  ["GET", "/raw/:rid/:sha/*path", immutable(showRawFile)],
];

/** Largest file that is served raw. */
export const MAX_RAW_BYTES = 4 * 1024 * 1024;

const RawQuery = v.object({ mime: v.optional(v.string()) });

/** Nothing in a user's file may run in the name of this host. */
const USER_CONTENT = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
};

async function showRawFile(call: Call): Promise<Answer> {
  const [rid, oid, path] = [call.rid("rid"), call.oid("sha"), call.param("path")];
  const repository = await call.repository(rid);
  return await serveFile(call, repository, await requireCommit(repository, oid), path);
}

async function showRawAtHead(call: Call): Promise<Answer> {
  const [rid, path] = [call.rid("rid"), call.param("path")];
  const repository = await call.repository(rid);
  const tip = await headCommit(call, repository) ?? await requireHead(repository);
  return await serveFile(call, repository, await requireCommit(repository, tip), path);
}

/** The commit that the repository's own `HEAD` names. */
async function headCommit(_call: Call, { objects }: OpenRepository): Promise<Oid | undefined> {
  return (await resolveRef(objects, "HEAD"))?.oid;
}

async function showRawBlob(call: Call): Promise<Answer> {
  const [rid, oid] = [call.rid("rid"), call.oid("oid")];
  const { mime } = readQuery(call.url, RawQuery);
  const repository = await call.repository(rid);
  return await serveBlob(call, repository, oid, mime !== undefined && isMediaType(mime) ? mime : BINARY_TYPE);
}

async function serveFile(
  call: Call,
  repository: OpenRepository,
  tip: number,
  path: string,
): Promise<Answer> {
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
): Promise<Answer> {
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
