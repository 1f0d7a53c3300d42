/**
 * Handlers for raw files, for browsers and downloads. Files are untrusted, so browsers must not run their
 * scripts.
 */
import { immutable, revalidated } from "./cacheable.ts";
import type { Call, Handler } from "./call.ts";
import { commitOf, type OpenRepository, requireCommit, requireHead } from "./opened_repository.ts";
import { requireRid } from "./dialect.ts";
import { RawQuery } from "../contract/queries.ts";
import { NotFoundError, TooLargeError } from "../errors.ts";
import { HttpError } from "../http/errors.ts";
import { findPath, splitPath } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { entryKind } from "../git/tree.ts";
import type { AnswerOf } from "../http/answer.ts";
import { BINARY_TYPE, isEnvelopeType, isMediaType, mediaTypeOf } from "../http/media_type.ts";
import { readQuery } from "../http/parameters.ts";
import { rangedAnswer } from "../http/range.ts";
import { bytesAnswer } from "../http/respond.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** Maximum size of a raw file if only version 1 is served, in bytes. */
export const MAX_RAW_BYTES = 4 * 1024 * 1024;
/** Maximum size of a raw file if the `/repos` dialect is served, in bytes. */
export const TODAY_MAX_RAW_BYTES = 10 * 1024 * 1024;

export const showRawBlob: Handler<Uint8Array> = ranged(immutable(
  (call) => {
    const [rid, oid] = [ridOf(call), call.oid("oid")];
    return { rid, oid, type: wantedType(readQuery(call.url, RawQuery).mime) };
  },
  (call, { oid, type }, repository) => serveBlob(call, repository, oid, type),
));

export const showRawFileOfHead: Handler<Uint8Array> = ranged(revalidated(
  (call) => ({ rid: ridOf(call), path: call.param("path") }),
  async (call, { path }, repository) =>
    await serveFile(call, repository, await headCommit(repository) ?? await requireHead(repository), path),
  headCommit,
));

export const showRawFile: Handler<Uint8Array> = ranged(immutable(
  async (call) => {
    const [rid, sha, path] = [ridOf(call), call.commitish("sha"), call.param("path")];
    return { rid, oid: await commitOf(call, sha, () => call.repository(rid)), path };
  },
  (call, { oid, path }, repository) => serveFile(call, repository, oid, path),
));

/**
 * Returns the media type that a client requests for a blob. Choice: A malformed media type is ignored.
 *
 * @throws {HttpError} `badParameter` for a media type whose bodies contain their own header fields.
 */
function wantedType(mime: string | undefined): string {
  if (mime === undefined) return BINARY_TYPE;
  if (isEnvelopeType(mime)) throw new HttpError("badParameter", `Files are not served as "${mime}"`);
  return isMediaType(mime) ? mime : BINARY_TYPE;
}

/** Adds support for `Range` requests to a handler (RFC 9110, 14). */
function ranged(handler: Handler<Uint8Array>): Handler<Uint8Array> {
  return async (call) => await rangedAnswer(call.request, await handler(call));
}

/** Header fields that prevent scripts in a file from running with the origin of this host. */
const USER_CONTENT = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
};

/**
 * Returns the id of the repository in the path. If the service serves version 1, the id is parsed as version
 * 1 specifies.
 */
function ridOf(call: Call): RepoId {
  return call.service.dialect === "today" ? requireRid(call) : call.rid("rid");
}

async function headCommit({ objects }: OpenRepository): Promise<Oid | undefined> {
  return (await resolveRef(objects, "HEAD"))?.oid;
}

async function serveFile(
  call: Call,
  repository: OpenRepository,
  commit: Oid,
  path: string,
): Promise<AnswerOf<Uint8Array>> {
  const { objects, graph, task } = repository;
  const tip = await requireCommit(repository, commit);
  const entry = await findPath(objects, graph.commits.treeOf(tip), splitPath(path), task);
  if (entry === undefined || entryKind(entry.mode) === "commit") {
    throw new NotFoundError(`Path "${path}" was not found`);
  }
  return await serveBlob(call, repository, entry.oid, mediaTypeOf(path));
}

async function serveBlob(
  call: Call,
  { objects }: OpenRepository,
  oid: Oid,
  type: string,
): Promise<AnswerOf<Uint8Array>> {
  const maxBytes = call.service.dialect === "v1" ? MAX_RAW_BYTES : TODAY_MAX_RAW_BYTES;
  const header = await objects.header(oid);
  if (header?.kind !== "blob") throw new NotFoundError(`File ${oid} was not found`);
  if (header.size > maxBytes) {
    throw new TooLargeError(`File is larger than ${maxBytes} bytes`);
  }
  await call.requireRoom(2 * header.size);
  const blob = await objects.object(oid);
  if (blob === undefined) throw new NotFoundError(`File ${oid} was not found`);
  const bytes = new Uint8Array(blob.bytes);
  blob.release?.();
  return bytesAnswer(bytes, {
    "content-type": type,
    "content-length": String(bytes.length),
    ...USER_CONTENT,
  });
}
