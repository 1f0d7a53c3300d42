/** Schemas and routes of commits and their diffs (2.3, 2.5, 4.2.2 to 4.2.5). */
import * as v from "valibot";
import { Diff, DiffBlobs, DiffStats } from "./diff.ts";
import { type Endpoint, read } from "./endpoint.ts";
import { OF_DIFFS } from "./errors.ts";
import { ProjectCommitsQuery } from "./queries.ts";
import { Count, list, Mark, Oid, Time } from "./values.ts";

export const Person = v.object({ name: v.string(), email: v.string() });

export const Commit = v.object({
  id: Oid,
  author: Person,
  summary: v.pipe(v.string(), v.description("First paragraph of the message, as one line.")),
  description: v.pipe(v.string(), v.description("The rest of the message.")),
  parents: list(Oid),
  committer: v.object({ ...Person.entries, time: Time }),
});

export const Stats = v.object({ commits: Count, branches: Count, contributors: Count });

const Branches = v.pipe(
  list(v.string()),
  v.description("Full names of all branches that contain the commit."),
);

export const History = v.object({
  commits: list(v.object({
    commit: Commit,
    diff: v.exactOptional(v.pipe(
      v.nullable(Diff),
      v.description(
        "Diff against the first parent. Null if it is too large or not possible now. Only with `diff=full`.",
      ),
    )),
    stats: v.exactOptional(v.pipe(
      v.nullable(DiffStats),
      v.description(
        "Statistics of the diff against the first parent. Null if the diff would be. Only with `diff=stats`.",
      ),
    )),
    truncated: Mark,
    branches: Branches,
  })),
  stats: Stats,
});

/** A commit with its changes. */
export const CommitDetail = v.object({ commit: Commit, diff: Diff, files: DiffBlobs, branches: Branches });

export const Comparison = v.object({
  diff: Diff,
  files: DiffBlobs,
  commits: v.pipe(
    list(Commit),
    v.description("Commits from the second one back to the first one, which is left out."),
  ),
});

/** The times of recent commits. */
export const Activity = v.object({ activity: list(Time) });

export type Commit = v.InferOutput<typeof Commit>;
export type History = v.InferOutput<typeof History>;
export type CommitDetail = v.InferOutput<typeof CommitDetail>;
export type Comparison = v.InferOutput<typeof Comparison>;
export type Activity = v.InferOutput<typeof Activity>;

export const commitEndpoints = [
  read(
    "4.2.2",
    "/projects/:project/commits",
    "listCommits",
    "Commits in the order of history, optionally with their diffs.",
    History,
    { query: ProjectCommitsQuery, errors: OF_DIFFS, caching: "revalidated" },
  ),
  read(
    "4.2.3",
    "/projects/:project/commits/:sha",
    "showCommit",
    "One commit, with its diff and the files that it changes.",
    CommitDetail,
    { errors: OF_DIFFS, caching: "revalidated" },
  ),
  read(
    "4.2.4",
    "/projects/:project/diff/:base/:oid",
    "compareCommits",
    "Diff between two commits.",
    Comparison,
    {
      parameters: { oid: ["Second commit of the comparison: object id or name.", "CommitText"] },
      errors: OF_DIFFS,
      caching: "immutable",
    },
  ),
  read(
    "4.2.5",
    "/projects/:project/activity",
    "showActivity",
    "Times of the commits of the last 52 weeks.",
    Activity,
    { caching: "hour" },
  ),
] as const satisfies readonly Endpoint[];
