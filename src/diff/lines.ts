/** A text as lines of bytes: where each begins, and which of them two texts have in common at both ends. */

const NEWLINE = 0x0a;

/** A text and where its lines begin. A line ends behind its newline; the last one may have none. */
export class Lines {
  readonly bytes: Uint8Array;
  /** Lines in the text. */
  readonly count: number;
  /** Where each line begins, and at last where the text ends. */
  readonly starts: Int32Array;

  constructor(bytes: Uint8Array, starts: Int32Array) {
    this.bytes = bytes;
    this.starts = starts;
    this.count = starts.length - 1;
  }

  /** Whether two of the lines are equal. */
  areEqual(a: number, b: number): boolean {
    const { bytes, starts } = this;
    const start = starts[a]!;
    const length = starts[a + 1]! - start;
    const shift = starts[b]! - start;
    if (starts[b + 1]! - starts[b]! !== length) return false;
    for (let i = start; i < start + length; i++) if (bytes[i] !== bytes[i + shift]) return false;
    return true;
  }
}

/** Two texts, and where they differ: below these lines the old text has between `first` and `oldEnd`, the new one between `first` and `newEnd`. */
export interface ComparedLines {
  readonly old: Lines;
  readonly new: Lines;
  /** Lines that both begin with. */
  readonly first: number;
  /** Where the lines begin that both end with. */
  readonly oldEnd: number;
  readonly newEnd: number;
}

/** Splits two texts into lines. Each byte of what they have in common is looked at once. */
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
    old: new Lines(old, joinStarts(common, oldMiddle, tail, 0)),
    new: new Lines(now, joinStarts(common, newMiddle, tail, now.length - old.length)),
    first: common.length,
    oldEnd: common.length + oldMiddle.length,
    newEnd: common.length + newMiddle.length,
  };
}

/** Bytes in the lines that both texts begin with. */
function commonPrefix(old: Uint8Array, now: Uint8Array): number {
  const length = Math.min(old.length, now.length);
  let at = 0;
  while (at < length && old[at] === now[at]) at++;
  return at === 0 ? 0 : old.lastIndexOf(NEWLINE, at - 1) + 1;
}

/** Bytes in the lines that both texts end with, those of the common prefix not counted. */
function commonSuffix(old: Uint8Array, now: Uint8Array, prefix: number): number {
  const limit = Math.min(old.length, now.length) - prefix;
  const [oldLast, newLast] = [old.length - 1, now.length - 1];
  let length = 0;
  while (length < limit && old[oldLast - length] === now[newLast - length]) length++;
  if (length === 0) return 0;
  const isStart = (bytes: Uint8Array): boolean => {
    const start = bytes.length - length;
    return start === prefix || bytes[start - 1] === NEWLINE;
  };
  if (isStart(old) && isStart(now)) return length;
  const newline = old.indexOf(NEWLINE, old.length - length);
  return newline < 0 ? 0 : old.length - newline - 1;
}

/** Where the lines between two positions end. */
function lineEnds(bytes: Uint8Array, start: number, end: number): number[] {
  const ends: number[] = [];
  for (let at = start; at < end; at++) if (bytes[at] === NEWLINE) ends.push(at + 1);
  if (end > start && bytes[end - 1] !== NEWLINE) ends.push(end);
  return ends;
}

function joinStarts(
  common: readonly number[],
  middle: readonly number[],
  tail: readonly number[],
  shift: number,
): Int32Array {
  const starts = new Int32Array(common.length + middle.length + tail.length + 1);
  starts.set(common, 1);
  starts.set(middle, 1 + common.length);
  for (let i = 0, to = 1 + common.length + middle.length; i < tail.length; i++) {
    starts[to + i] = tail[i]! + shift;
  }
  return starts;
}
