/** Groups changed lines and the lines around them into hunks, as git does. */
import { isAsciiSpace } from "../../text/white_space.ts";
import type { EndOfFile, FileContent, FileStats } from "../diff_object.ts";
import type { LineMarks } from "./myers.ts";
import type { ComparedLines, Lines } from "./lines.ts";

/** Number of unchanged lines that are shown before and after changed lines. */
const CONTEXT_LINES = 3;
/** Maximum length of the heading of a hunk, in bytes. */
const MAX_HEADING_BYTES = 80;

/** Maximum length of a UTF-8 character, in bytes. */
const MAX_CHARACTER_BYTES = 4;
const NEWLINE = 0x0a;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const NO_CONTENT: FileContent = {
  type: "plain",
  hunks: [],
  stats: { additions: 0, deletions: 0 },
  eof: "noneMissing",
};

/**
 * Content of a file that is binary on its new side, or on its only side. It is a separate object, so that
 * formats that mark binary files can recognize it.
 */
export const BINARY_CONTENT: FileContent = { ...NO_CONTENT };

/** The content of a file that is too large to be compared. */
export const TRUNCATED_CONTENT: FileContent = { ...NO_CONTENT, truncated: true };

/**
 * Maximum number of lines in the hunks of a file, both sides together. The content of a file with more lines
 * is truncated.
 */
export const MAX_SHOWN_LINES = 2 ** 19;

/** A hunk without the text of its lines. Lines are counted from 0, and the ends are exclusive. */
export interface HunkSpan {
  header: string;
  readonly oldStart: number;
  oldEnd: number;
  readonly newStart: number;
  newEnd: number;
}

export interface LineContent {
  readonly texts: ComparedLines;
  readonly marks: LineMarks;
  readonly spans: readonly Readonly<HunkSpan>[];
  /** Number of added lines, without markers of a missing newline. */
  readonly insertions: number;
  /** Number of deleted lines, without markers of a missing newline. */
  readonly deletions: number;
  readonly stats: FileStats;
  readonly eof: EndOfFile;
}

/** Finds the hunks of a file. If the hunks have too many lines, the content is truncated. */
export function toLineContent(texts: ComparedLines, marks: LineMarks): LineContent | FileContent {
  const [insertions, deletions] = [countMarks(marks.added), countMarks(marks.deleted)];
  const stats = { additions: insertions, deletions };
  const spans = spansOf(texts, marks);
  let shown = 0;
  for (const { oldStart, oldEnd, newStart, newEnd } of spans) shown += oldEnd - oldStart + newEnd - newStart;
  if (shown > MAX_SHOWN_LINES) return { ...TRUNCATED_CONTENT, stats };
  let [heading, searched] = ["", 0];
  for (const span of spans) {
    const { oldStart, oldEnd, newStart, newEnd } = span;
    heading = lastHeading(texts.old, searched, oldStart) ?? heading;
    searched = oldStart;
    span.header = `@@ -${print(rangeOf(oldStart, oldEnd))} +${
      print(rangeOf(newStart, newEnd))
    } @@${heading}\n`;
  }
  // Only the last hunk can contain the last lines.
  const { oldStart = 0, oldEnd = 0, newStart = 0, newEnd = 0 } = spans.at(-1) ?? {};
  const isOldMissing = oldEnd > oldStart && endsWithoutNewline(texts.old, oldEnd);
  const isNewMissing = newEnd > newStart && endsWithoutNewline(texts.new, newEnd);
  // The marker of a missing newline counts as an addition after a deleted line, as a deletion after an added
  // line, and not at all after an unchanged line.
  if (isOldMissing && marks.deleted.at(-1) === 1) stats.additions++;
  if (isNewMissing && marks.added.at(-1) === 1) stats.deletions++;
  const eof = isOldMissing
    ? isNewMissing ? "bothMissing" : "oldMissing"
    : isNewMissing
    ? "newMissing"
    : "noneMissing";
  return { texts, marks, spans, insertions, deletions, stats, eof };
}

function countMarks(marks: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < marks.length; i++) count += marks[i]!;
  return count;
}

/** Changes whose context lines touch are in the same hunk. */
function spansOf({ old, new: now }: ComparedLines, { deleted, added }: LineMarks): HunkSpan[] {
  const spans: HunkSpan[] = [];
  let last: HunkSpan | undefined;
  for (let [i, j] = [0, 0]; i < old.count || j < now.count;) {
    if (deleted[i] !== 1 && added[j] !== 1) {
      i++;
      j++;
      continue;
    }
    if (last === undefined || i - last.oldEnd > 2 * CONTEXT_LINES) {
      const before = Math.min(i, j, CONTEXT_LINES);
      last = { header: "", oldStart: i - before, newStart: j - before, oldEnd: i, newEnd: j };
      spans.push(last);
    }
    while (deleted[i] === 1) i++;
    while (added[j] === 1) j++;
    last.oldEnd = i;
    last.newEnd = j;
  }
  for (const span of spans) {
    span.oldEnd = Math.min(span.oldEnd + CONTEXT_LINES, old.count);
    span.newEnd = Math.min(span.newEnd + CONTEXT_LINES, now.count);
  }
  return spans;
}

function endsWithoutNewline({ bytes, count }: Lines, end: number): boolean {
  return end === count && bytes[bytes.length - 1] !== NEWLINE;
}

/** Converts a range that is counted from 0 to a range counted from 1. An empty range is unchanged. */
export function rangeOf(start: number, end: number): { start: number; end: number } {
  return end === start ? { start, end } : { start: start + 1, end: end + 1 };
}

function print({ start, end }: { start: number; end: number }): string {
  return end - start === 1 ? `${start}` : `${start},${end - start}`;
}

/**
 * Returns the heading of a hunk with a leading space: the last of the given lines that begins with a letter,
 * often the start of a function. Returns `undefined` when no line begins with a letter.
 */
function lastHeading({ bytes, starts }: Lines, first: number, end: number): string | undefined {
  for (let line = end - 1; line >= first; line--) {
    const start = starts[line]!;
    if (beginsHeading(bytes[start]!)) return ` ${decodeHeading(bytes.subarray(start, starts[line + 1]))}`;
  }
  return undefined;
}

/** Checks whether a byte is a letter, `_` or `$`. */
function beginsHeading(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a || byte === 0x5f || byte === 0x24;
}

/**
 * Returns the heading from the first bytes of a line. The heading ends before the first character that is cut
 * off or malformed. libgit2 accepts any first byte that encodes a length, even if the character is not valid
 * UTF-8 (found by tests).
 */
function decodeHeading(line: Uint8Array): string {
  let length = line.length;
  while (length > 0 && isAsciiSpace(line[length - 1]!)) length--;
  length = Math.min(length, MAX_HEADING_BYTES);
  let end = 0;
  for (let next = 0; end < length; end = next) {
    const ones = Math.clz32(~line[end]! << 24);
    const wanted = end + Math.max(ones, 1);
    for (next = end + 1; next < Math.min(wanted, length) && isContinuation(line[next]!);) next++;
    if (ones === 1 || ones > MAX_CHARACTER_BYTES || next < wanted) break;
  }
  return decoder.decode(line.subarray(0, end));
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
