/** Describes live changes, which are sent as Server-Sent Events, in the contract (4.16). */
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

/** Schema of the event when a repository was added or removed, or when its visibility has changed. */
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

/** Schema of the event when references have moved. */
export const ReferencesEvent = v.object({
  type: v.literal("references"),
  rid: RepoId,
  references: list(v.object({
    name: v.string(),
    from: v.pipe(v.nullable(Oid), v.description("Null for a new reference.")),
    to: v.pipe(v.nullable(Oid), v.description("Null for a reference that is gone.")),
  })),
});

/** Returns the schema of the event when an object was opened or changed. */
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

/** Schema of the event when an issue was opened or changed. It contains the current state of the issue. */
export const IssueEvent = ofObject("issue", IssueState);
/** Schema of the event when a patch was opened or changed. It contains the current state of the patch. */
export const PatchEvent = ofObject("patch", PatchState);

/** Schema of the event when the policy of a repository was added, changed or removed. */
export const PolicyEvent = v.object({
  type: v.literal("policy"),
  rid: RepoId,
  policy: v.pipe(
    v.nullable(v.picklist(["allow", "block"])),
    v.description("Null when the policy was removed."),
  ),
  scope: v.nullable(v.picklist(["followed", "all"])),
});

/** Schema of the event when the node has started or stopped. */
export const NodeEvent = v.object({ type: v.literal("node"), state: v.picklist(["running", "stopped"]) });

/**
 * Schema of the event when changes were missed. The client should load the data that it shows again. If the
 * event names a repository, only data of this repository has to be loaded, otherwise data of all
 * repositories.
 */
export const ResetEvent = v.object({ type: v.literal("reset"), rid: v.exactOptional(RepoId) });

/** Schema of an event. */
export const LiveEvent = v.variant("type", [
  RepositoryEvent,
  ReferencesEvent,
  IssueEvent,
  PatchEvent,
  PolicyEvent,
  NodeEvent,
  ResetEvent,
]);

/** An event, as it is sent to clients. */
export type LiveEvent = v.InferOutput<typeof LiveEvent>;

const Changes: FileContent = { kind: "file", mediaTypes: [EVENT_STREAM_TYPE], events: LiveEvent };

/** Describes a route that streams live changes. */
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

/** Route for changes of all repositories and of the node, in both dialects. */
export const eventEndpoints = [
  listen("/events", "listen", "Changes of all repositories and of the node", ["badParameter"]),
] as const satisfies readonly Endpoint[];

/** Route for changes of one repository, in version 1. */
export const projectEventEndpoints = [
  listen("/projects/:project/events", "listenToProject", "Changes of a repository", OF_ONE),
] as const satisfies readonly Endpoint[];

/** Route for changes of one repository, in the `/repos` dialect. */
export const repoEventEndpoints = [
  listen("/repos/:rid/events", "listenToRepo", "Changes of a repository", OF_ONE),
] as const satisfies readonly Endpoint[];
