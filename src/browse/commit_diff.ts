/** Computes diffs of commits (specification, 4.2.3, 4.2.4). */
import type { KeyedBytes } from "../cache/byte_cache.ts";
import type { DiffAnswer } from "../diff_service/diff_answer.ts";
import type { DiffService } from "../diff_service/diff_service.ts";
import { DamagedError } from "../errors.ts";
import type { Branches } from "../git/branches.ts";
import type { DiffForm, Requester } from "../ports/workers.ts";
import { jsonSlices } from "../text/json_slices.ts";
import { rowsDownTo } from "./history.ts";
import type { OpenedRepository } from "../git/commit_graph.ts";

/** The diff service, the client that requests the diff, and the dialect of the JSON. */
export interface DiffRequest {
  readonly diffs: DiffService;
  readonly requester: Requester;
  readonly form: DiffForm;
}

/**
 * Computes the diff of a commit against its first parent, or against an empty tree for a commit without a
 * parent. Throws the errors of {@link DiffService.diff}.
 *
 * @throws {DamagedError} when the parent cannot be read.
 */
export async function diffOfCommit(
  { graph, objects }: OpenedRepository,
  row: number,
  { diffs, requester, form }: DiffRequest,
): Promise<DiffAnswer> {
  const { commits } = graph;
  const parent = commits.firstParentOf(row);
  if (parent !== undefined && !commits.isReadable(parent)) {
    throw new DamagedError(`The parent of commit ${commits.oidOf(row)} cannot be read`);
  }
  const oldTree = parent === undefined ? undefined : commits.treeOf(parent);
  return await diffs.diff(objects, oldTree, commits.treeOf(row), requester, form);
}

/** Computes the diff between two commits. Throws the errors of {@link DiffService.diff}. */
export async function diffOfCommits(
  { graph, objects }: OpenedRepository,
  from: number,
  to: number,
  { diffs, requester, form }: DiffRequest,
): Promise<DiffAnswer> {
  return await diffs.diff(objects, graph.commits.treeOf(from), graph.commits.treeOf(to), requester, form);
}

type Pieces = AsyncGenerator<string | Uint8Array<ArrayBuffer> | KeyedBytes>;

/**
 * Yields the JSON text of one commit with its diff, files and branches.
 *
 * @param commit JSON value of the commit.
 */
export async function* commitPieces(
  repository: OpenedRepository,
  row: number,
  commit: unknown,
  { diff, branches, request }: {
    readonly diff: DiffAnswer;
    readonly branches: Branches;
    readonly request: DiffRequest;
  },
): Pieces {
  yield* jsonSlices(commit, `{"commit":`, `,"diff":`);
  yield* diff.pieces;
  yield `,"files":`;
  yield* filePieces(repository, diff, request);
  const [names] = await branches.containing([row]);
  yield `,"branches":${JSON.stringify(names)}}`;
}

/**
 * Yields the JSON text of the diff between two commits, with its files and the commits from `to` back to
 * `from`.
 *
 * @param view Creates the JSON value of the commit in a row of the graph.
 */
export async function* comparisonPieces(
  repository: OpenedRepository,
  from: number,
  to: number,
  { diff, request, view }: {
    readonly diff: DiffAnswer;
    readonly request: DiffRequest;
    readonly view: (row: number) => Promise<unknown>;
  },
): Pieces {
  const { graph, task } = repository;
  yield `{"diff":`;
  yield* diff.pieces;
  yield `,"files":`;
  yield* filePieces(repository, diff, request);
  yield `,"commits":[`;
  let separator = "";
  for (const row of rowsDownTo(graph, from, to)) {
    yield* jsonSlices(await view(row), separator);
    separator = ",";
    await task.yield();
  }
  yield "]}";
}

/**
 * Yields the JSON object of the files in a diff, with blob ids as keys. Files that cannot be shown are left
 * out.
 */
async function* filePieces(
  { objects }: OpenedRepository,
  diff: DiffAnswer,
  { diffs, requester }: DiffRequest,
): Pieces {
  let opening = "{";
  for await (const members of diffs.files(objects, diff, requester)) {
    yield opening;
    yield members;
    opening = ",";
  }
  yield opening === "{" ? "{}" : "}";
}
