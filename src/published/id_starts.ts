/** The starts of the ids of a few objects: most ids of other objects begin otherwise. */
import type { Oid } from "../ids/oid.ts";

/** Hexadecimal digits of a start. */
const START_DIGITS = 4;

/** Encodes the first 16 bits of ids as base64: in ascending order, each once. */
export function encodeIdStarts(oids: Iterable<Oid>): string {
  const starts = new Set<number>();
  for (const oid of oids) starts.add(startOf(oid));
  return btoa(
    [...starts].sort((a, b) => a - b).map((start) => String.fromCharCode(start >> 8, start & 255)).join(""),
  );
}

/** The starts of the ids of a pack. */
export class IdStarts {
  readonly #starts: Uint16Array;

  /** @param text As from {@link encodeIdStarts}. */
  constructor(text: string) {
    const bytes = atob(text);
    const start = (_: unknown, i: number) => bytes.charCodeAt(2 * i) << 8 | bytes.charCodeAt(2 * i + 1);
    this.#starts = Uint16Array.from({ length: bytes.length / 2 }, start);
  }

  /** Whether an object with this id may be among them. */
  mayHave(oid: Oid): boolean {
    const wanted = startOf(oid);
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#starts[low] === wanted;
  }
}

function startOf(oid: Oid): number {
  return parseInt(oid.slice(0, START_DIGITS), 16);
}
