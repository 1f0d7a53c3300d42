/** Live changes, as Server-Sent Events (4.16). */
import { type Call, type RoutesOf, tableOf } from "./call.ts";
import { requireRid } from "./dialect.ts";
import type { eventEndpoints, projectEventEndpoints, repoEventEndpoints } from "../contract/events.ts";
import { EventsQuery } from "../contract/queries.ts";
import { EVENT_STREAM_TYPE, OF_EVENTS, OF_PROJECT, OF_REPO } from "../contract/traits.ts";
import { ApiError } from "../errors.ts";
import type { AnswerOf } from "../http/answer.ts";
import { readQuery } from "../http/parameters.ts";
import type { RepoId } from "../ids/rid.ts";

/** Changes of all repositories and of the node. */
export const eventRoutes: RoutesOf<typeof eventEndpoints> = tableOf(OF_EVENTS, [
  ["GET", "/api/v1/events", (call) => listen(call)],
]);
/** Changes of a repository. */
export const projectEventRoutes: RoutesOf<typeof projectEventEndpoints> = tableOf({
  ...OF_PROJECT,
  ...OF_EVENTS,
}, [
  ["GET", "/api/v1/projects/:project/events", (call) => listenTo(call, call.rid("project"))],
]);
/** The same for today's clients. */
export const repoEventRoutes: RoutesOf<typeof repoEventEndpoints> = tableOf({ ...OF_REPO, ...OF_EVENTS }, [
  ["GET", "/api/v1/repos/:rid/events", (call) => listenTo(call, requireRid(call))],
]);

/** Memory of a reader, approximately, in bytes. */
const READER_BYTES = 4096;

/** No cache and no proxy may keep, pack or gather it. */
const HEADERS = {
  "content-type": EVENT_STREAM_TYPE,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

async function listen(call: Call, rid?: RepoId): Promise<AnswerOf<Uint8Array>> {
  const { types } = readQuery(call.url, EventsQuery);
  const stream = await call.service.changes.open({
    isOwner: call.isPrivileged,
    rid,
    types,
    lastId: call.request.headers.get("last-event-id") || undefined,
    peer: call.peer,
  });
  return { status: 200, headers: HEADERS, body: { ...stream, heldBytes: READER_BYTES } };
}

/** Not by `Call.repository`: such an answer breaks off when the repository turns private. */
async function listenTo(call: Call, rid: RepoId): Promise<AnswerOf<Uint8Array>> {
  if (!await call.mayRead(rid)) {
    throw new ApiError("notFound", `Repository ${rid} was not found`);
  }
  return await listen(call, rid);
}
