/** Live changes, as Server-Sent Events (4.16). */
import type { Call } from "../../src/routes/call.ts";
import { readPath } from "../../src/routes/dialect.ts";
import type { LiveChanges } from "./live_changes.ts";
import { EVENT_STREAM_TYPE, EventsQuery } from "./request.ts";
import type { AnswerOf } from "../../src/http/answer.ts";
import { readQuery } from "../../src/http/parameters.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { NotFoundError } from "../../src/errors.ts";

/** Memory of a reader, approximately, in bytes. */
const READER_BYTES = 4096;

/** No cache and no proxy may keep, pack or gather it. */
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

/** Tells the changes of all repositories and of the node. */
export function listenToAll(call: Call, changes: LiveChanges): Promise<AnswerOf<Uint8Array>> {
  return listen(call, changes);
}

/**
 * Tells the changes of a repository. Not by `Call.repository`: such an answer breaks off when the repository
 * turns private.
 */
export async function listenToOne(call: Call, changes: LiveChanges): Promise<AnswerOf<Uint8Array>> {
  const { rid } = readPath(call, () => ({}));
  if (!await call.repositories.mayRead(rid)) {
    throw new NotFoundError(`Repository ${rid} was not found`);
  }
  return await listen(call, changes, rid);
}
