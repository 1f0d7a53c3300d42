/**
 * Types of all requests and answers. Made from the contract by `node build/client_types.ts`; never edited.
 */

/** Repository id. */
export type RepoId = string;

/** Node id: an Ed25519 public key. */
export type NodeId = string;

/** DID of a node. */
export type Did = string;

/** Git object id; also of issues, patches and their parts. */
export type Oid = string;

/** Seconds since the Unix epoch. */
export type Time = number;

/** An error. */
export type Failure = {
  /** Text for people; it may change. */
  readonly error: string;
  /** The status of the answer. */
  readonly code: number;
};

/** An error in the path or the query. */
export type ParameterFailure = {
  readonly success: false;
  /** Text for people; it may change. */
  readonly error: string;
  /** The status of the answer. */
  readonly code: number;
};

/** Schema `Link` of the contract. */
export type Link = {
  readonly href: string;
  readonly rel: string;
  readonly type: "GET";
};

/** Schema `NodeStats` of the contract. */
export type NodeStats = {
  readonly projects: {
    readonly count: number;
  };
  readonly users: {
    readonly count: number;
  };
};

/** Schema `OpenApi` of the contract. */
export type OpenApi = {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, unknown>>;
};

/** Schema `Root` of the contract. */
export type Root = {
  readonly path: "/api";
  readonly links: readonly Link[];
};

/** Schema `Service` of the contract. */
export type Service = {
  readonly welcome: string;
  readonly version: string;
  readonly path: "/";
  readonly links: readonly Link[];
};

/** Schema `VersionRoot` of the contract. */
export type VersionRoot = {
  readonly message: string;
  readonly service: string;
  readonly version: string;
  readonly nid: NodeId;
  readonly path: "/api/v1";
  readonly links: readonly Link[];
};

/** Schema `IssueCounts` of the contract. */
export type IssueCounts = {
  readonly open: number;
  readonly closed: number;
};

/** Schema `PatchCounts` of the contract. */
export type PatchCounts = {
  readonly open: number;
  readonly draft: number;
  readonly archived: number;
  readonly merged: number;
};

/** Schema `Project` of the contract. */
export type Project = {
  readonly name: string;
  readonly description: string;
  /** Short name of a branch. */
  readonly defaultBranch: string;
  /** In the order of the identity document. */
  readonly delegates: readonly Did[];
  readonly visibility: Visibility;
  readonly head: Oid;
  readonly patches: PatchCounts;
  readonly issues: IssueCounts;
  readonly id: RepoId;
  /** Nodes that are known to seed the repository. */
  readonly trackings: number;
  /** As `trackings`. */
  readonly seeding: number;
};

/** Schema `Remote` of the contract. */
export type Remote = {
  readonly id: NodeId;
  /** Only in lists, if it is known. */
  readonly alias?: string;
  /** Commits by branch name, without `refs/heads/`. */
  readonly heads: Readonly<Record<string, Oid>>;
  readonly delegate: boolean;
};

/** Schema `Visibility` of the contract. */
export type Visibility = {
  readonly type: "public";
} | {
  readonly type: "private";
  readonly allow?: readonly Did[];
};

/** Schema `Activity` of the contract. */
export type Activity = {
  readonly activity: readonly Time[];
};

/** Schema `Commit` of the contract. */
export type Commit = {
  readonly id: Oid;
  readonly author: Person;
  /** First paragraph of the message, as one line. */
  readonly summary: string;
  /** The rest of the message. */
  readonly description: string;
  readonly parents: readonly Oid[];
  readonly committer: {
    readonly name: string;
    readonly email: string;
    readonly time: Time;
  };
};

/** Schema `CommitDetail` of the contract. */
export type CommitDetail = {
  readonly commit: Commit;
  readonly diff: Diff;
  readonly files: DiffBlobs;
  /** Full names of all branches that contain the commit. */
  readonly branches: readonly string[];
};

/** Schema `Comparison` of the contract. */
export type Comparison = {
  readonly diff: Diff;
  readonly files: DiffBlobs;
  /** Commits from the second one back to the first one, which is left out. */
  readonly commits: readonly Commit[];
};

/** Schema `History` of the contract. */
export type History = {
  readonly commits: readonly ({
    readonly commit: Commit;
    /** Diff against the first parent. Null if it is too large or not possible now. Only with `diff=full`. */
    readonly diff?: Diff | null;
    /** Statistics of the diff against the first parent. Null if the diff would be. Only with `diff=stats`. */
    readonly stats?: DiffStats | null;
    readonly truncated?: true;
    /** Full names of all branches that contain the commit. */
    readonly branches: readonly string[];
  })[];
  readonly stats: RepoTreeStats;
};

/** Schema `Person` of the contract. */
export type Person = {
  readonly name: string;
  readonly email: string;
};

/** Schema `Stats` of the contract. */
export type Stats = {
  readonly commits: number;
  readonly branches: number;
  readonly contributors: number;
};

/** Schema `AddedFile` of the contract. */
export type AddedFile = {
  readonly path: string;
  readonly diff: FileDiff;
  readonly new: FileSide;
};

/** Schema `CopiedFile` of the contract. */
export type CopiedFile = {
  readonly oldPath: string;
  readonly newPath: string;
  readonly old: FileSide;
  readonly new: FileSide;
  readonly diff: FileDiff;
};

/** Schema `DeletedFile` of the contract. */
export type DeletedFile = {
  readonly path: string;
  readonly diff: FileDiff;
  readonly old: FileSide;
};

/** Schema `Diff` of the contract. */
export type Diff = {
  readonly added: readonly AddedFile[];
  readonly deleted: readonly DeletedFile[];
  readonly moved: readonly (RenamedFile | CopiedFile)[];
  readonly copied: readonly CopiedFile[];
  readonly modified: readonly ModifiedFile[];
  readonly stats: DiffStats;
};

/** Schema `DiffBlob` of the contract. */
export type DiffBlob = {
  readonly id: Oid;
  readonly binary: boolean;
  /** Text when all bytes are UTF-8, else base64. */
  readonly content: string;
  readonly truncated?: true;
};

/** Blobs by their object ids. */
export type DiffBlobs = Readonly<Record<string, DiffBlob>>;

/** Schema `DiffLine` of the contract. */
export type DiffLine = {
  readonly line: string;
  readonly lineNo: number;
  readonly type: "addition";
} | {
  readonly line: string;
  readonly lineNo: number;
  readonly type: "deletion";
} | {
  readonly line: string;
  readonly lineNoOld: number;
  readonly lineNoNew: number;
  readonly type: "context";
};

/** Schema `DiffStats` of the contract. */
export type DiffStats = {
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
};

/** Schema `FileDiff` of the contract. */
export type FileDiff = {
  readonly type: "plain";
  readonly hunks: readonly Hunk[];
  readonly stats: {
    readonly additions: number;
    readonly deletions: number;
  };
  /** Which side lacks the last line feed. */
  readonly eof: "noneMissing" | "oldMissing" | "newMissing" | "bothMissing";
  readonly truncated?: true;
};

/** Schema `FileSide` of the contract. */
export type FileSide = {
  readonly oid: Oid;
  readonly mode: "blob" | "blobExecutable" | "link" | "commit";
};

/** Schema `Hunk` of the contract. */
export type Hunk = {
  readonly header: string;
  readonly lines: readonly DiffLine[];
  readonly old: LineRange;
  readonly new: LineRange;
};

/** Schema `LineRange` of the contract. */
export type LineRange = {
  readonly start: number;
  readonly end: number;
};

/** Schema `ModifiedFile` of the contract. */
export type ModifiedFile = {
  readonly path: string;
  readonly diff: FileDiff;
  readonly old: FileSide;
  readonly new: FileSide;
};

/** Schema `RenamedFile` of the contract. */
export type RenamedFile = {
  readonly oldPath: string;
  readonly newPath: string;
  readonly current: FileSide;
};

/** Schema `Blob` of the contract. */
export type Blob = {
  readonly binary: boolean;
  readonly name: string;
  /** Text when all bytes are UTF-8, else base64. */
  readonly content: string;
  readonly path: string;
  /** Last commit that changed the file. */
  readonly lastCommit: Commit;
};

/** Schema `Tree` of the contract. */
export type Tree = {
  /** Folders and submodules first, then files. */
  readonly entries: readonly TreeEntry[];
  /** Last commit that changed something in the folder. */
  readonly lastCommit: Commit;
  readonly name: string;
  readonly path: string;
  readonly stats: RepoTreeStats;
};

/** Schema `TreeEntry` of the contract. */
export type TreeEntry = {
  /** Path from the root. */
  readonly path: string;
  readonly name: string;
  readonly kind: "tree" | "blob" | "submodule";
  /** Only with `oids=true`. For a submodule, the commit that it points to. */
  readonly oid?: Oid;
};

/** Schema `Author` of the contract. */
export type Author = {
  readonly id: Did;
  /** Alias of the node, if it is known. */
  readonly alias?: string;
};

/** Schema `CodeLocation` of the contract. */
export type CodeLocation = {
  readonly commit: Oid;
  readonly path: string;
  readonly old: CodeRange | null;
  readonly new: CodeRange | null;
};

/** Schema `CodeRange` of the contract. */
export type CodeRange = {
  readonly type: "lines";
  readonly range: {
    readonly start: number;
    readonly end: number;
  };
} | {
  readonly type: "chars";
  readonly line: number;
  readonly range: {
    readonly start: number;
    readonly end: number;
  };
};

/** Schema `Comment` of the contract. */
export type Comment = {
  readonly id: Oid;
  readonly author: Author;
  readonly body: string;
  /** All versions, including the first one. */
  readonly edits: readonly Edit[];
  readonly embeds: readonly Embed[];
  readonly reactions: Reactions;
  readonly timestamp: Time;
  readonly replyTo: Oid | null;
  /** Only in patches. */
  readonly location?: CodeLocation | null;
  readonly resolved: boolean;
  readonly truncated?: true;
};

/** Schema `Edit` of the contract. */
export type Edit = {
  readonly author: Author;
  readonly body: string;
  readonly timestamp: Time;
  readonly embeds: readonly Embed[];
};

/** Schema `Embed` of the contract. */
export type Embed = {
  readonly name: string;
  /** `git:` and the object id of a blob. */
  readonly content: string;
};

/** Schema `ReactionGroup` of the contract. */
export type ReactionGroup = {
  readonly emoji: string;
  readonly authors: readonly NodeId[];
};

/** Schema `Reactions` of the contract. */
export type Reactions = readonly (readonly [NodeId, string])[] | readonly ReactionGroup[];

/** Schema `ReviewComment` of the contract. */
export type ReviewComment = {
  readonly author: NodeId;
  readonly body: string;
  /** All versions, including the first one. */
  readonly edits: readonly Edit[];
  readonly embeds: readonly Embed[];
  readonly reactions: Reactions;
  readonly timestamp: Time;
  readonly replyTo: Oid | null;
  /** Only in patches. */
  readonly location?: CodeLocation | null;
  readonly resolved: boolean;
  readonly truncated?: true;
};

/** Schema `Changed` of the contract. */
export type Changed = {
  readonly success: true;
  readonly id: Oid;
};

/** Schema `Issue` of the contract. */
export type Issue = {
  readonly id: Oid;
  readonly author: Author;
  readonly title: string;
  readonly state: {
    readonly status: "closed";
    readonly reason: "other" | "solved";
  } | {
    readonly status: "open";
  };
  readonly assignees: readonly Did[];
  /** The first comment is the description. */
  readonly discussion: readonly Comment[];
  readonly labels: readonly string[];
  readonly truncated?: true;
};

/** Schema `Merge` of the contract. */
export type Merge = {
  readonly author: Author;
  readonly commit: Oid;
  readonly timestamp: Time;
  readonly revision: Oid;
};

/** Schema `Patch` of the contract. */
export type Patch = {
  readonly id: Oid;
  readonly author: Author;
  readonly title: string;
  readonly state: PatchState;
  readonly target: PatchTarget;
  readonly labels: readonly string[];
  readonly merges: readonly Merge[];
  readonly assignees: readonly Did[];
  /** The first revision has the id of the patch. */
  readonly revisions: readonly Revision[];
  readonly truncated?: true;
};

/** Schema `PatchState` of the contract. */
export type PatchState = {
  readonly status: "open";
  /** Conflicting merges: pairs of revision and commit, each merged by enough delegates. */
  readonly conflicts?: readonly (readonly [Oid, Oid])[];
} | {
  readonly status: "draft" | "archived";
} | {
  readonly status: "merged";
  readonly revision: Oid;
  readonly commit: Oid;
};

/** Schema `PatchTarget` of the contract. */
export type PatchTarget = "delegates" | {
  readonly branch: string;
};

/** Schema `PlaceReaction` of the contract. */
export type PlaceReaction = {
  readonly location: CodeLocation | null;
  readonly emoji: string;
  readonly authors: readonly NodeId[];
};

/** Schema `Review` of the contract. */
export type Review = {
  readonly id: Oid;
  readonly author: Author;
  readonly verdict: "accept" | "reject" | null;
  readonly summary: string | null;
  /** Pairs of id and comment. With `--answers objects`, comments in the form of revisions. */
  readonly comments: readonly (readonly [Oid, ReviewComment])[] | readonly Comment[];
  readonly timestamp: Time;
  readonly truncated?: true;
};

/** Schema `Revision` of the contract. */
export type Revision = {
  readonly id: Oid;
  readonly author: Author;
  readonly description: string;
  /** All versions of the description. */
  readonly edits: readonly Edit[];
  readonly reactions: readonly PlaceReaction[];
  /** Commit that the revision is based on. */
  readonly base: Oid;
  /** Proposed commit. */
  readonly oid: Oid;
  /** Signed references of the patch's author that point to the commit. */
  readonly refs: readonly string[];
  readonly discussions: readonly Comment[];
  readonly timestamp: Time;
  readonly reviews: readonly Review[];
  readonly truncated?: true;
};

/** Schema `Alias` of the contract. */
export type Alias = {
  readonly alias: string | null;
};

/** Schema `Done` of the contract. */
export type Done = {
  readonly success: true;
};

/** Schema `FetchResult` of the contract. */
export type FetchResult = {
  readonly status: "success";
  readonly updated: readonly unknown[];
  readonly namespaces: readonly unknown[];
} | {
  readonly status: "failed";
  readonly reason: string;
};

/** Schema `Node` of the contract. */
export type Node = {
  readonly id: NodeId;
  /** Version of the service. */
  readonly version: string;
  /** Configuration of the running node. Null when the node does not answer. */
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly state: "running" | "stopped";
};

/** Schema `Policy` of the contract. */
export type Policy = {
  readonly id: RepoId;
  readonly scope: "followed" | "all";
  readonly policy: "allow" | "block";
};

/** Schema `Profile` of the contract. */
export type Profile = {
  readonly config: Readonly<Record<string, unknown>>;
  readonly home: string;
};

/** Schema `Seeded` of the contract. */
export type Seeded = {
  readonly success: true;
  readonly results?: FetchResult;
};

/** Schema `NewWalletSession` of the contract. */
export type NewWalletSession = {
  readonly id: string;
  readonly nonce: string;
};

/** Schema `Session` of the contract. */
export type Session = {
  /** The bearer token. It is valid once the session is authorized. */
  readonly sessionId: string;
  readonly status: "unauthorized" | "authorized";
  readonly publicKey: NodeId;
  readonly alias?: string;
  readonly issuedAt: Time;
  readonly expiresAt: Time;
};

/** Schema `WaitingSession` of the contract. */
export type WaitingSession = {
  readonly id: string;
  readonly nonce: string;
  /** `2023-01-27 9:05:03.25 +00:00:00`. */
  readonly expirationTime: string;
};

/** Schema `WalletSession` of the contract. */
export type WalletSession = {
  /** The bearer token. */
  readonly id: string;
  readonly session: {
    readonly domain: string;
    /** In lower case. */
    readonly address: string;
    readonly statement: null;
    readonly uri: string;
    readonly version: 1;
    readonly chainId: number;
    readonly nonce: string;
    /** `2023-01-27 9:05:03.25 +00:00:00`. */
    readonly issuedAt: string;
    readonly expirationTime: string | null;
    readonly resources: readonly string[];
  };
};

/** Schema `IssueEvent` of the contract. */
export type IssueEvent = {
  readonly type: "issue";
  readonly rid: RepoId;
  readonly change: "opened" | "changed";
  readonly id: Oid;
  /** A long title is cut. */
  readonly title: string;
  readonly state: {
    readonly status: "closed";
    readonly reason: "other" | "solved";
  } | {
    readonly status: "open";
  };
  readonly author: Author;
};

/** Schema `LiveEvent` of the contract. */
export type LiveEvent =
  | RepositoryEvent
  | ReferencesEvent
  | IssueEvent
  | PatchEvent
  | PolicyEvent
  | NodeEvent
  | ResetEvent;

/** Schema `NodeEvent` of the contract. */
export type NodeEvent = {
  readonly type: "node";
  readonly state: "running" | "stopped";
};

/** Schema `PatchEvent` of the contract. */
export type PatchEvent = {
  readonly type: "patch";
  readonly rid: RepoId;
  readonly change: "opened" | "changed";
  readonly id: Oid;
  /** A long title is cut. */
  readonly title: string;
  readonly state: PatchState;
  readonly author: Author;
};

/** Schema `PolicyEvent` of the contract. */
export type PolicyEvent = {
  readonly type: "policy";
  readonly rid: RepoId;
  /** Null when the policy was removed. */
  readonly policy: "allow" | "block" | null;
  readonly scope: "followed" | "all" | null;
};

/** Schema `ReferencesEvent` of the contract. */
export type ReferencesEvent = {
  readonly type: "references";
  readonly rid: RepoId;
  readonly references: readonly ({
    readonly name: string;
    /** Null for a new reference. */
    readonly from: Oid | null;
    /** Null for a reference that is gone. */
    readonly to: Oid | null;
  })[];
};

/** Schema `RepositoryEvent` of the contract. */
export type RepositoryEvent = {
  readonly type: "repository";
  readonly rid: RepoId;
  /** For all but the owner, becoming private is `removed`, and becoming public is `added`. */
  readonly change: "added" | "removed" | "private" | "public";
};

/** Schema `ResetEvent` of the contract. */
export type ResetEvent = {
  readonly type: "reset";
  readonly rid?: RepoId;
};

/** Schema `AgentNode` of the contract. */
export type AgentNode = {
  readonly id: NodeId;
  /** User agent of the node's programs. */
  readonly agent: string | null;
  /** Configuration of the running node. Null when the node does not answer. */
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly state: "running" | "stopped";
  readonly avatarUrl?: string;
  readonly bannerUrl?: string;
  readonly description?: string;
};

/** Schema `ApiRoot` of the contract. */
export type ApiRoot = {
  readonly message: string;
  readonly service: string;
  readonly version: string;
  readonly nid: NodeId;
  readonly path: "/api/v1";
  readonly links: readonly Link[];
  readonly apiVersion: string;
};

/** Schema `ChangedFile` of the contract. */
export type ChangedFile = {
  readonly status: "added";
  readonly path: string;
  readonly diff: FileDiff | {
    readonly type: "binary";
  };
  readonly new: FileSide;
} | {
  readonly status: "deleted";
  readonly path: string;
  readonly diff: FileDiff | {
    readonly type: "binary";
  };
  readonly old: FileSide;
} | {
  readonly status: "modified";
  readonly path: string;
  readonly diff: FileDiff | {
    readonly type: "binary";
  };
  readonly old: FileSide;
  readonly new: FileSide;
} | {
  readonly status: "moved" | "copied";
  readonly oldPath: string;
  readonly newPath: string;
  readonly old: FileSide;
  readonly new: FileSide;
  readonly diff: FileDiff | {
    readonly type: "binary";
  };
} | {
  readonly status: "moved" | "copied";
  readonly oldPath: string;
  readonly newPath: string;
  readonly current: FileSide;
};

/** Schema `CommitCount` of the contract. */
export type CommitCount = {
  readonly commits: number;
};

/** Schema `FilesDiff` of the contract. */
export type FilesDiff = {
  readonly files: readonly ChangedFile[];
  readonly stats: DiffStats;
};

/** Schema `FoundRepo` of the contract. */
export type FoundRepo = {
  readonly rid: RepoId;
  readonly payloads: Readonly<Record<string, unknown>>;
  readonly delegates: readonly Author[];
  readonly seeds: number;
};

/** Schema `Info` of the contract. */
export type Info = {
  readonly node: AgentNode;
  readonly httpd: {
    readonly searchAvailable: boolean;
  };
};

/** Schema `Job` of the contract. */
export type Job = {
  readonly jobId: Oid;
  readonly commit: Oid;
  readonly runs: readonly ({
    readonly runId: string;
    readonly node: Author;
    readonly status: "started" | "failed" | "succeeded";
    /** URL. */
    readonly log: string;
  })[];
};

/** Schema `ListedPolicy` of the contract. */
export type ListedPolicy = {
  readonly rid: RepoId;
  readonly policy: RepoPolicy;
};

/** Schema `NodeOfBoth` of the contract. */
export type NodeOfBoth = {
  readonly id: NodeId;
  /** Version of the service. */
  readonly version: string;
  /** Configuration of the running node. Null when the node does not answer. */
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly state: "running" | "stopped";
  /** User agent of the node's programs. */
  readonly agent: string | null;
  readonly avatarUrl?: string;
  readonly bannerUrl?: string;
  readonly description?: string;
};

/** Schema `OtherNode` of the contract. */
export type OtherNode = {
  readonly alias: string | null;
  readonly did: Did;
  readonly ssh: {
    readonly full: string;
    readonly hash: string;
  };
};

/** Schema `Place` of the contract. */
export type Place = {
  readonly commit: Oid;
  readonly path: string;
  readonly old?: CodeRange;
  readonly new?: CodeRange;
};

/** Schema `ProjectMeta` of the contract. */
export type ProjectMeta = {
  readonly head: Oid;
  readonly issues: IssueCounts;
  readonly patches: PatchCounts;
};

/** Schema `Repo` of the contract. */
export type Repo = {
  /** Payloads of the identity document, by name. */
  readonly payloads: Readonly<
    Record<string, {
      readonly data: unknown;
      readonly meta?: ProjectMeta;
    }>
  >;
  readonly delegates: readonly Author[];
  readonly threshold: number;
  readonly visibility: Visibility;
  readonly rid: RepoId;
  readonly seeding: number;
  readonly refs: {
    readonly tags: Readonly<Record<string, Tag>>;
    readonly refs: Readonly<Record<string, Oid>>;
  };
  readonly alias?: string;
};

/** Schema `RepoComment` of the contract. */
export type RepoComment = {
  readonly id: Oid;
  readonly author: Author;
  readonly body: string;
  readonly edits: readonly Edit[];
  readonly embeds: readonly Embed[];
  readonly reactions: readonly RepoReaction[];
  readonly timestamp: Time;
  readonly replyTo: Oid | null;
  readonly location?: Place | null;
  readonly resolved: boolean;
  readonly truncated?: true;
};

/** Schema `RepoCommit` of the contract. */
export type RepoCommit = {
  readonly commit: Commit;
  readonly diff: FilesDiff;
  readonly files: DiffBlobs;
  readonly branches: readonly string[];
};

/** Schema `RepoComparison` of the contract. */
export type RepoComparison = {
  readonly diff: FilesDiff;
  readonly files: DiffBlobs;
  readonly commits: readonly Commit[];
};

/** Schema `RepoIssue` of the contract. */
export type RepoIssue = {
  readonly id: Oid;
  readonly author: Author;
  readonly title: string;
  readonly state: {
    readonly status: "closed";
    readonly reason: "other" | "solved";
  } | {
    readonly status: "open";
  };
  readonly assignees: readonly Author[];
  readonly discussion: readonly RepoComment[];
  readonly labels: readonly string[];
  readonly truncated?: true;
};

/** Schema `RepoPatch` of the contract. */
export type RepoPatch = {
  readonly id: Oid;
  readonly author: Author;
  readonly title: string;
  readonly state: PatchState;
  readonly target: PatchTarget;
  readonly labels: readonly string[];
  readonly merges: readonly Merge[];
  readonly assignees: readonly Author[];
  readonly revisions: readonly RepoRevision[];
  readonly truncated?: true;
};

/** Schema `RepoPolicy` of the contract. */
export type RepoPolicy = {
  readonly policy: "allow";
  readonly scope: "followed" | "all";
} | {
  readonly policy: "block";
};

/** Schema `RepoReaction` of the contract. */
export type RepoReaction = {
  readonly location?: Place;
  readonly emoji: string;
  readonly authors: readonly Author[];
};

/** Schema `RepoRemote` of the contract. */
export type RepoRemote = {
  readonly id: NodeId;
  readonly alias?: string;
  readonly heads: Readonly<Record<string, Oid>>;
  /** Commits of branches and tags, by full name. */
  readonly refs: Readonly<Record<string, Oid>>;
  readonly delegate: boolean;
};

/** Schema `RepoReview` of the contract. */
export type RepoReview = {
  readonly id: Oid;
  readonly author: Author;
  readonly verdict: "accept" | "reject" | null;
  readonly summary: string;
  readonly comments: readonly RepoComment[];
  readonly timestamp: Time;
  readonly truncated?: true;
};

/** Schema `RepoRevision` of the contract. */
export type RepoRevision = {
  readonly id: Oid;
  readonly author: Author;
  readonly description: string;
  readonly edits: readonly Edit[];
  readonly reactions: readonly RepoReaction[];
  readonly base: Oid;
  readonly oid: Oid;
  readonly refs: readonly string[];
  readonly discussions: readonly RepoComment[];
  readonly timestamp: Time;
  readonly reviews: readonly RepoReview[];
  readonly truncated?: true;
};

/** Schema `RepoStats` of the contract. */
export type RepoStats = {
  readonly repos: {
    readonly total: number;
  };
};

/** Schema `RepoTree` of the contract. */
export type RepoTree = {
  readonly entries: readonly ({
    /** Path from the root. */
    readonly path: string;
    readonly name: string;
    readonly kind: "tree" | "blob" | "submodule";
    readonly oid: Oid;
  })[];
  readonly lastCommit: Commit;
  readonly name: string;
  readonly path: string;
};

/** Schema `RepoTreeStats` of the contract. */
export type RepoTreeStats = {
  readonly commits: number;
  readonly branches: number;
  readonly contributors: number;
};

/** Schema `StatsOfBoth` of the contract. */
export type StatsOfBoth = {
  readonly projects: {
    readonly count: number;
  };
  readonly users: {
    readonly count: number;
  };
  readonly repos: {
    readonly total: number;
  };
};

/** Schema `Tag` of the contract. */
export type Tag = {
  readonly commit: Oid;
  readonly tagger?: {
    readonly name?: string;
    readonly email?: string;
    readonly timestamp?: Time;
  };
  readonly message?: string;
};

/** Schema `NewIssue` of the contract. */
export type NewIssue = {
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly embeds: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
};

/** Schema `IssueAction` of the contract. */
export type IssueAction = {
  readonly type: "assign";
  readonly assignees: readonly string[];
} | {
  readonly type: "edit";
  readonly title: string;
} | {
  readonly type: "lifecycle";
  readonly state: {
    readonly status: "closed";
    readonly reason?: "other" | "solved";
  } | {
    readonly status: "open";
  };
} | {
  readonly type: "label";
  readonly labels: readonly string[];
} | {
  readonly type: "comment";
  readonly body: string;
  readonly replyTo?: string | null;
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "comment.edit";
  readonly id: string;
  readonly body: string;
  readonly embeds: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "comment.redact";
  readonly id: string;
} | {
  readonly type: "comment.react";
  readonly id: string;
  readonly reaction: string;
  readonly active: boolean;
};

/** Schema `NewPatch` of the contract. */
export type NewPatch = {
  readonly title: string;
  readonly description: string;
  readonly target: string;
  readonly oid: string;
  readonly labels: readonly string[];
};

/** Schema `KeyProof` of the contract. */
export type KeyProof = {
  readonly sig: string;
  readonly pk: string;
};

/** Schema `WalletProof` of the contract. */
export type WalletProof = {
  readonly message: string;
  readonly signature: string;
};

/** Schema `PatchAction` of the contract. */
export type PatchAction = {
  readonly type: "edit";
  readonly title: string;
  readonly target: "delegates" | {
    readonly branch: string;
  };
} | {
  readonly type: "label";
  readonly labels: readonly string[];
} | {
  readonly type: "lifecycle";
  readonly state: {
    readonly status: "open";
  } | {
    readonly status: "draft";
  } | {
    readonly status: "archived";
  };
} | {
  readonly type: "assign";
  readonly assignees: readonly string[];
} | {
  readonly type: "merge";
  readonly revision: string;
  readonly commit: string;
} | {
  readonly type: "revision";
  readonly description: string;
  readonly base: string;
  readonly oid: string;
  readonly resolves?: readonly (readonly [string, string])[];
} | {
  readonly type: "revision.redact";
  readonly revision: string;
} | {
  readonly type: "revision.edit";
  readonly revision: string;
  readonly description: string;
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "revision.react";
  readonly revision: string;
  readonly location?: {
    readonly commit?: string;
    readonly path: string;
    readonly old?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
    readonly new?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
  } | null;
  readonly reaction: string;
  readonly active: boolean;
} | {
  readonly type: "revision.comment";
  readonly revision: string;
  readonly location?: {
    readonly commit?: string;
    readonly path: string;
    readonly old?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
    readonly new?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
  } | null;
  readonly body: string;
  readonly replyTo?: string | null;
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "revision.comment.edit";
  readonly revision: string;
  readonly comment: string;
  readonly body: string;
  readonly embeds: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "revision.comment.react";
  readonly revision: string;
  readonly comment: string;
  readonly reaction: string;
  readonly active: boolean;
} | {
  readonly type: "revision.comment.redact";
  readonly revision: string;
  readonly comment: string;
} | {
  readonly type: "review";
  readonly revision: string;
  readonly summary?: string | null;
  readonly verdict?: "accept" | "reject" | null;
  readonly labels?: readonly string[];
} | {
  readonly type: "review.redact";
  readonly review: string;
} | {
  readonly type: "review.comment";
  readonly review: string;
  readonly body: string;
  readonly location?: {
    readonly commit?: string;
    readonly path: string;
    readonly old?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
    readonly new?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
  } | null;
  readonly reply_to?: string | null;
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
  readonly replyTo?: string | null;
} | {
  readonly type: "review.comment.edit";
  readonly review: string;
  readonly comment: string;
  readonly body: string;
  readonly embeds: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "review.comment.react";
  readonly review: string;
  readonly comment: string;
  readonly reaction: string;
  readonly active: boolean;
} | {
  readonly type: "review.comment.redact";
  readonly review: string;
  readonly comment: string;
} | {
  readonly type: "review.comment.resolve";
  readonly review: string;
  readonly comment: string;
} | {
  readonly type: "review.comment.unresolve";
  readonly review: string;
  readonly comment: string;
} | {
  readonly type: "review.edit";
  readonly review: string;
  readonly summary?: string | null;
  readonly verdict?: "accept" | "reject" | null;
  readonly labels?: readonly string[];
};

/** Schema `RepoPatchAction` of the contract. */
export type RepoPatchAction = {
  readonly type: "edit";
  readonly title: string;
  readonly target: "delegates" | {
    readonly branch: string;
  };
} | {
  readonly type: "label";
  readonly labels: readonly string[];
} | {
  readonly type: "lifecycle";
  readonly state: {
    readonly status: "open";
  } | {
    readonly status: "draft";
  } | {
    readonly status: "archived";
  };
} | {
  readonly type: "assign";
  readonly assignees: readonly string[];
} | {
  readonly type: "merge";
  readonly revision: string;
  readonly commit: string;
} | {
  readonly type: "revision";
  readonly description: string;
  readonly base: string;
  readonly oid: string;
  readonly resolves?: readonly (readonly [string, string])[];
} | {
  readonly type: "revision.redact";
  readonly revision: string;
} | {
  readonly type: "revision.edit";
  readonly revision: string;
  readonly description: string;
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "revision.react";
  readonly revision: string;
  readonly location?: {
    readonly commit?: string;
    readonly path: string;
    readonly old?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
    readonly new?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
  } | null;
  readonly reaction: string;
  readonly active: boolean;
} | {
  readonly type: "revision.comment";
  readonly revision: string;
  readonly location?: {
    readonly commit?: string;
    readonly path: string;
    readonly old?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
    readonly new?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
  } | null;
  readonly body: string;
  readonly replyTo?: string | null;
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "revision.comment.edit";
  readonly revision: string;
  readonly comment: string;
  readonly body: string;
  readonly embeds: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "revision.comment.react";
  readonly revision: string;
  readonly comment: string;
  readonly reaction: string;
  readonly active: boolean;
} | {
  readonly type: "revision.comment.redact";
  readonly revision: string;
  readonly comment: string;
} | {
  readonly type: "review";
  readonly revision: string;
  readonly summary?: string | null;
  readonly verdict?: "accept" | "reject" | null;
  readonly labels?: readonly string[];
} | {
  readonly type: "review.redact";
  readonly review: string;
} | {
  readonly type: "review.comment";
  readonly review: string;
  readonly body: string;
  readonly location?: {
    readonly commit?: string;
    readonly path: string;
    readonly old?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
    readonly new?: {
      readonly type: "lines";
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | {
      readonly type: "chars";
      readonly line: number;
      readonly range: {
        readonly start: number;
        readonly end: number;
      };
    } | null;
  } | null;
  readonly reply_to?: string | null;
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
  readonly replyTo?: string | null;
} | {
  readonly type: "review.comment.edit";
  readonly review: string;
  readonly comment: string;
  readonly body: string;
  readonly embeds: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "review.comment.react";
  readonly review: string;
  readonly comment: string;
  readonly reaction: string;
  readonly active: boolean;
} | {
  readonly type: "review.comment.redact";
  readonly review: string;
  readonly comment: string;
} | {
  readonly type: "review.comment.resolve";
  readonly review: string;
  readonly comment: string;
} | {
  readonly type: "review.comment.unresolve";
  readonly review: string;
  readonly comment: string;
} | {
  readonly type: "review.edit";
  readonly review: string;
  readonly summary?: string | null;
  readonly verdict?: "accept" | "reject" | null;
  readonly labels?: readonly string[];
} | {
  readonly type: "review.edit.v2";
  readonly review: string;
  readonly summary?: string;
  readonly verdict?: "accept" | "reject" | null;
  readonly labels?: readonly string[];
  readonly embeds?: readonly ({
    readonly name: string;
    readonly content: string;
  })[];
} | {
  readonly type: "review.react";
  readonly review: string;
  readonly reaction: string;
  readonly active: boolean;
};

/** Codes of errors. */
export type ErrorCode =
  /** A header field or the body cannot be read, or a signature is wrong. */
  | "badRequest"
  /** The path or the query cannot be read. */
  | "badParameter"
  /** No session, no key, a wrong sign-in, or a request for the configuration that is not from the owner. */
  | "unauthorized"
  /** The session or the node may not do that, or the storage is read-only. */
  | "forbidden"
  /** No such repository, object, path or session; damaged data; private data, except for the owner. */
  | "notFound"
  /** The path does not support the method; `Allow` lists the methods of the path. */
  | "methodNotAllowed"
  /** The change does not fit the present state. */
  | "conflict"
  /** Too large, in the request or in the repository. */
  | "payloadTooLarge"
  /** The body is not declared as JSON. */
  | "unsupportedMediaType"
  /** The file has none of the bytes of `Range`; `Content-Range` has its size. */
  | "rangeNotSatisfiable"
  /** The body is JSON, but does not fit the request. */
  | "unprocessable"
  /** The client has used up its share of expensive requests. `Retry-After` has the seconds to wait. */
  | "overShare"
  /** A fault of the service. */
  | "fault"
  /** This host does not support the request. */
  | "unsupported"
  /** Not possible now. `Retry-After` has the seconds until a retry, if they are known. */
  | "unavailable";

/** The code of a status; of 400 it may also be `badParameter`. */
export const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  "400": "badRequest",
  "401": "unauthorized",
  "403": "forbidden",
  "404": "notFound",
  "405": "methodNotAllowed",
  "409": "conflict",
  "413": "payloadTooLarge",
  "415": "unsupportedMediaType",
  "416": "rangeNotSatisfiable",
  "422": "unprocessable",
  "429": "overShare",
  "500": "fault",
  "501": "unsupported",
  "503": "unavailable",
};

/** All routes: parameters of path and query, body, and answer. */
export interface Routes {
  /** Versions of the interface. (4.9) */
  readonly "GET /api": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: Root;
  };
  /** The service, its version, and links. (`/repos` dialect) */
  readonly "GET /api/v1": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: ApiRoot;
  };
  /** Root of the service. (4.9) */
  readonly "GET /": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: Service;
  };
  /** Same as `/api`, for people who type the address. (4.9) */
  readonly "GET /api/": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: Root;
  };
  /** Same as `/api/v1`, with a slash at the end. (`/repos` dialect) */
  readonly "GET /api/v1/": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: ApiRoot;
  };
  /** The local node, and what the service can do. (`/repos` dialect) */
  readonly "GET /api/v1/info": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: Info;
  };
  /** The local node. (`/repos` dialect) */
  readonly "GET /api/v1/node": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: NodeOfBoth;
  };
  /** A node. (`/repos` dialect) */
  readonly "GET /api/v1/nodes/:nid": {
    readonly params: {
      /** Node id. */
      readonly nid: string;
    };
    readonly body: undefined;
    readonly answer: OtherNode;
  };
  /** Repositories that a node offers. (4.5.4) */
  readonly "GET /api/v1/nodes/:nid/inventory": {
    readonly params: {
      /** Node id. */
      readonly nid: string;
    };
    readonly body: undefined;
    readonly answer: readonly RepoId[];
  };
  /** Numbers of repositories. (`/repos` dialect) */
  readonly "GET /api/v1/stats": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: StatsOfBoth;
  };
  /** Seeding policies, the oldest first. (4.5.6) */
  readonly "GET /api/v1/node/policies/repos": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: readonly Policy[];
  };
  /** Seeding policy of a repository. (`/repos` dialect) */
  readonly "GET /api/v1/node/policies/repos/:rid": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
    };
    readonly body: undefined;
    readonly answer: RepoPolicy;
  };
  /** Repositories of a delegate. (`/repos` dialect) */
  readonly "GET /api/v1/delegates/:did/repos": {
    readonly params: {
      /** DID of a node. */
      readonly did: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** All repositories, or the repositories that the configuration of the node pins. */
      readonly show?: "all" | "pinned" | undefined;
      /** Order: by id, by the time of the last commit, or by the number of seeds. */
      readonly sort?: "rid" | "activity" | "seeding" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly Repo[];
  };
  /** Repositories that are seeded. (`/repos` dialect) */
  readonly "GET /api/v1/repos": {
    readonly params: {
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** All repositories, or the repositories that the configuration of the node pins. */
      readonly show?: "all" | "pinned" | undefined;
      /** Order: by id, by the time of the last commit, or by the number of seeds. */
      readonly sort?: "rid" | "activity" | "seeding" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly Repo[];
  };
  /** Repositories whose names contain a text. (`/repos` dialect) */
  readonly "GET /api/v1/repos/search": {
    readonly params: {
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** Part of the name. Characters after the first 256 are ignored. */
      readonly q?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly FoundRepo[];
  };
  /** One repository. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
    };
    readonly body: undefined;
    readonly answer: Repo;
  };
  /** Commits in the order of history. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/commits": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** First commit: object id or name. By default the head of the project. */
      readonly parent?: string | undefined;
      /** Only commits of that time or later, in seconds since the Unix epoch. */
      readonly since?: number | undefined;
      /** Only commits before that time, in seconds since the Unix epoch. */
      readonly until?: number | undefined;
      /** Only commits that changed this file or something in this folder. */
      readonly path?: string | undefined;
      /** Whether the history of a file continues under its earlier names. */
      readonly follow?: "true" | "false" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly Commit[];
  };
  /** One commit, with its diff. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/commits/:sha": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: RepoCommit;
  };
  /** Diff between two commits. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/diff/:base/:oid": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit to compare with: object id or name. */
      readonly base: string;
      /** Second commit of the comparison: object id or name. */
      readonly oid: string;
    };
    readonly body: undefined;
    readonly answer: RepoComparison;
  };
  /** Times of the commits of the last 52 weeks. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/activity": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
    };
    readonly body: undefined;
    readonly answer: Activity;
  };
  /** Root folder of a commit. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/tree/:sha/": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: RepoTree;
  };
  /** Folder of a commit. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/tree/:sha/*path": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
      /** Path in the repository; slashes are not encoded. */
      readonly path: string;
    };
    readonly body: undefined;
    readonly answer: RepoTree;
  };
  /** File of a commit. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/blob/:sha/*path": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
      /** Path in the repository; slashes are not encoded. */
      readonly path: string;
    };
    readonly body: undefined;
    readonly answer: Blob;
  };
  /** Readme in the root of a commit. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/readme/:sha": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: Blob;
  };
  /** Nodes with signed references. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/remotes": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
    };
    readonly body: undefined;
    readonly answer: readonly RepoRemote[];
  };
  /** Signed references of one node. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/remotes/:peer": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Node id. */
      readonly peer: string;
    };
    readonly body: undefined;
    readonly answer: RepoRemote;
  };
  /** Issues, newest first. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/issues": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** Part of the title; case is ignored. */
      readonly q?: string | undefined;
      /** Only objects with this label. */
      readonly label?: string | undefined;
      /** Only objects that are assigned to this node: node id or DID. */
      readonly assignee?: string | undefined;
      /** Only objects that this node has opened: node id or DID. */
      readonly author?: string | undefined;
      /** Only objects in this state. */
      readonly status?: "open" | "closed" | "all" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly RepoIssue[];
  };
  /** Opens an issue. (`/repos` dialect) */
  readonly "POST /api/v1/repos/:rid/issues": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
    };
    readonly body: NewIssue;
    readonly answer: Changed;
  };
  /** One issue. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/issues/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Object id of an issue. */
      readonly id: string;
    };
    readonly body: undefined;
    readonly answer: RepoIssue;
  };
  /** Changes an issue. (`/repos` dialect) */
  readonly "PATCH /api/v1/repos/:rid/issues/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Object id of an issue. */
      readonly id: string;
    };
    readonly body: IssueAction;
    readonly answer: Changed;
  };
  /** Patches, newest first. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/patches": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** Part of the title; case is ignored. */
      readonly q?: string | undefined;
      /** Only objects with this label. */
      readonly label?: string | undefined;
      /** Only objects that are assigned to this node: node id or DID. */
      readonly assignee?: string | undefined;
      /** Only objects that this node has opened: node id or DID. */
      readonly author?: string | undefined;
      /** Only objects in this state. */
      readonly status?: "open" | "draft" | "archived" | "merged" | "all" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly RepoPatch[];
  };
  /** Opens a patch. (`/repos` dialect) */
  readonly "POST /api/v1/repos/:rid/patches": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
    };
    readonly body: NewPatch;
    readonly answer: Changed;
  };
  /** One patch. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/patches/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Object id of a patch. */
      readonly id: string;
    };
    readonly body: undefined;
    readonly answer: RepoPatch;
  };
  /** Changes a patch. (`/repos` dialect) */
  readonly "PATCH /api/v1/repos/:rid/patches/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Object id of a patch. */
      readonly id: string;
    };
    readonly body: RepoPatchAction;
    readonly answer: Changed;
  };
  /** Numbers of a diff: changed files and lines. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/diff/:base/:oid/stats": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit to compare with: object id or name. */
      readonly base: string;
      /** Second commit of the comparison: object id or name. */
      readonly oid: string;
    };
    readonly body: undefined;
    readonly answer: DiffStats;
  };
  /** Size of a history. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/stats/tree/:sha": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: RepoTreeStats;
  };
  /** Number of commits of a history. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/stats/commits/:sha": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: CommitCount;
  };
  /** Jobs of a commit. (`/repos` dialect) */
  readonly "GET /api/v1/repos/:rid/jobs/:sha": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: readonly Job[];
  };
  /** A blob by its object id, byte for byte. (4.10) */
  readonly "GET /raw/:rid/blobs/:oid": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Object id of a blob. */
      readonly oid: string;
      /** Media type of the answer; not one with header fields in its body, such as `multipart/mixed`. */
      readonly mime?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: Uint8Array | Uint8Array;
  };
  /** A file of the commit that `HEAD` points to, byte for byte. (4.10) */
  readonly "GET /raw/:rid/head/*path": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Path in the repository; slashes are not encoded. */
      readonly path: string;
    };
    readonly body: undefined;
    readonly answer: Uint8Array | Uint8Array;
  };
  /** A file of a commit, byte for byte. (4.10) */
  readonly "GET /raw/:rid/:sha/*path": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Commit: object id or name. */
      readonly sha: string;
      /** Path in the repository; slashes are not encoded. */
      readonly path: string;
    };
    readonly body: undefined;
    readonly answer: Uint8Array | Uint8Array;
  };
  /** This document: all routes, as OpenAPI 3.1. (4.11) */
  readonly "GET /api/v1/openapi.json": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: OpenApi;
  };
  /** Projects that the client may see, in the order of their ids. (4.2.1) */
  readonly "GET /api/v1/projects": {
    readonly params: {
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** All repositories, or the repositories that the configuration of the node pins. */
      readonly show?: "all" | "pinned" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly Project[];
  };
  /** One project. (4.2.1) */
  readonly "GET /api/v1/projects/:project": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
    };
    readonly body: undefined;
    readonly answer: Project;
  };
  /** Commits in the order of history, optionally with their diffs. (4.2.2) */
  readonly "GET /api/v1/projects/:project/commits": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** First commit: object id or name. By default the head of the project. */
      readonly parent?: string | undefined;
      /** Only commits of that time or later, in seconds since the Unix epoch. */
      readonly since?: number | undefined;
      /** Only commits before that time, in seconds since the Unix epoch. */
      readonly until?: number | undefined;
      /** Only commits that changed this file or something in this folder. */
      readonly path?: string | undefined;
      /** Whether the history of a file continues under its earlier names. */
      readonly follow?: "true" | "false" | undefined;
      /** Whether items include their diff, only its statistics, or neither. */
      readonly diff?: "none" | "stats" | "full" | undefined;
    };
    readonly body: undefined;
    readonly answer: History;
  };
  /** One commit, with its diff and the files that it changes. (4.2.3) */
  readonly "GET /api/v1/projects/:project/commits/:sha": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: CommitDetail;
  };
  /** Diff between two commits. (4.2.4) */
  readonly "GET /api/v1/projects/:project/diff/:base/:oid": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Commit to compare with: object id or name. */
      readonly base: string;
      /** Second commit of the comparison: object id or name. */
      readonly oid: string;
    };
    readonly body: undefined;
    readonly answer: Comparison;
  };
  /** Times of the commits of the last 52 weeks. (4.2.5) */
  readonly "GET /api/v1/projects/:project/activity": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
    };
    readonly body: undefined;
    readonly answer: Activity;
  };
  /** Root folder of a commit. (4.2.6) */
  readonly "GET /api/v1/projects/:project/tree/:sha/": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Commit: object id or name. */
      readonly sha: string;
      /** Whether entries include their object ids. */
      readonly oids?: "true" | "false" | undefined;
    };
    readonly body: undefined;
    readonly answer: Tree;
  };
  /** Folder of a commit. (4.2.6) */
  readonly "GET /api/v1/projects/:project/tree/:sha/*path": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Commit: object id or name. */
      readonly sha: string;
      /** Path in the repository; slashes are not encoded. */
      readonly path: string;
      /** Whether entries include their object ids. */
      readonly oids?: "true" | "false" | undefined;
    };
    readonly body: undefined;
    readonly answer: Tree;
  };
  /** File of a commit. (4.2.6) */
  readonly "GET /api/v1/projects/:project/blob/:sha/*path": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Commit: object id or name. */
      readonly sha: string;
      /** Path in the repository; slashes are not encoded. */
      readonly path: string;
    };
    readonly body: undefined;
    readonly answer: Blob;
  };
  /** Readme in the root of a commit. (4.2.8) */
  readonly "GET /api/v1/projects/:project/readme/:sha": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Commit: object id or name. */
      readonly sha: string;
    };
    readonly body: undefined;
    readonly answer: Blob;
  };
  /** Nodes with signed references in a repository, in the order of their ids. (4.2.7) */
  readonly "GET /api/v1/projects/:project/remotes": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
    };
    readonly body: undefined;
    readonly answer: readonly Remote[];
  };
  /** Signed references of one node. (4.2.7) */
  readonly "GET /api/v1/projects/:project/remotes/:peer": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Node id. */
      readonly peer: string;
    };
    readonly body: undefined;
    readonly answer: Remote;
  };
  /** Issues, the newest first. (4.3.1) */
  readonly "GET /api/v1/projects/:project/issues": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** Part of the title; case is ignored. */
      readonly q?: string | undefined;
      /** Only objects with this label. */
      readonly label?: string | undefined;
      /** Only objects that are assigned to this node: node id or DID. */
      readonly assignee?: string | undefined;
      /** Only objects that this node has opened: node id or DID. */
      readonly author?: string | undefined;
      /** Only objects in this state. */
      readonly state?: "open" | "closed" | "all" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly Issue[];
  };
  /** Opens an issue. (4.3.3) */
  readonly "POST /api/v1/projects/:project/issues": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
    };
    readonly body: NewIssue;
    readonly answer: Changed;
  };
  /** One issue. (4.3.2) */
  readonly "GET /api/v1/projects/:project/issues/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Object id of an issue. */
      readonly id: string;
    };
    readonly body: undefined;
    readonly answer: Issue;
  };
  /** Changes an issue. (4.3.4) */
  readonly "PATCH /api/v1/projects/:project/issues/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Object id of an issue. */
      readonly id: string;
    };
    readonly body: IssueAction;
    readonly answer: Changed;
  };
  /** Patches, the newest first. (4.4.1) */
  readonly "GET /api/v1/projects/:project/patches": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** Part of the title; case is ignored. */
      readonly q?: string | undefined;
      /** Only objects with this label. */
      readonly label?: string | undefined;
      /** Only objects that are assigned to this node: node id or DID. */
      readonly assignee?: string | undefined;
      /** Only objects that this node has opened: node id or DID. */
      readonly author?: string | undefined;
      /** Only objects in this state. */
      readonly state?: "open" | "draft" | "archived" | "merged" | "all" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly Patch[];
  };
  /** Opens a patch. (4.4.3) */
  readonly "POST /api/v1/projects/:project/patches": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
    };
    readonly body: NewPatch;
    readonly answer: Changed;
  };
  /** One patch. (4.4.2) */
  readonly "GET /api/v1/projects/:project/patches/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Object id of a patch. */
      readonly id: string;
    };
    readonly body: undefined;
    readonly answer: Patch;
  };
  /** Changes a patch. (4.4.4) */
  readonly "PATCH /api/v1/projects/:project/patches/:id": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Object id of a patch. */
      readonly id: string;
    };
    readonly body: PatchAction;
    readonly answer: Changed;
  };
  /** Seeds a repository. (4.5.1) */
  readonly "PUT /api/v1/node/policies/repos/:rid": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** References to seed: from delegates and followed nodes, or from every node. */
      readonly scope?: "followed" | "all" | undefined;
      /** Node id of the node to fetch from. */
      readonly from?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: Seeded;
  };
  /** Removes the policy of a repository. (4.5.2) */
  readonly "DELETE /api/v1/node/policies/repos/:rid": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
    };
    readonly body: undefined;
    readonly answer: Done;
  };
  /** Projects that have a node as delegate, in the order of their ids. (4.6) */
  readonly "GET /api/v1/delegates/:delegate/projects": {
    readonly params: {
      /** DID of a node. */
      readonly delegate: string;
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page. */
      readonly perPage?: number | undefined;
      /** All repositories, or the repositories that the configuration of the node pins. */
      readonly show?: "all" | "pinned" | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly Project[];
  };
  /** Configuration of the node. Only for its owner. (4.7) */
  readonly "GET /api/v1/profile": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: Profile;
  };
  /** Opens a session, which waits for a signature. (4.8.1) */
  readonly "POST /api/v1/sessions": {
    readonly params: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly answer: Session | NewWalletSession;
  };
  /** One session. (4.8.1) */
  readonly "GET /api/v1/sessions/:id": {
    readonly params: {
      /** Id of a session. */
      readonly id: string;
    };
    readonly body: undefined;
    readonly answer: Session | WaitingSession | WalletSession;
  };
  /** Signs in. (4.8.1) */
  readonly "PUT /api/v1/sessions/:id": {
    readonly params: {
      /** Id of a session. */
      readonly id: string;
    };
    readonly body: KeyProof | WalletProof;
    readonly answer: Done | WalletSession;
  };
  /** Signs out. (4.8.1) */
  readonly "DELETE /api/v1/sessions/:id": {
    readonly params: {
      /** Id of a session. */
      readonly id: string;
    };
    readonly body: undefined;
    readonly answer: Done;
  };
  /** Changes of all repositories and of the node, as they happen. (4.16) */
  readonly "GET /api/v1/events": {
    readonly params: {
      /** Types of changes, separated by commas. By default all. `reset` is always sent. */
      readonly types?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Changes of a repository, as they happen. (4.16) */
  readonly "GET /api/v1/projects/:project/events": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly project: string;
      /** Types of changes, separated by commas. By default all. `reset` is always sent. */
      readonly types?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Changes of a repository, as they happen. (4.16) */
  readonly "GET /api/v1/repos/:rid/events": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Types of changes, separated by commas. By default all. `reset` is always sent. */
      readonly types?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Repositories, issues and patches in which all words occur, the best first. (4.15) */
  readonly "GET /api/v1/search": {
    readonly params: {
      /** Number of the page; the first one is 0. */
      readonly page?: number | undefined;
      /** Items on a page, at most 100. */
      readonly perPage?: number | undefined;
      /** Words that must all occur; the last one may be the beginning of a word. At most 256 characters. */
      readonly q?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: readonly ({
      readonly type: "repository" | "issue" | "patch";
      readonly rid: RepoId;
      /** Name of the repository. */
      readonly name: string;
      /** Id of the issue or the patch. */
      readonly id?: string;
      /** Title of the issue or the patch, or the name of the repository. */
      readonly title: string;
      /** State of the issue or the patch. */
      readonly status?: string;
      /** Part of a description or comment around a found word, as one line of plain text. */
      readonly excerpt: string;
    })[];
  };
  /** Archive of a commit. (4.13) */
  readonly "GET /raw/:rid/archive/*ref": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Name of a commit, followed by `.tar.gz` (default), `.tar` or `.zip`. */
      readonly ref: string;
      /** Whether the archive puts all files into one folder. */
      readonly prefix?: "true" | "false" | undefined;
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Archive of a commit or a tree. (4.13) */
  readonly "GET /raw/:rid/:archive": {
    readonly params: {
      /** Repository id, with or without `rad:`. */
      readonly rid: string;
      /** Object id or name, followed by `.tar.gz`, `.tar` or `.zip`. */
      readonly archive: string;
      /** Whether the archive puts all files into one folder. */
      readonly prefix?: "true" | "false" | undefined;
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
}
