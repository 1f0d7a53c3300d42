/** History: commits, diffs, activity (4.2.2 to 4.2.5). */
import * as v from "valibot";
import {
  type Call,
  type OpenRepository,
  requireCommit,
  requireHead,
  requireProject,
  type Route,
} from "../call.ts";
import { ApiError } from "../errors.ts";
import type { Diff, TreeDiff } from "../diff/diff.ts";
import { type Branches, historyStats, loadBranches } from "../git/branches.ts";
import { readCommit } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { pagingEntries } from "../http/paging.ts";
import { readQuery, SignedInteger } from "../http/query.ts";
import { json, jsonPieces } from "../http/respond.ts";
import { type Oid, parseOid } from "../ids/oid.ts";
import { type DiffFileView, toDiffFileView } from "../views/blob.ts";
import { type CommitView, toCommitView } from "../views/commit.ts";

/** Routes of history. */
export const commitRoutes: readonly Route[] = [
  ["GET", "/api/v1/projects/:project/commits", listCommits],
  ["GET", "/api/v1/projects/:project/commits/:sha", showCommit],
  ["GET", "/api/v1/projects/:project/diff/:base/:oid", showDiff],
  ["GET", "/api/v1/projects/:project/activity", showActivity],
];

const DEFAULT_PER_PAGE = 30;
/** 52 weeks. */
const ACTIVITY_WINDOW_SECONDS = 31_449_600;
const ACTIVITY_CACHING = { "cache-control": "public, max-age=3600, must-revalidate" };

const CommitsQuery = v.object({
  ...pagingEntries,
  parent: v.optional(v.string()),
  since: v.optional(SignedInteger),
  until: v.optional(SignedInteger),
});

async function listCommits(call: Call): Promise<Response> {
  const rid = call.rid("project");
  const query = readQuery(call.url, CommitsQuery);
  const parent = query.parent === undefined ? undefined : parseOid(query.parent);
  const repository = await call.repository(rid);
  const tip = await requireCommit(repository, parent ?? await headOfProject(repository));
  const { objects, index } = repository;
  const branches = await loadBranches(objects, index);
  const stats = await historyStats(objects, index, tip);
  return await jsonPieces(pieces());

  async function* pieces(): AsyncGenerator<string> {
    yield `{"commits":[`;
    let separator = "";
    for (const row of selectRows(repository, tip, query)) {
      const { commit, diff, branches: names } = await describeCommit(call, repository, row, branches);
      yield separator + JSON.stringify({ commit, diff: diff.diff, branches: names });
      separator = ",";
    }
    yield `],"stats":${JSON.stringify(stats)}}`;
  }
}

async function showCommit(call: Call): Promise<Response> {
  const [rid, oid] = [call.rid("project"), call.oid("sha")];
  const repository = await call.repository(rid);
  const row = await requireCommit(repository, oid);
  const branches = await loadBranches(repository.objects, repository.index);
  const { commit, diff, branches: names } = await describeCommit(call, repository, row, branches);
  return json({ commit, diff: diff.diff, files: await readFiles(repository, diff), branches: names });
}

async function showDiff(call: Call): Promise<Response> {
  const [rid, base, oid] = [call.rid("project"), call.oid("base"), call.oid("oid")];
  const repository = await call.repository(rid);
  const { index, objects } = repository;
  const from = await requireCommit(repository, base);
  const to = await requireCommit(repository, oid);
  const diff = await call.service.diffs.diff(objects, index.treeOf(from), index.treeOf(to));
  const commits: CommitView[] = [];
  for (const row of index.walk(to)) {
    if (row === from) break;
    commits.push(toCommitView(index.oidOf(row), await readCommit(objects, index.oidOf(row))));
  }
  return json({ diff: diff.diff, files: await readFiles(repository, diff), commits });
}

async function showActivity(call: Call): Promise<Response> {
  const repository = await call.repository(call.rid("project"));
  const head = await resolveRef(repository.objects, "HEAD");
  const tip = await requireCommit(repository, head?.oid ?? await requireHead(repository));
  const since = Math.floor(call.service.environment.now() / 1000) - ACTIVITY_WINDOW_SECONDS;
  const { index } = repository;
  const activity: number[] = [];
  for (const row of index.walk(tip)) if (index.timeOf(row) > since) activity.push(index.timeOf(row));
  return json({ activity }, { headers: ACTIVITY_CACHING });
}

/** The head, for which the project has to be readable, as in the real service. */
async function headOfProject(repository: OpenRepository): Promise<Oid> {
  requireProject(repository);
  return await requireHead(repository);
}

/** The rows of a page of history: all that match on the first page when only a bound of time is given. */
function* selectRows(
  { index }: OpenRepository,
  tip: number,
  { page, perPage, since = -Infinity, until = Infinity }: v.InferOutput<typeof CommitsQuery>,
): Generator<number> {
  const isBounded = since !== -Infinity || until !== Infinity;
  const limit = perPage ?? (isBounded ? Infinity : DEFAULT_PER_PAGE);
  let skip = page === 0 ? 0 : page * limit;
  let left = limit;
  for (const row of index.walk(tip)) {
    if (left === 0 || skip === Infinity) return;
    const time = index.timeOf(row);
    if (time < since || time >= until) continue;
    if (skip > 0) {
      skip--;
    } else {
      left--;
      yield row;
    }
  }
}

async function describeCommit(
  call: Call,
  { index, objects }: OpenRepository,
  row: number,
  branches: Branches,
): Promise<{ commit: CommitView; diff: TreeDiff; branches: string[] }> {
  const oid = index.oidOf(row);
  const commit = await readCommit(objects, oid);
  const [parent] = index.parentsOf(row);
  if (parent !== undefined && !index.isReadable(parent)) {
    throw new ApiError("notFound", `Commit ${index.oidOf(parent)} was not found`);
  }
  const before = parent === undefined ? undefined : index.treeOf(parent);
  const diff = await call.service.diffs.diff(objects, before, commit.tree);
  return { commit: toCommitView(oid, commit), diff, branches: branches.containing(row) };
}

/** The files that a diff touches, by blob id. */
async function readFiles(
  { objects }: OpenRepository,
  { touched }: TreeDiff,
): Promise<Record<Oid, DiffFileView>> {
  const blobs = await objects.objects(touched);
  const files: Record<Oid, DiffFileView> = {};
  touched.forEach((oid, i) => {
    const blob = blobs[i];
    if (blob?.kind === "blob") files[oid] = toDiffFileView(oid, blob.bytes);
  });
  return files;
}
