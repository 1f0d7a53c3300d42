/** Live changes, as Server-Sent Events (4.16). */
import * as v from "valibot";
import {
  Author,
  type Endpoint,
  type FileContent,
  list,
  Oid,
  PatchState,
  read,
  RepoId,
} from "../../src/contract/mod.ts";
import { type ErrorCode, IssueState } from "../../src/mod.ts";
import { EVENT_STREAM_TYPE, EventsQuery } from "./request.ts";

const changed = v.picklist(["opened", "changed"]);
const title = v.pipe(v.string(), v.description("A long title is cut."));

/** A repository has come, has gone, or is shown to others than before. */
export const RepositoryEvent = v.object({
  type: v.literal("repository"),
  rid: RepoId,
  change: v.pipe(
    v.picklist(["added", "removed", "private", "public"]),
    v.description(
      "For all but the owner, becoming private is `removed`, and becoming public is `added`.",
    ),
  ),
});

/** References have moved. */
export const ReferencesEvent = v.object({
  type: v.literal("references"),
  rid: RepoId,
  references: list(v.object({
    name: v.string(),
    from: v.pipe(v.nullable(Oid), v.description("Null for a new reference.")),
    to: v.pipe(v.nullable(Oid), v.description("Null for a reference that is gone.")),
  })),
});

/** The event of an object that was opened or changed. */
function ofObject<const T extends string, S extends v.GenericSchema>(type: T, state: S) {
  return v.object({
    type: v.literal(type),
    rid: RepoId,
    change: changed,
    id: Oid,
    title,
    state,
    author: Author,
  });
}

/** An issue was opened or changed; as it is now. */
export const IssueEvent = ofObject("issue", IssueState);
/** A patch was opened or changed; as it is now. */
export const PatchEvent = ofObject("patch", PatchState);

/** The policy of a repository was made, changed or removed. */
export const PolicyEvent = v.object({
  type: v.literal("policy"),
  rid: RepoId,
  policy: v.pipe(
    v.nullable(v.picklist(["allow", "block"])),
    v.description("Null when the policy was removed."),
  ),
  scope: v.nullable(v.picklist(["followed", "all"])),
});

/** The node has started or stopped. */
export const NodeEvent = v.object({ type: v.literal("node"), state: v.picklist(["running", "stopped"]) });

/** Changes were missed: read again what you show, of this repository or of all. */
export const ResetEvent = v.object({ type: v.literal("reset"), rid: v.exactOptional(RepoId) });

/** A change. */
export const LiveEvent = v.variant("type", [
  RepositoryEvent,
  ReferencesEvent,
  IssueEvent,
  PatchEvent,
  PolicyEvent,
  NodeEvent,
  ResetEvent,
]);

/** The form of {@link LiveEvent}. */
export type LiveEvent = v.InferOutput<typeof LiveEvent>;

const Changes: FileContent = { kind: "file", mediaTypes: [EVENT_STREAM_TYPE], events: LiveEvent };

/** A route of live changes. */
function listen<const P extends string>(
  path: P,
  name: string,
  summary: string,
  errors: readonly ErrorCode[],
) {
  return read("4.16", path, name, `${summary}, as they happen.`, Changes, {
    query: EventsQuery,
    errors,
    caching: "none",
    fields: ["X-Accel-Buffering"],
  });
}

const OF_ONE = ["badParameter", "notFound"] as const;

/** Changes of all repositories and of the node: in each dialect. */
export const eventEndpoints = [
  listen("/events", "listen", "Changes of all repositories and of the node", ["badParameter"]),
] as const satisfies readonly Endpoint[];

/** Changes of a repository, in version 1. */
export const projectEventEndpoints = [
  listen("/projects/:project/events", "listenToProject", "Changes of a repository", OF_ONE),
] as const satisfies readonly Endpoint[];

/** The same for today's clients. */
export const repoEventEndpoints = [
  listen("/repos/:rid/events", "listenToRepo", "Changes of a repository", OF_ONE),
] as const satisfies readonly Endpoint[];
