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
import { DamagedError } from "../errors.ts";
import type { TreeDiff } from "../diff/diff.ts";
import { historyStats, loadBranches } from "../git/branches.ts";
import { readCommit } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { pagingEntries } from "../http/paging.ts";
import { readQuery, SignedInteger } from "../http/query.ts";
import { json, jsonPieces } from "../http/respond.ts";
import { type Oid, parseOid } from "../ids/oid.ts";
import { MAX_SHOWN_BYTES, toDiffFileView } from "../views/blob.ts";
import { type CommitView, toCommitView } from "../views/commit.ts";
import { diffPieces } from "../views/diff.ts";

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
  return await jsonPieces(pieces(), call.service.environment.log);

  async function* pieces(): AsyncGenerator<string> {
    yield `{"commits":[`;
    let separator = "";
    for (const row of selectRows(repository, tip, query)) {
      yield `${separator}{"commit":${JSON.stringify(await viewCommit(repository, row))},"diff":`;
      const diff = await diffOfCommit(call, repository, row).catch((error) => withoutDiff(call, error));
      if (diff === null) yield "null";
      else yield* diffPieces(diff.diff);
      yield `,"branches":${JSON.stringify(branches.containing(row))}}`;
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
  const commit = await viewCommit(repository, row);
  const diff = await diffOfCommit(call, repository, row);
  return await jsonPieces(pieces(), call.service.environment.log);

  async function* pieces(): AsyncGenerator<string> {
    yield `{"commit":${JSON.stringify(commit)},"diff":`;
    yield* diffPieces(diff.diff);
    yield `,"files":`;
    yield* filePieces(repository, diff.touched);
    yield `,"branches":${JSON.stringify(branches.containing(row))}}`;
  }
}

async function showDiff(call: Call): Promise<Response> {
  const [rid, base, oid] = [call.rid("project"), call.oid("base"), call.oid("oid")];
  const repository = await call.repository(rid);
  const { index, objects } = repository;
  const from = await requireCommit(repository, base);
  const to = await requireCommit(repository, oid);
  const diff = await call.service.diffs.diff(objects, index.treeOf(from), index.treeOf(to));
  return await jsonPieces(pieces(), call.service.environment.log);

  async function* pieces(): AsyncGenerator<string> {
    yield `{"diff":`;
    yield* diffPieces(diff.diff);
    yield `,"files":`;
    yield* filePieces(repository, diff.touched);
    yield `,"commits":[`;
    let separator = "";
    for (const row of index.walk(to)) {
      if (row === from) break;
      yield separator + JSON.stringify(await viewCommit(repository, row));
      separator = ",";
    }
    yield "]}";
  }
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

async function viewCommit({ index, objects }: OpenRepository, row: number): Promise<CommitView> {
  const oid = index.oidOf(row);
  return toCommitView(oid, await readCommit(objects, oid));
}

/** What a commit changes: against its first parent, or against nothing. */
async function diffOfCommit(call: Call, { index, objects }: OpenRepository, row: number): Promise<TreeDiff> {
  const [parent] = index.parentsOf(row);
  if (parent !== undefined && !index.isReadable(parent)) {
    throw new DamagedError(`Commit ${index.oidOf(parent)} cannot be read`);
  }
  return await call.service.diffs.diff(
    objects,
    parent === undefined ? undefined : index.treeOf(parent),
    index.treeOf(row),
  );
}

/** Choice: on a page of history, a commit whose diff cannot be made has none, and the others are shown. */
function withoutDiff(call: Call, error: unknown): null {
  if (!(error instanceof DamagedError)) throw error;
  call.service.environment.log("error", "Damaged repository data", error);
  return null;
}

/** The JSON of the files that a diff touches, by blob id. Files that cannot be read, or are too large, are left out. */
async function* filePieces({ objects }: OpenRepository, touched: readonly Oid[]): AsyncGenerator<string> {
  let opening = "{";
  for (const oid of touched) {
    const header = await objects.header(oid);
    if (header?.kind !== "blob" || header.size > MAX_SHOWN_BYTES) continue;
    const blob = await objects.object(oid);
    if (blob === undefined) continue;
    yield `${opening}"${oid}":${JSON.stringify(toDiffFileView(oid, blob.bytes))}`;
    opening = ",";
  }
  yield opening === "{" ? "{}" : "}";
}
