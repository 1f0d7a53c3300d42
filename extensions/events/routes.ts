/** Streams live changes as Server-Sent Events (docs/api.md, 4.16). */
import { type AnswerOf, type Call, NotFoundError, readPath, readQuery, type RepoId } from "../../src/mod.ts";
import type { LiveChanges } from "./live_changes.ts";
import { EVENT_STREAM_TYPE, EventsQuery } from "./request.ts";

/** Approximate memory of a reader, in bytes. */
const READER_BYTES = 4096;

/** Header fields that tell caches and proxies not to store, compress or buffer the stream. */
const HEADERS = {
  "content-type": EVENT_STREAM_TYPE,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

async function listen(call: Call, changes: LiveChanges, rid?: RepoId): Promise<AnswerOf<Uint8Array>> {
  const { types } = readQuery(call.url, EventsQuery);
  const stream = await changes.open({
    isOwner: call.isPrivileged,
    rid,
    types,
    lastId: call.request.headers.get("last-event-id") || undefined,
    peer: call.peer,
  });
  return { status: 200, headers: HEADERS, body: { ...stream, heldBytes: READER_BYTES } };
}

/** Streams the changes of all repositories and of the node. */
export function listenToAll(call: Call, changes: LiveChanges): Promise<AnswerOf<Uint8Array>> {
  return listen(call, changes);
}

/**
 * Streams the changes of a repository. Does not use `Call.repository`, because the response would be cut off
 * when the repository becomes private. Here, an event reports this change.
 */
export async function listenToOne(call: Call, changes: LiveChanges): Promise<AnswerOf<Uint8Array>> {
  const { rid } = readPath(call, () => ({}));
  if (!await call.repositories.mayRead(rid)) {
    throw new NotFoundError(`Repository ${rid} was not found`);
  }
  return await listen(call, changes, rid);
}
