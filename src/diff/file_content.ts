/** Compares the two sides of one file. */
import { type BlobContents, contentsOf, isBinary, type Sides } from "./blobs.ts";
import { Budget, MAX_ENGINE_LINES } from "./budget.ts";
import type { FileContent } from "./diff_object.ts";
import { type Libgit2Calls, Libgit2Error } from "./libgit2/engine.ts";
import { readLineMarks } from "./libgit2/patch.ts";
import {
  BINARY_CONTENT,
  type LineContent,
  NO_CONTENT,
  toLineContent,
  TRUNCATED_CONTENT,
} from "./text/hunks.ts";
import { type ComparedLines, countLines, splitLines } from "./text/lines.ts";
import { compareLines, type LineMarks } from "./text/myers.ts";
import type { Change, FileSide } from "./tree_comparison.ts";

/**
 * Maximum number of lines of a text that is compared. The content of a longer file is marked as truncated.
 */
export const MAX_BLOB_LINES = 2 ** 21;

const NO_BYTES = new Uint8Array();
const NO_PATH = "";

const encoder = new TextEncoder();

/**
 * Compares the old and the new content of a file. If the texts differ too much for the algorithm of this
 * project, libgit2 compares the texts. A binary file has no lines in the result. The content is marked as
 * truncated if the file exceeds the limits, or if libgit2 fails.
 *
 * @param contents Contents of the blobs. A blob without content is too large.
 * @throws {DamagedError} when the content of a blob does not match its id.
 * @throws {OverBudgetError} when a text has more lines than the budget allows, for libgit2 or at all.
 */
export async function compareFile(
  libgit2: Libgit2Calls,
  file: Sides,
  contents: BlobContents,
  budget: Budget = new Budget(),
): Promise<LineContent | FileContent> {
  const { old, new: now } = file;
  if (old?.oid === now?.oid) return NO_CONTENT;
  const [oldBytes, newBytes] = [bytesOf(old, contents), bytesOf(now, contents)];
  if (oldBytes === undefined || newBytes === undefined) return TRUNCATED_CONTENT;
  const [wasBinary, isNowBinary] = [isBinary(oldBytes), isBinary(newBytes)];
  if (isNowBinary || wasBinary && now === undefined) return BINARY_CONTENT;
  if (wasBinary) return NO_CONTENT;
  if (hasTooManyLines(oldBytes) || hasTooManyLines(newBytes)) return TRUNCATED_CONTENT;
  const texts = splitLines(oldBytes, newBytes);
  budget.check("textLines", Math.max(texts.old.count, texts.new.count));
  const marks = compareLines(texts) ?? await marksOf(libgit2, file, texts, contents, budget);
  return marks === undefined ? TRUNCATED_CONTENT : toLineContent(texts, marks);
}

/**
 * Returns the differing lines that libgit2 finds; `undefined` when libgit2 fails, or the text is too long for
 * libgit2.
 */
async function marksOf(
  libgit2: Libgit2Calls,
  { old, new: now }: Sides,
  texts: ComparedLines,
  contents: BlobContents,
  budget: Budget,
): Promise<LineMarks | undefined> {
  const lines = Math.max(texts.old.count, texts.new.count);
  if (lines > MAX_ENGINE_LINES) return undefined;
  budget.check("engineLines", lines);
  const change: Change = {
    path: NO_PATH,
    ...(old && { old: asFile(old) }),
    ...(now && { new: asFile(now) }),
  };
  try {
    return readLineMarks(await libgit2.patch([change], contentsOf([change], contents), 0), texts);
  } catch (error) {
    if (error instanceof Libgit2Error) return undefined;
    throw error;
  }
}

function hasTooManyLines(text: Uint8Array): boolean {
  // A text cannot have more lines than bytes.
  return text.length > MAX_BLOB_LINES && countLines(text, MAX_BLOB_LINES) > MAX_BLOB_LINES;
}

/**
 * Returns the content of a side; `undefined` when the content is not compared. The content of a submodule is
 * a line with the id of its commit, as in git.
 */
function bytesOf(side: FileSide | undefined, contents: BlobContents): Uint8Array | undefined {
  if (side === undefined) return NO_BYTES;
  return side.mode === "commit" ? encoder.encode(`Subproject commit ${side.oid}\n`) : contents.get(side.oid);
}

/** Returns the side with the mode of a plain file, so that libgit2 prints both sides as one modified file. */
function asFile({ oid }: FileSide): FileSide {
  return { oid, mode: "blob" };
}
