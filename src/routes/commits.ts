/** History: commits, diffs, activity (4.2.2 to 4.2.5). */
import { branchTips, immutable, revalidated, type Subject } from "./cacheable.ts";
import {
  type Call,
  type OpenRepository,
  requireCommit,
  requireHead,
  requireProject,
  type RoutesOf,
} from "./call.ts";
import type { Activity, CommitDetail, commitEndpoints, Comparison, History } from "../contract/commits.ts";
import { CommitsQuery } from "../contract/queries.ts";
import type { DiffAnswer } from "../diff_service/diff_answer.ts";
import { ApiError, DamagedError, TooLargeError, UnsupportedError } from "../errors.ts";
import { type Branches, COMMITS_TOGETHER, historyStats, loadBranches } from "../git/branches.ts";
import { resolveRef } from "../git/references.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { readQuery } from "../http/query.ts";
import { type JsonPiece, jsonPieces, jsonText } from "../http/respond.ts";
import { readHead } from "../identity/head.ts";
import { type Oid, parseOid } from "../ids/oid.ts";
import { jsonSlices } from "../text/json_slices.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { activityText } from "../views/activity.ts";
import { viewCommit } from "../views/commit.ts";

/** Routes of history. */
export const commitRoutes: RoutesOf<typeof commitEndpoints> = [
  [
    "GET",
    "/api/v1/projects/:project/commits",
    revalidated(readHistoryPage, listCommits, branchTips, fromHead),
  ],
  ["GET", "/api/v1/projects/:project/commits/:sha", revalidated(readCommit, showCommit, branchTips)],
  ["GET", "/api/v1/projects/:project/diff/:base/:oid", immutable(readComparison, showDiff)],
  ["GET", "/api/v1/projects/:project/activity", showActivity],
];

const DEFAULT_PER_PAGE = 30;
/** Diffs of one page that are computed concurrently: enough for all workers, few beside other requests. */
const DIFFS_AHEAD = 4;
/** Rows of a walk between checks of the time slice: some milliseconds of work at most. */
const ROWS_AT_ONCE = 1024;
/** Times in one piece of an activity answer: some milliseconds of work at most. */
const TIMES_AT_ONCE = 2 ** 15;
/** Length of the period that an activity answer covers: 52 weeks. */
const ACTIVITY_WINDOW_SECONDS = 31_449_600;
const ACTIVITY_CACHING = { "cache-control": "public, max-age=3600, must-revalidate" };

/** Pieces of a JSON text. */
type Pieces = AsyncGenerator<JsonPiece>;

/** The parsed request for a page of history. */
interface HistoryPage extends Subject {
  /** First commit of the history; `undefined` for the head. */
  readonly parent: Oid | undefined;
  readonly page: number;
  /** Commits in a page; `undefined` for all. */
  readonly perPage: number | undefined;
  /** Earliest commit time, in seconds, inclusive. */
  readonly since: number | undefined;
  /** Latest commit time, in seconds, exclusive. */
  readonly until: number | undefined;
}

/** With `since` or `until` and without `perPage`, the first page has all matching commits. */
function readHistoryPage(call: Call): HistoryPage {
  const rid = call.rid("project");
  const { parent, page, perPage, since, until } = readQuery(call.url, CommitsQuery);
  const isBounded = since !== undefined || until !== undefined;
  return {
    rid,
    parent: parent === undefined ? undefined : parseOid(parent),
    page,
    perPage: perPage ?? (isBounded ? undefined : DEFAULT_PER_PAGE),
    since,
    until,
  };
}

async function listCommits(call: Call, query: HistoryPage): Promise<AnswerOf<History>> {
  const repository = await call.repository(query.rid);
  const tip = await requireCommit(repository, query.parent ?? await headOfProject(repository));
  const { objects, index } = repository;
  const branches = await loadBranches(objects, index);
  const stats = await historyStats(objects, index, tip);
  return await jsonPieces(pieces(), call.service.environment.log, { parts: call.parts });

  async function* pieces(): Pieces {
    yield `{"commits":[`;
    let separator = "";
    const rows = withBranches(selectRows(repository, tip, query), branches);
    const diffOf = ({ row }: { row: number }) =>
      diffOfCommit(call, repository, row).catch((error) => withoutDiff(call, error));
    for await (const [{ row, names }, diff] of ahead(rows, DIFFS_AHEAD, diffOf)) {
      yield* jsonSlices(
        await viewCommit(repository.objects, repository.index.oidOf(row)),
        `${separator}{"commit":`,
        `,"diff":`,
      );
      if (diff === undefined) yield "null";
      else if (diff instanceof TooLargeError) yield `null,"truncated":true`;
      else yield* diff.pieces();
      yield `,"branches":${JSON.stringify(names)}}`;
      separator = ",";
    }
    yield `],"stats":${JSON.stringify(stats)}}`;
  }
}

function readCommit(call: Call) {
  return { rid: call.rid("project"), oid: call.oid("sha") };
}

async function showCommit(
  call: Call,
  { rid, oid }: ReturnType<typeof readCommit>,
): Promise<AnswerOf<CommitDetail>> {
  const repository = await call.repository(rid);
  const row = await requireCommit(repository, oid);
  const branches = await loadBranches(repository.objects, repository.index);
  const commit = await viewCommit(repository.objects, oid);
  const diff = await diffOfCommit(call, repository, row);
  return await jsonPieces(pieces(), call.service.environment.log, { parts: call.parts });

  async function* pieces(): Pieces {
    yield* jsonSlices(commit, `{"commit":`, `,"diff":`);
    yield* diff.pieces();
    yield `,"files":`;
    yield* filePieces(call, repository, diff);
    const [names] = await branches.containing([row]);
    yield `,"branches":${JSON.stringify(names)}}`;
  }
}

function readComparison(call: Call) {
  return { rid: call.rid("project"), base: call.oid("base"), oid: call.oid("oid") };
}

async function showDiff(
  call: Call,
  { rid, base, oid }: ReturnType<typeof readComparison>,
): Promise<AnswerOf<Comparison>> {
  const repository = await call.repository(rid);
  const { index, objects } = repository;
  const from = await requireCommit(repository, base);
  const to = await requireCommit(repository, oid);
  const diff = await call.service.diffs.diff(objects, index.treeOf(from), index.treeOf(to), call);
  return await jsonPieces(pieces(), call.service.environment.log, { parts: call.parts });

  async function* pieces(): Pieces {
    yield `{"diff":`;
    yield* diff.pieces();
    yield `,"files":`;
    yield* filePieces(call, repository, diff);
    yield `,"commits":[`;
    let separator = "";
    const slices = new TimeSlices();
    for (const row of index.walk(to)) {
      if (row === from) break;
      yield* jsonSlices(await viewCommit(objects, index.oidOf(row)), separator);
      separator = ",";
      await slices.next();
    }
    yield "]}";
  }
}

async function showActivity(call: Call): Promise<AnswerOf<Activity>> {
  const repository = await call.repository(call.rid("project"));
  const head = await resolveRef(repository.objects, "HEAD");
  const tip = await requireCommit(repository, head?.oid ?? await requireHead(repository));
  const since = Math.floor(call.service.environment.now() / 1000) - ACTIVITY_WINDOW_SECONDS;
  const activity = await repository.index.timesAfter(tip, since);
  if (activity.length <= TIMES_AT_ONCE) {
    return jsonText(activityText(activity), { headers: ACTIVITY_CACHING });
  }
  return withHeaders(await jsonPieces(pieces(), call.service.environment.log), ACTIVITY_CACHING);

  async function* pieces(): Pieces {
    const slices = new TimeSlices();
    let separator = `{"activity":[`;
    for (let at = 0; at < activity.length; at += TIMES_AT_ONCE) {
      yield separator + activity.slice(at, at + TIMES_AT_ONCE).join();
      separator = ",";
      await slices.next();
    }
    yield "]}";
  }
}

/** A page of history by its first commit, by default the head. Not cached without a readable project. */
async function fromHead(
  { objects, index, doc }: OpenRepository,
  page: HistoryPage,
): Promise<HistoryPage | undefined> {
  if (doc?.project === undefined) return undefined;
  const parent = page.parent ?? await readHead(objects, index, doc);
  return parent === undefined ? undefined : { ...page, parent };
}

/** The head. As on the real service, the project payload must be readable. */
async function headOfProject(repository: OpenRepository): Promise<Oid> {
  requireProject(repository);
  return await requireHead(repository);
}

/** The rows of a page of history. */
async function* selectRows(
  { index }: OpenRepository,
  tip: number,
  { page, perPage: limit = Infinity, since = -Infinity, until = Infinity }: HistoryPage,
): AsyncGenerator<number> {
  let skip = page === 0 ? 0 : page * limit;
  let left = limit;
  const slices = new TimeSlices();
  const walk = index.walk(tip);
  for (let position = 0;; position++) {
    const row = walk.at(position);
    if (row === undefined || left === 0 || skip === Infinity) return;
    if (position % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await slices.next();
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

/** Rows with the branches that contain them. */
async function* withBranches(
  rows: AsyncGenerator<number>,
  branches: Branches,
): AsyncGenerator<{ readonly row: number; readonly names: readonly string[] }> {
  let together: number[] = [];
  for await (const row of rows) {
    if (together.push(row) < COMMITS_TOGETHER) continue;
    yield* await named();
    together = [];
  }
  if (together.length > 0) yield* await named();

  async function named() {
    const names = await branches.containing(together);
    return together.map((row, i) => ({ row, names: names[i]! }));
  }
}

/** The diff of a commit against its first parent, or against the empty tree if it has no parent. */
async function diffOfCommit(
  call: Call,
  { index, objects }: OpenRepository,
  row: number,
): Promise<DiffAnswer> {
  const parent = index.parentCount(row) === 0 ? undefined : index.parentOf(row, 0);
  if (parent !== undefined && !index.isReadable(parent)) {
    throw new DamagedError(`The parent of commit ${index.oidOf(row)} cannot be read`);
  }
  const oldTree = parent === undefined ? undefined : index.treeOf(parent);
  return await call.service.diffs.diff(objects, oldTree, index.treeOf(row), call);
}

/**
 * Handles a failed diff on a page of history, so that the other commits are still shown. Choice: a commit
 * whose diff is too large is marked; a commit whose diff is damaged, unsupported or late has no diff.
 *
 * @returns The error if the diff is too large.
 */
function withoutDiff(call: Call, error: unknown): undefined | TooLargeError {
  if (error instanceof TooLargeError) return error;
  call.isPartial = true;
  // The diff service has logged the reason, if the client did not cause it.
  if (error instanceof ApiError && error.code === "unavailable") return;
  const { log } = call.service.environment;
  if (error instanceof UnsupportedError) log("error", error.message, error.cause);
  else if (error instanceof DamagedError) log("error", "Damaged repository data", error);
  else throw error;
}

/** The JSON of the files in a diff, as an object by blob id. Files that cannot be shown are omitted. */
async function* filePieces(call: Call, { objects }: OpenRepository, diff: DiffAnswer): Pieces {
  let opening = "{";
  for await (const members of call.service.diffs.allFiles(objects, diff, call)) {
    yield opening;
    yield members;
    opening = ",";
  }
  yield opening === "{" ? "{}" : "}";
}

/** Maps items with an asynchronous function, up to `count` at a time, and yields the results in order. */
async function* ahead<T, R>(
  items: AsyncIterable<T>,
  count: number,
  make: (item: T) => Promise<R>,
): AsyncGenerator<[T, R]> {
  const underWay: [T, Promise<R>][] = [];
  for await (const item of items) {
    const made = make(item);
    // Prevents an unhandled rejection; the `await` below throws the error.
    made.catch(() => {});
    underWay.push([item, made]);
    if (underWay.length < count) continue;
    const [first, result] = underWay.shift()!;
    yield [first, await result];
  }
  for (const [item, result] of underWay) yield [item, await result];
}
