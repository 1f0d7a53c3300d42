/** Splits texts into lines of bytes, and finds the lines that two texts have in common at both ends. */
import { viewOf } from "../../bytes/bytes.ts";

const NEWLINE = 0x0a;

/** A text and the offsets of its lines. A line includes its newline. The last line may lack a newline. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Number of lines in the text. */
  readonly count: number;
  /** Offsets of the starts of all lines, and the length of the text at the end. */
  readonly starts: Int32Array;
}

/** Returns the length of a line, in bytes. */
export function lengthOf({ starts }: Lines, line: number): number {
  return starts[line + 1]! - starts[line]!;
}

export function areEqualLines(a: Lines, lineOfA: number, b: Lines, lineOfB: number): boolean {
  const length = lengthOf(a, lineOfA);
  if (length !== lengthOf(b, lineOfB)) return false;
  let [atA, atB] = [a.starts[lineOfA]!, b.starts[lineOfB]!];
  const end = atA + length;
  for (; atA + 4 <= end; atA += 4, atB += 4) if (a.view.getInt32(atA) !== b.view.getInt32(atB)) return false;
  for (; atA < end; atA++, atB++) if (a.bytes[atA] !== b.bytes[atB]) return false;
  return true;
}

/**
 * Two texts, and the range of lines that differs in each text. Both ranges start at line `first`. The ranges
 * end before line `oldEnd` of the old text and before line `newEnd` of the new text.
 */
export interface ComparedLines {
  readonly old: Lines;
  readonly new: Lines;
  /** Number of equal lines at the start of both texts. */
  readonly first: number;
  /** Index in the old text of the first of the equal lines at the end. */
  readonly oldEnd: number;
  readonly newEnd: number;
}

/** Splits two texts into lines. The equal lines at both ends are scanned only once. */
export function splitLines(old: Uint8Array, now: Uint8Array): ComparedLines {
  const prefix = commonPrefix(old, now);
  const suffix = commonSuffix(old, now, prefix);
  const common = lineEnds(old, 0, prefix);
  const tail = lineEnds(old, old.length - suffix, old.length);
  const [oldMiddle, newMiddle] = [
    lineEnds(old, prefix, old.length - suffix),
    lineEnds(now, prefix, now.length - suffix),
  ];
  return {
    old: linesOf(old, common, oldMiddle, tail, 0),
    new: linesOf(now, common, newMiddle, tail, now.length - old.length),
    first: common.length,
    oldEnd: common.length + oldMiddle.length,
    newEnd: common.length + newMiddle.length,
  };
}

function commonPrefix(old: Uint8Array, now: Uint8Array): number {
  const length = Math.min(old.length, now.length);
  let at = 0;
  while (at < length && old[at] === now[at]) at++;
  return at === 0 ? 0 : old.lastIndexOf(NEWLINE, at - 1) + 1;
}

/** Returns the number of equal bytes at the end of both texts, without the common prefix. */
function commonSuffix(old: Uint8Array, now: Uint8Array, prefix: number): number {
  const limit = Math.min(old.length, now.length) - prefix;
  let [oldStart, newStart] = [old.length, now.length];
  const stop = oldStart - limit;
  while (oldStart > stop && old[oldStart - 1] === now[newStart - 1]) {
    oldStart--;
    newStart--;
  }
  if (oldStart === old.length) return 0;
  const isLineOfOld = oldStart === prefix || old[oldStart - 1] === NEWLINE;
  const isLineOfNew = newStart === prefix || now[newStart - 1] === NEWLINE;
  if (isLineOfOld && isLineOfNew) return old.length - oldStart;
  const newline = old.indexOf(NEWLINE, oldStart);
  return newline < 0 ? 0 : old.length - newline - 1;
}

/** Returns the offsets of the ends of the lines between two offsets. */
function lineEnds(bytes: Uint8Array, start: number, end: number): number[] {
  const ends: number[] = [];
  let at = bytes.indexOf(NEWLINE, start);
  for (; at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(at + 1);
  if (end > start && bytes[end - 1] !== NEWLINE) ends.push(end);
  return ends;
}

/** Counts the lines of a text. Stops when the number exceeds the limit. */
export function countLines(bytes: Uint8Array, limit: number): number {
  let lines = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0;
  let at = bytes.indexOf(NEWLINE);
  for (; at >= 0 && lines <= limit; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/**
 * Creates the lines of a text from the offsets of their ends.
 *
 * @param tail Ends of the last lines in the old text. In this text the offsets are greater by `shift`.
 */
function linesOf(
  bytes: Uint8Array,
  common: readonly number[],
  middle: readonly number[],
  tail: readonly number[],
  shift: number,
): Lines {
  const starts = new Int32Array(common.length + middle.length + tail.length + 1);
  starts.set(common, 1);
  starts.set(middle, 1 + common.length);
  for (let i = 0, to = 1 + common.length + middle.length; i < tail.length; i++) {
    starts[to + i] = tail[i]! + shift;
  }
  return { bytes, view: viewOf(bytes), starts, count: starts.length - 1 };
}
