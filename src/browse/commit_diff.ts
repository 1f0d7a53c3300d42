/** Diffs of commits (4.2.3, 4.2.4). */
import type { DiffAnswer } from "../diff_service/diff_answer.ts";
import type { DiffService } from "../diff_service/diff_service.ts";
import { DamagedError } from "../errors.ts";
import type { Asker, DiffForm } from "../ports/workers.ts";
import type { OpenedRepository } from "./opened_repository.ts";

/** The diff service, the client that it works for, and the form of the JSON. */
export interface DiffRequest {
  readonly diffs: DiffService;
  readonly asker: Asker;
  readonly form: DiffForm;
}

/**
 * The diff of a commit against its first parent, or against nothing. Errors as of {@link DiffService.diff}.
 *
 * @throws {DamagedError} also when the parent cannot be read.
 */
export async function diffOfCommit(
  { index, objects }: OpenedRepository,
  row: number,
  { diffs, asker, form }: DiffRequest,
): Promise<DiffAnswer> {
  const parent = index.parentCount(row) === 0 ? undefined : index.parentOf(row, 0);
  if (parent !== undefined && !index.isReadable(parent)) {
    throw new DamagedError(`The parent of commit ${index.oidOf(row)} cannot be read`);
  }
  const oldTree = parent === undefined ? undefined : index.treeOf(parent);
  return await diffs.diff(objects, oldTree, index.treeOf(row), asker, form);
}

/** The diff between two commits. Errors as of {@link DiffService.diff}. */
export async function diffOfCommits(
  { index, objects }: OpenedRepository,
  from: number,
  to: number,
  { diffs, asker, form }: DiffRequest,
): Promise<DiffAnswer> {
  return await diffs.diff(objects, index.treeOf(from), index.treeOf(to), asker, form);
}

/** The JSON of the files that a diff touches, by blob id. Files that cannot be shown are left out. */
export async function* filePieces(
  { objects }: OpenedRepository,
  diff: DiffAnswer,
  { diffs, asker }: Pick<DiffRequest, "diffs" | "asker">,
): AsyncGenerator<string | Uint8Array<ArrayBuffer>> {
  let opening = "{";
  for await (const members of diffs.allFiles(objects, diff, asker)) {
    yield opening;
    yield members;
    opening = ",";
  }
  yield opening === "{" ? "{}" : "}";
}
