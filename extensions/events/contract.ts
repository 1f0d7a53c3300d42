/** Describes live changes in the contract (docs/api.md, 4.16). They are sent as Server-Sent Events. */
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

/** Event when a repository was added or removed, or when its visibility has changed. */
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

/** Event when references have moved. */
export const ReferencesEvent = v.object({
  type: v.literal("references"),
  rid: RepoId,
  references: list(v.object({
    name: v.string(),
    from: v.pipe(v.nullable(Oid), v.description("Null for a new reference.")),
    to: v.pipe(v.nullable(Oid), v.description("Null for a reference that is gone.")),
  })),
});

/** Returns the schema of the event when an issue or patch was opened or changed. */
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

/** Event when an issue was opened or changed, with the current state of the issue. */
export const IssueEvent = ofObject("issue", IssueState);
/** Event when a patch was opened or changed, with the current state of the patch. */
export const PatchEvent = ofObject("patch", PatchState);

/** Event when the policy of a repository was added, changed or removed. */
export const PolicyEvent = v.object({
  type: v.literal("policy"),
  rid: RepoId,
  policy: v.pipe(
    v.nullable(v.picklist(["allow", "block"])),
    v.description("Null when the policy was removed."),
  ),
  scope: v.nullable(v.picklist(["followed", "all"])),
});

/** Event when the node has started or stopped. */
export const NodeEvent = v.object({ type: v.literal("node"), state: v.picklist(["running", "stopped"]) });

/**
 * Event when changes were missed. The client should load its data again: the data of the repository that the
 * event names, or otherwise all data.
 */
export const ResetEvent = v.object({ type: v.literal("reset"), rid: v.exactOptional(RepoId) });

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
