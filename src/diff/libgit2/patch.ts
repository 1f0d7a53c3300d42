/** Reads the patch that libgit2 prints for one file. */
import type { ComparedLines } from "../text/lines.ts";
import type { LineMarks } from "../text/myers.ts";

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

const NEWLINE = 0x0a;
const AT = 0x40;

const decoder = new TextDecoder();

/**
 * Returns the lines that differ, from the patch of a single file without context lines. Only the headers of
 * its hunks are parsed.
 *
 * @param texts The old and the new text of the file.
 * @throws {TypeError} when the header of a hunk is malformed.
 */
export function readLineMarks(patch: Uint8Array, { old, new: now }: ComparedLines): LineMarks {
  const marks = { deleted: new Uint8Array(old.count), added: new Uint8Array(now.count) };
  const lineEnd = (at: number): number => {
    const newline = patch.indexOf(NEWLINE, at);
    return newline < 0 ? patch.length : newline + 1;
  };
  // Without context lines, no other line begins with `@`.
  for (let at = 0, end = 0; at < patch.length; at = end) {
    end = lineEnd(at);
    if (patch[at] !== AT) continue;
    const numbers = HUNK_HEADER.exec(decoder.decode(patch.subarray(at, end)));
    if (numbers === null) throw new TypeError("Not a hunk header");
    mark(marks.deleted, numbers[1], numbers[2]);
    mark(marks.added, numbers[3], numbers[4]);
  }
  return marks;
}

/**
 * Marks a range of lines: `count` lines from the line `first`, counted from 1. The header omits a count of 1.
 */
function mark(marks: Uint8Array, first = "0", count = "1"): void {
  marks.fill(1, Number(first) - 1, Number(first) - 1 + Number(count));
}
