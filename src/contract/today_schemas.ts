/** Schemas of responses in the `/repos` dialect. */
import * as v from "valibot";
import { Commit, Stats } from "./commits.ts";
import {
  AddedFile,
  CopiedFile,
  DeletedFile,
  DiffBlobs,
  DiffStats,
  FileDiff,
  FileSide,
  ModifiedFile,
  RenamedFile,
} from "./diff.ts";
import { Node } from "./node.ts";
import { Issue } from "./issues.ts";
import { Patch, Review } from "./patches.ts";
import { IssueCounts, PatchCounts, Visibility } from "./projects.ts";
import { NodeStats, VersionRoot } from "./root.ts";
import { Author, CodeRange, Edit, Embed } from "./thread.ts";
import { TreeEntry } from "./tree.ts";
import { AnyObject, Count, Did, list, Mark, NodeId, Oid, RepoId, table, Time } from "./values.ts";

/** A tag. An annotated tag may have a tagger and a message. Any other tag has only its commit. */
export const Tag = v.object({
  commit: Oid,
  tagger: v.exactOptional(
    v.object({
      name: v.exactOptional(v.string()),
      email: v.exactOptional(v.string()),
      timestamp: v.exactOptional(Time),
    }),
  ),
  message: v.exactOptional(v.string()),
});

/** The head of a project, and how many issues and patches the project has in each state. */
export const ProjectMeta = v.object({ head: Oid, issues: IssueCounts, patches: PatchCounts });

export const Repo = v.object({
  payloads: v.pipe(
    table(v.object({ data: v.unknown(), meta: v.exactOptional(ProjectMeta) })),
    v.description("Payloads of the identity document, by name."),
  ),
  delegates: list(Author),
  threshold: Count,
  visibility: Visibility,
  rid: RepoId,
  seeding: Count,
  refs: v.object({ tags: table(Tag), refs: table(Oid) }),
  alias: v.exactOptional(v.string()),
});

/** A repository that was found by its name. */
export const FoundRepo = v.object({
  rid: RepoId,
  payloads: AnyObject,
  delegates: list(Author),
  seeds: Count,
});

/** The changes in a binary file, which are not shown. */
const BinaryDiff = v.object({ type: v.literal("binary") });
const content = v.union([FileDiff, BinaryDiff]);
const status = <S extends string>(kind: S) => ({ status: v.literal(kind) });

export const ChangedFile = v.union([
  v.object({ ...status("added"), ...AddedFile.entries, diff: content }),
  v.object({ ...status("deleted"), ...DeletedFile.entries, diff: content }),
  v.object({ ...status("modified"), ...ModifiedFile.entries, diff: content }),
  v.object({ status: v.picklist(["moved", "copied"]), ...CopiedFile.entries, diff: content }),
  v.object({ status: v.picklist(["moved", "copied"]), ...RenamedFile.entries, current: FileSide }),
]);

/** A diff with one list of files, sorted by new path. */
export const FilesDiff = v.object({ files: list(ChangedFile), stats: DiffStats });

/** A commit with its changes. */
export const RepoCommit = v.object({
  commit: Commit,
  diff: FilesDiff,
  files: DiffBlobs,
  branches: list(v.string()),
});

export const RepoComparison = v.object({ diff: FilesDiff, files: DiffBlobs, commits: list(Commit) });

export const RepoTree = v.object({
  entries: list(v.object({ ...TreeEntry.entries, oid: Oid })),
  lastCommit: Commit,
  name: v.string(),
  path: v.string(),
});

export const CommitCount = v.object({ commits: Count });

/** A node with signed references in a repository. */
export const RepoRemote = v.object({
  id: NodeId,
  alias: v.exactOptional(v.string()),
  heads: table(Oid),
  refs: v.pipe(table(Oid), v.description("Commits of branches and tags, by full name.")),
  delegate: v.boolean(),
});

/** A location in the code. A side without a location is left out. */
export const Place = v.object({
  commit: Oid,
  path: v.string(),
  old: v.exactOptional(CodeRange),
  new: v.exactOptional(CodeRange),
});

/** A reaction, and all nodes that have reacted with it. */
export const RepoReaction = v.object({
  location: v.exactOptional(Place),
  emoji: v.string(),
  authors: list(Author),
});

export const RepoComment = v.object({
  id: Oid,
  author: Author,
  body: v.string(),
  edits: list(Edit),
  embeds: list(Embed),
  reactions: list(RepoReaction),
  timestamp: Time,
  replyTo: v.nullable(Oid),
  location: v.exactOptional(v.nullable(Place)),
  resolved: v.boolean(),
  truncated: Mark,
});

export const RepoIssue = v.object({
  ...Issue.entries,
  assignees: list(Author),
  discussion: list(RepoComment),
});

export const RepoReview = v.object({
  ...Review.entries,
  summary: v.string(),
  comments: list(RepoComment),
});

export const RepoRevision = v.object({
  id: Oid,
  author: Author,
  description: v.string(),
  edits: list(Edit),
  reactions: list(RepoReaction),
  base: Oid,
  oid: Oid,
  refs: list(v.string()),
  discussions: list(RepoComment),
  timestamp: Time,
  reviews: list(RepoReview),
  truncated: Mark,
});

export const RepoPatch = v.object({
  ...Patch.entries,
  assignees: list(Author),
  revisions: list(RepoRevision),
});

/** A job of a commit, with its runs by nodes. */
export const Job = v.object({
  jobId: Oid,
  commit: Oid,
  runs: list(v.object({
    runId: v.string(),
    node: Author,
    status: v.picklist(["started", "failed", "succeeded"]),
    log: v.pipe(v.string(), v.description("URL.")),
  })),
});

const web = {
  avatarUrl: v.exactOptional(v.string()),
  bannerUrl: v.exactOptional(v.string()),
  description: v.exactOptional(v.string()),
};

export const AgentNode = v.object({
  id: NodeId,
  agent: v.pipe(v.nullable(v.string()), v.description("User agent of the node's programs.")),
  config: Node.entries.config,
  state: Node.entries.state,
  ...web,
});

/** The local node with the members of both dialects. */
export const NodeOfBoth = v.object({ ...Node.entries, ...AgentNode.entries });

/** The local node, and the features of the service. */
export const Info = v.object({ node: AgentNode, httpd: v.object({ searchAvailable: v.boolean() }) });

export const OtherNode = v.object({
  alias: v.nullable(v.string()),
  did: Did,
  ssh: v.object({ full: v.string(), hash: v.string() }),
});

/** Statistics of the local node. */
export const RepoStats = v.object({ repos: v.object({ total: Count }) });
/** Statistics with the members of both dialects. */
export const StatsOfBoth = v.object({ ...NodeStats.entries, ...RepoStats.entries });

/** The root of version 1 of the API. */
export const ApiRoot = v.object({ ...VersionRoot.entries, apiVersion: v.string() });

export const RepoPolicy = v.variant("policy", [
  v.object({ policy: v.literal("allow"), scope: v.picklist(["followed", "all"]) }),
  v.object({ policy: v.literal("block") }),
]);
/** The seeding policy of a repository in a list. */
export const ListedPolicy = v.object({ rid: RepoId, policy: RepoPolicy });

export const RepoTreeStats = Stats;

export type Place = v.InferOutput<typeof Place>;
export type RepoReaction = v.InferOutput<typeof RepoReaction>;
export type RepoComment = v.InferOutput<typeof RepoComment>;
export type RepoIssue = v.InferOutput<typeof RepoIssue>;
export type RepoPatch = v.InferOutput<typeof RepoPatch>;
export type Job = v.InferOutput<typeof Job>;
export type AgentNode = v.InferOutput<typeof AgentNode>;
export type OtherNode = v.InferOutput<typeof OtherNode>;
export type RepoPolicy = v.InferOutput<typeof RepoPolicy>;
export type ListedPolicy = v.InferOutput<typeof ListedPolicy>;
