/** How answers with diffs are gathered before they are sent. */
import type { DiffAnswer } from "../diff_service/diff_answer.ts";
import { GATHERED_BYTES } from "../http/respond.ts";

/** Size up to which an answer is gathered when most of it is in memory already. */
const HELD_ANSWER_BYTES = 4 * 2 ** 20;

/**
 * How an answer with a diff and its files is gathered, and the memory of the files that were made together
 * with the diff. With such files a longer answer is gathered: to stream it would free little memory, and
 * takes longer.
 */
export function gatheringOf(
  { members }: DiffAnswer,
): { gatheredBytes: number; heldBytes: number } {
  let heldBytes = 0;
  for (const { length } of members?.values() ?? []) heldBytes += length;
  return { gatheredBytes: heldBytes === 0 ? GATHERED_BYTES : HELD_ANSWER_BYTES, heldBytes };
}
