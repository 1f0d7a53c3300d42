/** Finds the names that files had before they were moved. */
import type { OpenedRepository } from "../git/commit_graph.ts";
import { diffOfCommit, type DiffRequest } from "./commit_diff.ts";
import { TooLargeError } from "../errors.ts";

/** Renames that one request follows. Before further renames, a file counts as new. */
export const MAX_FOLLOWED_RENAMES = 32;

/**
 * Creates a function that finds the path of a file before the commit that moved it, from the diff of that
 * commit. It returns `undefined` for a new file. In a diff that is too large, no file counts as moved.
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

/** Old and new paths of the files that a commit moved. */
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
