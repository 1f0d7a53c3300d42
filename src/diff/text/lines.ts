/** Splits texts into lines of bytes, and finds the lines that two texts have in common at both ends. */
import { viewOf } from "../../bytes/bytes.ts";

const NEWLINE = 0x0a;

/** A text and the offsets of its lines. A line includes its newline; the last line may have none. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Lines in the text. */
  readonly count: number;
  /** Offsets of all lines, then the length of the text. */
  readonly starts: Int32Array;
}

/** Bytes of a line. */
export function lengthOf({ starts }: Lines, line: number): number {
  return starts[line + 1]! - starts[line]!;
}

/** Whether lines of two texts are equal. */
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
 * Two texts, and the ranges of lines in which they differ: from `first` to before `oldEnd` in the old text,
 * and to before `newEnd` in the new text.
 */
export interface ComparedLines {
  readonly old: Lines;
  readonly new: Lines;
  /** Number of equal lines at the start of both texts. */
  readonly first: number;
  /** Index of the first of the equal lines at the end. */
  readonly oldEnd: number;
  readonly newEnd: number;
}

/** Splits two texts into lines. Scans the equal lines at the start and the end once for both texts. */
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

/** Bytes of the equal lines at the start of both texts. */
function commonPrefix(old: Uint8Array, now: Uint8Array): number {
  const length = Math.min(old.length, now.length);
  let at = 0;
  while (at < length && old[at] === now[at]) at++;
  return at === 0 ? 0 : old.lastIndexOf(NEWLINE, at - 1) + 1;
}

/** Bytes of the equal lines at the end of both texts, without the common prefix. */
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

/** Ends of the lines between two offsets. */
function lineEnds(bytes: Uint8Array, start: number, end: number): number[] {
  const ends: number[] = [];
  let at = bytes.indexOf(NEWLINE, start);
  for (; at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(at + 1);
  if (end > start && bytes[end - 1] !== NEWLINE) ends.push(end);
  return ends;
}

/** Number of lines in a text; stops counting above the limit. */
export function countLines(bytes: Uint8Array, limit: number): number {
  let lines = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0;
  let at = bytes.indexOf(NEWLINE);
  for (; at >= 0 && lines <= limit; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/**
 * A text whose line ends are known.
 *
 * @param tail Ends of the last lines in the other text, whose offsets differ by `shift`.
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
