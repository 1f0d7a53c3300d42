/** Finds the previous paths of files that were moved. */
import type { OpenedRepository } from "../git/commit_graph.ts";
import { diffOfCommit, type DiffRequest } from "./commit_diff.ts";
import { TooLargeError } from "../errors.ts";

/**
 * Maximum number of renames that one request follows. At the next rename, the search treats the file as new.
 */
export const MAX_FOLLOWED_RENAMES = 32;

/**
 * Returns a function that finds the previous path of a file in the diff of a commit. The function returns
 * `undefined` if the commit did not move the file, or if the diff is too large.
 *
 * The function throws the errors of `DiffService.diff`, except `TooLargeError`.
 */
export function renameFinder(
  repository: OpenedRepository,
  request: Omit<DiffRequest, "form">,
): (row: number, parent: number, path: string) => Promise<string | undefined> {
  let found = 0;
  return async (row, _parent, path) => {
    if (found === MAX_FOLLOWED_RENAMES) return undefined;
    const moves = await movesOf(repository, row, request);
    const old = moves.find((move) => move?.[1] === path)?.[0];
    if (old !== undefined) found++;
    return old;
  };
}

/** Previous and new paths of the files that a commit moved. */
type Moves = readonly (readonly [old: string, now: string] | null)[];

async function movesOf(
  repository: OpenedRepository,
  row: number,
  request: Omit<DiffRequest, "form">,
): Promise<Moves> {
  try {
    const diff = await diffOfCommit(repository, row, { ...request, form: "moves" });
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of diff.pieces) {
      text += typeof piece === "string"
        ? piece
        : decoder.decode("key" in piece ? piece.bytes : piece, { stream: true });
    }
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof TooLargeError) return [];
    throw error;
  }
}
