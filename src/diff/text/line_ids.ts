/** Assigns ids to lines, so that equal lines have equal ids. */
import { areEqualLines, type ComparedLines, type Lines } from "./lines.ts";

/** Ids of the differing lines, and the number of occurrences of each id in both texts. */
export interface LineIds {
  /** Ids of the differing lines of the old text. */
  readonly old: Int32Array;
  readonly new: Int32Array;
  /** Number of occurrences of each id in the whole old text. */
  readonly oldCounts: Int32Array;
  readonly newCounts: Int32Array;
}

/**
 * Maximum average number of hash table probes per line. Only malicious texts have more collisions, and
 * libgit2 compares such texts.
 */
export const MAX_PROBES_PER_LINE = 16;
/** Number of probes that are allowed in addition to {@link MAX_PROBES_PER_LINE} for each line. */
const FREE_PROBES = 4096;

/** Assigns ids to the differing lines; `undefined` when there are too many hash collisions. */
export function assignLineIds(
  { old, new: now, first, oldEnd, newEnd }: ComparedLines,
): LineIds | undefined {
  const [oldLength, newLength] = [oldEnd - first, newEnd - first];
  const table = new LineTable(oldLength + newLength, old.count + now.count);
  const [oldNumbers, newNumbers] = [new Int32Array(oldLength), new Int32Array(newLength)];
  for (let i = 0; i < oldLength; i++) oldNumbers[i] = table.number(old, first + i);
  for (let i = 0; i < newLength; i++) newNumbers[i] = table.number(now, first + i);
  const [oldCounts, newCounts] = [new Int32Array(table.size), new Int32Array(table.size)];
  for (const number of oldNumbers) oldCounts[number]!++;
  for (const number of newNumbers) newCounts[number]!++;
  for (let i = 0; i < old.count; i++) {
    // The differing lines have already been counted above.
    if (i >= first && i < oldEnd) continue;
    const number = table.find(old, i);
    if (number < 0) continue;
    oldCounts[number]!++;
    newCounts[number]!++;
  }
  if (table.probesLeft < 0) return undefined;
  return { old: oldNumbers, new: newNumbers, oldCounts, newCounts };
}

/** A hash table that assigns an id to each different line. */
class LineTable {
  /** Id + 1 of the line in each slot of the hash table. Zero marks a free slot. */
  readonly #slots: Int32Array;
  /** The first line of each id: its text, its index in this text, and its hash. */
  readonly #texts: Lines[] = [];
  readonly #lines: Int32Array;
  readonly #hashes: Int32Array;
  size = 0;
  /** Number of probes that are still allowed. When the number is negative, some ids are wrong. */
  probesLeft: number;

  constructor(capacity: number, lookups: number) {
    this.#lines = new Int32Array(capacity);
    this.#hashes = new Int32Array(capacity);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity + 1)));
    this.probesLeft = FREE_PROBES + MAX_PROBES_PER_LINE * lookups;
  }

  /** Returns the id of a line. A line that is not in the table gets a new id. */
  number(text: Lines, line: number): number {
    const hash = hashLine(text, line);
    const slot = this.#slotOf(text, line, hash);
    const known = this.#slots[slot]!;
    if (known > 0) return known - 1;
    const number = this.size++;
    this.#texts.push(text);
    this.#lines[number] = line;
    this.#hashes[number] = hash;
    this.#slots[slot] = number + 1;
    return number;
  }

  /** Returns the id of an equal line; -1 when the table has none. */
  find(text: Lines, line: number): number {
    return this.#slots[this.#slotOf(text, line, hashLine(text, line))]! - 1;
  }

  /** Returns the slot of an equal line, or a free slot. After too many probes, returns any slot. */
  #slotOf(text: Lines, line: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ hash >>> 16) & mask;; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1;
      if (number < 0 || --this.probesLeft < 0) return slot;
      if (
        this.#hashes[number] === hash && areEqualLines(this.#texts[number]!, this.#lines[number]!, text, line)
      ) {
        return slot;
      }
    }
  }
}

/** Returns a hash of a line, which is computed from four bytes at a time. */
export function hashLine({ bytes, view, starts }: Lines, line: number): number {
  let hash = 0x811c9dc5;
  let at = starts[line]!;
  const end = starts[line + 1]!;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at), 0x01000193);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash;
}
