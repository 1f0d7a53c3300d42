/**
 * Handlers for history: commits, diffs, activity, and the jobs of a commit, in both dialects (4.2.2 to
 * 4.2.5).
 */
import { renameFinder } from "../browse/renames.ts";
import { type AheadLimits, mapAhead } from "../async/map_ahead.ts";
import {
  commitPieces,
  comparisonPieces,
  diffOfCommit,
  diffOfCommits,
  type DiffRequest,
} from "../browse/commit_diff.ts";
import { DEFAULT_COMMITS, type HistoryRange, type PageOfHistory, pageOfHistory } from "../browse/history.ts";
import type { Call, Handler } from "./call.ts";
import { CommitMemory } from "./commit_memory.ts";
import {
  commitOf,
  type OpenRepository,
  requireCommit,
  requireHead,
  requireProject,
} from "./opened_repository.ts";
import { branchTips, immutable, revalidated, type Subject } from "./cacheable.ts";
import { commitViewOf, openNamed, parseCommitPath, readPath } from "./dialect.ts";
import type { Activity, CommitDetail, Comparison, History } from "../contract/commits.ts";
import { CommitsQuery, ProjectCommitsQuery } from "../contract/queries.ts";
import { DamagedError, TooLargeError, UnavailableError, UnsupportedError } from "../errors.ts";
import { type Branches, COMMITS_TOGETHER, historyStats, loadBranches } from "../git/branches.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { readQuery } from "../http/parameters.ts";
import { arrayPieces, GATHERED_BYTES, json, type JsonPiece, jsonText } from "../http/respond.ts";
import { readHead } from "../identity/head.ts";
import type { Oid } from "../ids/oid.ts";
import type { DiffForm } from "../ports/workers.ts";
import { jsonSlices } from "../text/json_slices.ts";
import { viewCommit, viewTodayCommit } from "../views/commit.ts";
import { countField, pageFields } from "../http/paging.ts";
import { parseCommitish } from "../ids/refname.ts";
import { resolveRef } from "../git/references.ts";
import { activityText } from "../views/project_info.ts";
import { toTodayJob } from "../views/today/job.ts";

export const showCommit: Handler<CommitDetail> = revalidated(parseCommitPath, makeCommit, branchTips);

export const showComparison: Handler<Comparison> = immutable(readComparison, showDiff);

export const showComparisonStats: Handler = immutable(readComparison, showDiffStats);

const listFixed = immutable(readHistoryPage, showHistory);
/**
 * Handlers for pages that change when references move. In version 1 the pages show all branches, in the
 * `/repos` dialect only the head.
 */
const listMoving = {
  v1: revalidated(readHistoryPage, showHistory, tipsOfProject),
  today: revalidated(
    readHistoryPage,
    showHistory,
    (repository) => repository.doc && readHead(repository, repository.doc),
  ),
};

/**
 * Lists commits, in both dialects. In the `/repos` dialect, the response shows no branches. Therefore it
 * never changes if the request names the first commit.
 */
export function listCommits(call: Call): Promise<AnswerOf<History>> {
  const isFixed = call.dialect === "today" && call.url.searchParams.has("parent");
  return isFixed ? listFixed(call) : listMoving[call.dialect](call);
}

/**
 * Limits for the diffs of one page. Enough diffs run at the same time to use all workers. Diffs that are
 * finished early wait in memory for earlier diffs.
 */
const DIFFS_AHEAD: AheadLimits<{ readonly bytes: number } | undefined> = {
  atOnce: 4,
  items: DEFAULT_COMMITS,
  weight: GATHERED_BYTES,
  weigh: (diff) => diff?.bytes ?? 0,
};

/** Placeholder for a diff that is too large. */
const TOO_LARGE = { bytes: 0 } as const;

const QUERIES = { v1: ProjectCommitsQuery, today: CommitsQuery };

type Pieces = AsyncGenerator<JsonPiece>;

interface Compared extends Subject {
  readonly base: Oid;
  readonly oid: Oid;
}

interface HistoryPage extends Subject, HistoryRange {
  /** First commit of the history; `undefined` for the head. */
  readonly parent: Oid | undefined;
  /** File or folder whose history is requested; `undefined` for the history of all files. */
  readonly path: string | undefined;
  /** Whether to follow renames of the file; `undefined` means `false`. */
  readonly follow: "true" | undefined;
  /** Shows only the statistics of diffs, or no diffs; `undefined` means full diffs. */
  readonly diff: string | undefined;
}

/** Parses the parameters of a page. The first commit is the head if the request does not name a commit. */
async function readHistoryPage(call: Call): Promise<HistoryPage> {
  const { rid, query } = readPath(call, () => ({ query: readQuery(call.url, QUERIES[call.dialect]) }));
  const { diff, parent, path, follow, page, perPage, since, until } = { diff: "full", ...query };
  const from = parent === undefined ? undefined : parseCommitish(parent);
  let tip = from && await commitOf(call, from, () => call.repository(rid));
  if (tip === undefined && call.dialect === "v1") {
    const repository = await call.repository(rid);
    tip = repository.doc?.project && await readHead(repository, repository.doc);
  }
  const isBounded = since !== undefined || until !== undefined;
  return {
    rid,
    parent: tip,
    page,
    // With a time bound and without a page size, the first page has all matching commits.
    perPage: perPage ?? (isBounded ? undefined : DEFAULT_COMMITS),
    since,
    until,
    path: path?.replace(/\/$/, ""),
    follow: follow === "true" && path !== undefined ? follow : undefined,
    diff: diff === "full" ? undefined : diff,
  };
}

/**
 * Returns the version of the branches that pages show; `undefined` without a readable project, so that pages
 * are not cached.
 */
async function tipsOfProject(
  repository: OpenRepository,
  { parent }: HistoryPage,
): Promise<string | undefined> {
  const isShown = repository.doc?.project !== undefined && parent !== undefined;
  return isShown ? await branchTips(repository) : undefined;
}

async function showHistory(call: Call, query: HistoryPage, repository: OpenRepository) {
  const { objects, graph } = repository;
  const memory = new CommitMemory((bytes) => call.requireRoom(bytes));
  const isV1 = call.dialect === "v1";
  const head = isV1 ? headOfProject : requireHead;
  const tip = await requireCommit(repository, query.parent ?? await head(repository));
  const branches = isV1 ? await loadBranches(repository) : undefined;
  const commits = isV1 ? await graph.countCommits(tip) : undefined;
  const stats = isV1 ? historyStats(repository, tip) : undefined;
  // The statistics come last in the response, because commits can be shown before their authors are counted.
  stats?.catch(() => {});
  const { rows, ...extent } = await commitsOfPage(call, repository, tip, query, commits);
  const pieces = branches === undefined
    ? arrayPieces(commitList())
    : commitsWithDiffs(withBranches(rows, branches));
  const answer = await call.answer<History>(pieces, {
    heldBytes: () => memory.heldBytes,
    parts: call.parts,
  });
  memory.isReserved = false;
  const { page, perPage = Infinity, since, until, path, follow, diff } = query;
  // The links to other pages contain the first commit, so that all pages show the same history even if the
  // branch moves.
  const shown = { parent: graph.commits.oidOf(tip), since, until, path, follow, diff };
  return withHeaders(answer, pageFields(shown, { page, perPage }, extent));

  async function* commitList(): AsyncGenerator<Iterable<string>> {
    for await (const row of rows) {
      yield jsonSlices(await viewTodayCommit(objects, graph.commits.oidOf(row), call.task, memory));
    }
  }

  async function* commitsWithDiffs(rows: ReturnType<typeof withBranches>): Pieces {
    yield `{"commits":[`;
    let separator = "";
    const hasDiff = query.diff !== "none";
    const request = diffsFor(call, query.diff === "stats" ? "v1-stats" : "v1");
    const beforeDiff = !hasDiff ? "" : query.diff === "stats" ? `,"stats":` : `,"diff":`;
    const diffOf = async ({ row }: { row: number }) =>
      hasDiff
        ? await diffOfCommit(repository, row, request).catch((error) => withoutDiff(call, error))
        : undefined;
    for await (const [{ row, names }, diff] of mapAhead(rows, DIFFS_AHEAD, diffOf)) {
      yield* jsonSlices(
        await viewCommit(objects, graph.commits.oidOf(row), call.task, memory),
        `${separator}{"commit":`,
        beforeDiff,
      );
      if (diff === undefined) yield hasDiff ? "null" : "";
      else if ("pieces" in diff) yield* diff.pieces;
      else yield `null,"truncated":true`;
      yield `,"branches":${JSON.stringify(names)}}`;
      separator = ",";
    }
    yield `],"stats":${JSON.stringify(await stats)}}`;
  }
}

async function makeCommit(
  call: Call,
  { oid }: Awaited<ReturnType<typeof parseCommitPath>>,
  repository: OpenRepository,
) {
  const row = await requireCommit(repository, oid);
  const branches = await loadBranches(repository);
  const memory = new CommitMemory((bytes) => call.requireRoom(bytes));
  const commit = await commitViewOf(call)(repository.objects, oid, call.task, memory);
  const request = diffsFor(call);
  const diff = await diffOfCommit(repository, row, request);
  const pieces = commitPieces(repository, row, commit, { diff, branches, request });
  const { heldBytes } = memory;
  return await call.answer<CommitDetail>(pieces, { heldBytes, parts: call.parts });
}

async function readComparison(call: Call): Promise<Compared> {
  const { rid, from, to } = readPath(
    call,
    () => ({ from: call.commitish("base"), to: call.commitish("oid") }),
  );
  const open = () => call.repository(rid);
  return { rid, base: await commitOf(call, from, open), oid: await commitOf(call, to, open) };
}

async function showDiff(call: Call, { base, oid }: Compared, repository: OpenRepository) {
  const from = await requireCommit(repository, base);
  const to = await requireCommit(repository, oid);
  const request = diffsFor(call);
  const diff = await diffOfCommits(repository, from, to, request);
  const memory = new CommitMemory((bytes) => call.requireRoom(bytes));
  const show = commitViewOf(call);
  const view = (row: number) =>
    show(repository.objects, repository.graph.commits.oidOf(row), call.task, memory);
  const pieces = comparisonPieces(repository, from, to, { diff, request, view });
  const answer = await call.answer<Comparison>(pieces, {
    heldBytes: () => memory.heldBytes,
    parts: call.parts,
  });
  memory.isReserved = false;
  return answer;
}

async function showDiffStats(call: Call, { base, oid }: Compared, repository: OpenRepository) {
  const [from, to] = [await requireCommit(repository, base), await requireCommit(repository, oid)];
  const stats = await diffOfCommits(repository, from, to, diffsFor(call, "today-stats"));
  return await call.answer(stats.pieces);
}

function diffsFor(call: Call, form: DiffForm = call.dialect): DiffRequest {
  return { diffs: call.service.diffs, requester: call, form };
}

/** Returns the commit of the head. As in `radicle-httpd`, the project payload must be readable. */
async function headOfProject(repository: OpenRepository): Promise<Oid> {
  requireProject(repository);
  return await requireHead(repository);
}

interface NamedRow {
  readonly row: number;
  readonly names: readonly string[];
}

async function* withBranches(
  rows: AsyncIterable<number> | Iterable<number>,
  branches: Branches,
): AsyncGenerator<NamedRow> {
  let together: number[] = [];
  for await (const row of rows) {
    if (together.push(row) < COMMITS_TOGETHER) continue;
    yield* withNames(together, branches);
    together = [];
  }
  if (together.length > 0) yield* withNames(together, branches);
}

async function* withNames(rows: readonly number[], branches: Branches): AsyncGenerator<NamedRow> {
  const names = await branches.containing(rows);
  for (const [i, row] of rows.entries()) yield { row, names: names[i]! };
}

/**
 * Handles a failed diff on a page, so that the other commits are still shown. Choice: A commit whose diff is
 * too large is marked. A commit is shown without a diff if the diff is damaged, unsupported, or not computed
 * in time.
 *
 * @returns {@link TOO_LARGE} if the diff is too large, otherwise `undefined`.
 * @throws {UnavailableError} when the storage cannot be read, because the page would otherwise look as if its
 * commits had no diffs.
 */
function withoutDiff(call: Call, error: unknown): undefined | typeof TOO_LARGE {
  if (error instanceof TooLargeError) return TOO_LARGE;
  if (error instanceof UnavailableError && error.isOfStorage) throw error;
  call.isPartial = true;
  // The diff service has already logged the reason.
  if (error instanceof UnavailableError) return;
  const { log } = call.service.environment;
  if (error instanceof UnsupportedError) log("error", error.message, error.cause);
  else if (error instanceof DamagedError) log("error", "Damaged repository data", error);
  else throw error;
}

/**
 * Finds the commits of a page.
 *
 * @param commits Number of commits in the whole history, if known.
 * @throws {CoreError} the errors of `PathSearches.page`.
 */
async function commitsOfPage(
  call: Call,
  repository: OpenRepository,
  tip: number,
  { path, follow, ...range }: HistoryPage,
  commits?: number,
): Promise<PageOfHistory> {
  if (path === undefined) return await pageOfHistory(repository, tip, range, commits);
  const { signal, spend, service: { diffs, pathSearches } } = call;
  const findOldPath = follow && renameFinder(repository, { diffs, requester: call });
  return await pathSearches.page(repository, tip, { ...range, path }, { findOldPath, signal, spend });
}

/** Length of the period for which activity is shown: 52 weeks, in seconds. */
export const ACTIVITY_WINDOW_SECONDS = 31_449_600;
/**
 * Number of commit times that are written before a pause. Writing these times takes a few milliseconds at
 * most.
 */
const TIMES_AT_ONCE = 2 ** 15;
const CACHING = { "cache-control": "public, max-age=3600, must-revalidate" };

/** Shows the times of the commits of the last 52 weeks. */
export async function showActivity(call: Call): Promise<AnswerOf<Activity>> {
  const repository = await openNamed(call);
  const head = await resolveRef(repository.objects, "HEAD");
  const tip = await requireCommit(repository, head?.oid ?? await requireHead(repository));
  const since = Math.floor(call.service.environment.now() / 1000) - ACTIVITY_WINDOW_SECONDS;
  const activity = await repository.graph.timesAfter(tip, since, call.task);
  if (activity.length <= TIMES_AT_ONCE) return jsonText(activityText(activity), { headers: CACHING });
  return withHeaders(await call.answer(pieces()), CACHING);

  async function* pieces(): AsyncGenerator<string> {
    let separator = `{"activity":[`;
    for (let at = 0; at < activity.length; at += TIMES_AT_ONCE) {
      yield separator + activity.slice(at, at + TIMES_AT_ONCE).join();
      separator = ",";
      await call.task.yield();
    }
    yield "]}";
  }
}

/** Lists the jobs of a commit. Choice: An unknown commit has no jobs, as in `radicle-httpd`. */
export async function listJobs(call: Call) {
  const { rid, sha } = readPath(call, () => ({ sha: call.commitish("sha") }));
  const repository = await call.repository(rid);
  const commit = await commitOf(call, sha, () => Promise.resolve(repository));
  const { jobs: finder, names } = call.service;
  const jobs = await finder.ofCommit(repository, commit);
  const aliases = await names.aliases(jobs.flatMap(({ runs }) => [...runs.keys()]));
  const views = jobs.map((job) => toTodayJob(job, (one) => aliases.get(one)));
  return json(views, { headers: countField(jobs.length) });
}
