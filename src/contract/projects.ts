/**
 * Schemas and routes of projects (specification, 2.2, 4.2.1), and of the projects of a delegate
 * (specification, 4.6).
 */
import * as v from "valibot";
import { type Endpoint, OF_LISTS, read } from "./endpoint.ts";
import { DelegateQuery, ProjectsQuery } from "./queries.ts";
import { Count, Did, list, NodeId, Oid, RepoId, table } from "./values.ts";

/** The visibility of a repository: public, or readable only by its delegates and a list of nodes. */
export const Visibility = v.variant("type", [
  v.object({ type: v.literal("public") }),
  v.object({ type: v.literal("private"), allow: v.exactOptional(list(Did)) }),
]);

export const PatchCounts = v.object({ open: Count, draft: Count, archived: Count, merged: Count });
export const IssueCounts = v.object({ open: Count, closed: Count });

export const Project = v.object({
  name: v.string(),
  description: v.string(),
  defaultBranch: v.pipe(v.string(), v.description("Short name of a branch.")),
  delegates: v.pipe(list(Did), v.description("In the order of the identity document.")),
  visibility: Visibility,
  head: Oid,
  patches: PatchCounts,
  issues: IssueCounts,
  id: RepoId,
  trackings: v.pipe(Count, v.description("Nodes that are known to seed the repository.")),
  seeding: v.pipe(Count, v.description("As `trackings`.")),
});

export type PatchCounts = v.InferOutput<typeof PatchCounts>;
export type IssueCounts = v.InferOutput<typeof IssueCounts>;
export type Project = v.InferOutput<typeof Project>;

export const projectEndpoints = [
  read(
    "4.2.1",
    "/projects",
    "listProjects",
    "Projects that the client may see, in the order of their ids.",
    list(Project),
    { query: ProjectsQuery, errors: ["badParameter"] },
  ),
  read("4.2.1", "/projects/:project", "showProject", "One project.", Project),
] as const satisfies readonly Endpoint[];

export const delegateEndpoints = [
  read(
    "4.6",
    "/delegates/:delegate/projects",
    "listProjectsOfDelegate",
    "Projects that have a node as delegate, in the order of their ids.",
    list(Project),
    { query: DelegateQuery, errors: ["badParameter"] },
  ),
] as const satisfies readonly Endpoint[];

/** A node with signed references in a repository. */
export const Remote = v.object({
  id: NodeId,
  alias: v.exactOptional(v.pipe(v.string(), v.description("Only in lists, if it is known."))),
  heads: v.pipe(table(Oid), v.description("Commits by branch name, without `refs/heads/`.")),
  delegate: v.boolean(),
});

export const remoteEndpoints = [
  read(
    "4.2.7",
    "/projects/:project/remotes",
    "listRemotes",
    "Nodes with signed references in a repository, in the order of their ids.",
    list(Remote),
    { fields: OF_LISTS },
  ),
  read("4.2.7", "/projects/:project/remotes/:peer", "showRemote", "Signed references of one node.", Remote),
] as const satisfies readonly Endpoint[];
