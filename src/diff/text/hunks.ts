/** Groups changed lines and the lines around them into hunks, as git does. */
import { isAsciiSpace } from "../../text/white_space.ts";
import type { EndOfFile, FileContent, FileStats, LineType } from "../diff_object.ts";
import type { LineMarks } from "./myers.ts";
import type { ComparedLines, Lines } from "./lines.ts";

/** Unchanged lines shown before and after changed ones. */
const CONTEXT_LINES = 3;
/** Most bytes of the heading in a hunk's header. */
const MAX_HEADING_BYTES = 80;

const MAX_CHARACTER_BYTES = 4;
const NEWLINE = 0x0a;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The content of a file without hunks. */
export const NO_CONTENT: FileContent = {
  type: "plain",
  hunks: [],
  stats: { additions: 0, deletions: 0 },
  eof: "noneMissing",
};

/**
 * The content of a file that is binary on its new or only side. Equal to {@link NO_CONTENT}, but another
 * object, which tells binary files apart in forms of a diff that name them.
 */
export const BINARY_CONTENT: FileContent = { ...NO_CONTENT };

/** The content of a file that is too large to be compared. */
export const TRUNCATED_CONTENT: FileContent = { ...NO_CONTENT, truncated: true };

/** Most lines in the hunks of a file, counted on both sides. A file with more is truncated: without hunks. */
export const MAX_SHOWN_LINES = 2 ** 19;

/** A range of old lines and the range of new lines that replaces it. */
interface Span {
  readonly oldStart: number;
  readonly newStart: number;
  oldEnd: number;
  newEnd: number;
}

/** A hunk without the text of its lines. Ranges are counted from 0; their ends are exclusive. */
export interface HunkSpan {
  readonly header: string;
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** The content of a file without the text of its lines. */
export interface LineContent {
  readonly texts: ComparedLines;
  readonly marks: LineMarks;
  readonly spans: readonly HunkSpan[];
  /** Added and deleted lines, without markers of a missing newline. */
  readonly insertions: number;
  readonly deletions: number;
  readonly stats: FileStats;
  readonly eof: EndOfFile;
}

/** Finds the hunks of a file. A file with too many lines in hunks is truncated. */
export function toLineContent(texts: ComparedLines, marks: LineMarks): LineContent | FileContent {
  const headings = new Headings(texts.old);
  const missing = { old: false, new: false };
  const [insertions, deletions] = [countMarks(marks.added), countMarks(marks.deleted)];
  const shown = spansOf(texts, marks);
  if (countShown(shown) > MAX_SHOWN_LINES) {
    return { ...TRUNCATED_CONTENT, stats: { additions: insertions, deletions } };
  }
  const spans: HunkSpan[] = [];
  for (const { oldStart, oldEnd, newStart, newEnd } of shown) {
    missing.old ||= oldEnd > oldStart && endsWithoutNewline(texts.old, oldEnd);
    missing.new ||= newEnd > newStart && endsWithoutNewline(texts.new, newEnd);
    const header = `@@ -${print(rangeOf(oldStart, oldEnd))} +${print(rangeOf(newStart, newEnd))} @@${
      headings.before(oldStart)
    }\n`;
    spans.push({ header, oldStart, oldEnd, newStart, newEnd });
  }
  const stats = { additions: insertions, deletions };
  // A marker counts on the opposite side of the line before it; after an unchanged line it does not count.
  if (missing.old && marks.deleted.at(-1) === 1) stats.additions++;
  if (missing.new && marks.added.at(-1) === 1) stats.deletions++;
  return { texts, marks, spans, insertions, deletions, stats, eof: toEndOfFile(missing) };
}

/** Calls back for each line of a hunk, in the order in which git prints them. */
export function forEachLine(
  { deleted, added }: LineMarks,
  { oldStart, oldEnd, newStart, newEnd }: HunkSpan,
  show: (type: LineType, index: number, newIndex: number) => void,
): void {
  for (let [i, j] = [oldStart, newStart]; i < oldEnd || j < newEnd;) {
    if (i < oldEnd && deleted[i] === 1) show("deletion", i++, j);
    else if (j < newEnd && added[j] === 1) show("addition", j++, j);
    else show("context", i++, j++);
  }
}

/** The sides whose last line has no newline. */
function toEndOfFile(missing: { old: boolean; new: boolean }): EndOfFile {
  if (missing.old) return missing.new ? "bothMissing" : "oldMissing";
  return missing.new ? "newMissing" : "noneMissing";
}

function countShown(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + span.oldEnd - span.oldStart + span.newEnd - span.newStart, 0);
}

function countMarks(marks: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < marks.length; i++) count += marks[i]!;
  return count;
}

/** Lines of each hunk. Changes whose contexts touch are in one hunk. */
function spansOf({ old, new: now }: ComparedLines, { deleted, added }: LineMarks): Span[] {
  const spans: Span[] = [];
  let last: Span | undefined;
  for (let [i, j] = [0, 0]; i < old.count || j < now.count;) {
    if (deleted[i] !== 1 && added[j] !== 1) {
      i++;
      j++;
      continue;
    }
    if (last === undefined || i - last.oldEnd > 2 * CONTEXT_LINES) {
      const before = Math.min(i, j, CONTEXT_LINES);
      last = { oldStart: i - before, newStart: j - before, oldEnd: i, newEnd: j };
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

/** Converts a range counted from 0 to its wire form, counted from 1. An empty range is unchanged. */
export function rangeOf(start: number, end: number): { start: number; end: number } {
  return end === start ? { start, end } : { start: start + 1, end: end + 1 };
}

/** Prints a range for a header: its start, and its length unless that is one. */
function print({ start, end }: { start: number; end: number }): string {
  return end - start === 1 ? `${start}` : `${start},${end - start}`;
}

/**
 * Finds the headings of hunks: the last line before each that begins with a letter, often a function's. To be
 * called from the first hunk to the last, so that each line is read once.
 */
class Headings {
  readonly #text: Lines;
  #searched = 0;
  #last = "";

  constructor(text: Lines) {
    this.#text = text;
  }

  /** The heading for a hunk that begins with a line, after a space; empty when there is none. */
  before(line: number): string {
    const { bytes, starts } = this.#text;
    for (let i = line - 1; i >= this.#searched; i--) {
      const start = starts[i]!;
      if (!beginsHeading(bytes[start]!)) continue;
      this.#last = ` ${decodeHeading(bytes.subarray(start, starts[i + 1]))}`;
      break;
    }
    this.#searched = Math.max(this.#searched, line);
    return this.#last;
  }
}

/** Whether a byte is a letter, `_` or `$`. */
function beginsHeading(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a || byte === 0x5f || byte === 0x24;
}

/**
 * The heading from a line: the characters in its first bytes, up to one that is cut off or malformed. As
 * tests of libgit2 showed, a character is a byte that tells a length, and so many bytes, be it UTF-8 or not.
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

/** Whether a byte is a continuation byte of UTF-8. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
