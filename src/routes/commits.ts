/** History: commits, diffs, activity (4.2.2 to 4.2.5). */
import { type AheadLimits, mapAhead } from "../async/map_ahead.ts";
import {
  commitPieces,
  comparisonPieces,
  diffOfCommit,
  diffOfCommits,
  type DiffRequest,
} from "../browse/commit_diff.ts";
import { DEFAULT_COMMITS } from "../browse/history.ts";
import { commitsOfPage, historyFields, type HistoryPage, toHistoryPage } from "./history_page.ts";
import { showActivity } from "./activity.ts";
import {
  type Call,
  CommitMemory,
  commitOf,
  type Handler,
  type OpenRepository,
  requireCommit,
  requireHead,
  requireProject,
  type RoutesOf,
  tableOf,
} from "./call.ts";
import { branchTips, immutable, revalidated, type Subject } from "./cacheable.ts";
import { commitViewOf, openRepository, readPath } from "./dialect.ts";
import { OF_CONTENT } from "../contract/traits.ts";
import type { CommitDetail, commitEndpoints, Comparison, History } from "../contract/commits.ts";
import { ProjectCommitsQuery } from "../contract/queries.ts";
import { ApiError, DamagedError, TooLargeError, UnsupportedError } from "../errors.ts";
import { type Branches, COMMITS_TOGETHER, historyStats, loadBranches } from "../git/branches.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { readQuery } from "../http/parameters.ts";
import { GATHERED_BYTES, type JsonPiece, jsonPieces } from "../http/respond.ts";
import { readHead } from "../identity/head.ts";
import type { Oid } from "../ids/oid.ts";
import type { DiffForm } from "../ports/workers.ts";
import { jsonSlices } from "../text/json_slices.ts";
import { viewCommit } from "../views/commit.ts";

/** Shows a commit, in both dialects. */
export const showCommitByName: Handler<CommitDetail> = revalidated(readCommit, showCommit, branchTips);

/** Compares two commits, in both dialects. */
export const showComparison: Handler<Comparison> = immutable(readComparison, showDiff);

/** Routes of history. */
export const commitRoutes: RoutesOf<typeof commitEndpoints> = tableOf(OF_CONTENT, [
  [
    "GET",
    "/api/v1/projects/:project/commits",
    revalidated(readHistoryPage, listCommits, branchTips, fromHead),
  ],
  ["GET", "/api/v1/projects/:project/commits/:sha", showCommitByName],
  ["GET", "/api/v1/projects/:project/diff/:base/:oid", showComparison],
  ["GET", "/api/v1/projects/:project/activity", showActivity],
]);

/**
 * Diffs of one page that are made at a time: enough for all workers, few beside other requests. One that
 * takes long does not keep those behind it waiting, as far as the memory of what is made suffices.
 */
const DIFFS_AHEAD: AheadLimits<{ readonly bytes: number } | undefined> = {
  atOnce: 4,
  items: DEFAULT_COMMITS,
  weight: GATHERED_BYTES,
  weigh: (diff) => diff?.bytes ?? 0,
};

/** In place of a diff: it is too large. */
const TOO_LARGE = { bytes: 0 } as const;

/** Pieces of a JSON text. */
type Pieces = AsyncGenerator<JsonPiece>;

/** Two commits that are compared. */
export interface Compared extends Subject {
  readonly base: Oid;
  readonly oid: Oid;
}

/** A page of history with diffs. */
interface DiffedPage extends HistoryPage {
  /** Whether items have statistics, or nothing, in place of their diffs. */
  readonly diff: "none" | "stats" | undefined;
}

async function readHistoryPage(call: Call): Promise<DiffedPage> {
  const rid = call.rid("project");
  const { diff, ...query } = readQuery(call.url, ProjectCommitsQuery);
  const page = await toHistoryPage(call, rid, query, () => call.repository(rid));
  return { ...page, diff: diff === "full" ? undefined : diff };
}

async function listCommits(call: Call, query: DiffedPage): Promise<AnswerOf<History>> {
  const repository = await call.repository(query.rid);
  const tip = await requireCommit(repository, query.parent ?? await headOfProject(repository));
  const { objects, graph } = repository;
  const branches = await loadBranches(objects, graph, call.task);
  const stats = await historyStats(objects, graph, tip);
  const { rows: selected, ...extent } = await commitsOfPage(call, repository, tip, query, stats.commits);
  const memory = new CommitMemory(call);
  const answer = await jsonPieces<History>(pieces(), call.service.environment.log, call.task, {
    heldBytes: () => memory.heldBytes,
    parts: call.parts,
  });
  memory.isReserved = false;
  return withHeaders(answer, historyFields(graph.oidOf(tip), query, extent));

  async function* pieces(): Pieces {
    yield `{"commits":[`;
    let separator = "";
    const rows = withBranches(selected, branches);
    const hasDiff = query.diff !== "none";
    const request = diffsFor(call, query.diff === "stats" ? "v1-stats" : "v1");
    const beforeDiff = !hasDiff ? "" : query.diff === "stats" ? `,"stats":` : `,"diff":`;
    const diffOf = async ({ row }: { row: number }) =>
      hasDiff
        ? await diffOfCommit(repository, row, request).catch((error) => withoutDiff(call, error))
        : undefined;
    for await (const [{ row, names }, diff] of mapAhead(rows, DIFFS_AHEAD, diffOf)) {
      yield* jsonSlices(
        await viewCommit(repository.objects, repository.graph.oidOf(row), call.task, memory),
        `${separator}{"commit":`,
        beforeDiff,
      );
      if (diff === undefined) yield hasDiff ? "null" : "";
      else if ("pieces" in diff) yield* diff.pieces();
      else yield `null,"truncated":true`;
      yield `,"branches":${JSON.stringify(names)}}`;
      separator = ",";
    }
    yield `],"stats":${JSON.stringify(stats)}}`;
  }
}

async function readCommit(call: Call) {
  const { rid, sha } = readPath(call, () => ({ sha: call.commitish("sha") }));
  return { rid, oid: await commitOf(call, sha, () => openRepository(call, rid)) };
}

async function showCommit(
  call: Call,
  { rid, oid }: Awaited<ReturnType<typeof readCommit>>,
): Promise<AnswerOf<CommitDetail>> {
  const repository = await openRepository(call, rid);
  const row = await requireCommit(repository, oid);
  const branches = await loadBranches(repository.objects, repository.graph, call.task);
  const memory = new CommitMemory(call);
  const commit = await commitViewOf(call)(repository.objects, oid, call.task, memory);
  const request = diffsFor(call);
  const diff = await diffOfCommit(repository, row, request);
  const pieces = commitPieces(repository, row, commit, { diff, branches, request });
  const { heldBytes } = memory;
  return await jsonPieces(pieces, call.service.environment.log, call.task, { heldBytes, parts: call.parts });
}

/** The commits of a comparison. */
export async function readComparison(call: Call): Promise<Compared> {
  const { rid, from, to } = readPath(
    call,
    () => ({ from: call.commitish("base"), to: call.commitish("oid") }),
  );
  const open = () => openRepository(call, rid);
  return { rid, base: await commitOf(call, from, open), oid: await commitOf(call, to, open) };
}

async function showDiff(call: Call, { rid, base, oid }: Compared): Promise<AnswerOf<Comparison>> {
  const repository = await openRepository(call, rid);
  const from = await requireCommit(repository, base);
  const to = await requireCommit(repository, oid);
  const request = diffsFor(call);
  const diff = await diffOfCommits(repository, from, to, request);
  const pieces = comparisonPieces(repository, from, to, { diff, request, view: commitViewOf(call) });
  return await jsonPieces(pieces, call.service.environment.log, call.task, { parts: call.parts });
}

/** A page of history by its first commit, by default the head. Not cached without a readable project. */
async function fromHead(
  { objects, graph, task, doc }: OpenRepository,
  page: DiffedPage,
): Promise<DiffedPage | undefined> {
  if (doc?.project === undefined) return undefined;
  const parent = page.parent ?? await readHead(objects, graph, doc, task);
  return parent === undefined ? undefined : { ...page, parent };
}

/** Diffs for a client; by default in the form of the dialect. */
export function diffsFor(call: Call, form: DiffForm = call.dialect): DiffRequest {
  return { diffs: call.service.diffs, requester: call, form };
}

/** The head. As on the real service, the project payload must be readable. */
async function headOfProject(repository: OpenRepository): Promise<Oid> {
  requireProject(repository);
  return await requireHead(repository);
}

/** Rows with the branches that contain them. */
async function* withBranches(
  rows: AsyncIterable<number> | Iterable<number>,
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

/**
 * Handles a failed diff on a page of history, so that the other commits are still shown. Choice: a commit
 * whose diff is too large is marked; a commit whose diff is damaged, unsupported or late has no diff.
 *
 * @returns {@link TOO_LARGE} if the diff is too large.
 */
function withoutDiff(call: Call, error: unknown): undefined | typeof TOO_LARGE {
  if (error instanceof TooLargeError) return TOO_LARGE;
  call.isPartial = true;
  // The diff service has logged the reason, if the client did not cause it.
  if (error instanceof ApiError && error.code === "unavailable") return;
  const { log } = call.service.environment;
  if (error instanceof UnsupportedError) log("error", error.message, error.cause);
  else if (error instanceof DamagedError) log("error", "Damaged repository data", error);
  else throw error;
}
