/** Counts the pieces that one text has in common with each of many: a table of the many texts' pieces, so that only common ones cost time. */
import type { Pieces } from "./similarity.ts";

/** Where a chain of entries ends. */
const NONE = -1;

/** Spreads pieces over the table, which are hashes, but not in all of their bits. */
const SPREAD = 0x9e3779b1 | 0;

/** The pieces of several texts. */
export class PieceIndex {
  readonly #heads: Int32Array;
  readonly #shift: number;
  /** Of each entry: the piece, the text that has it, how often, and the next entry of the chain. */
  readonly #pieces: Int32Array;
  readonly #texts: Int32Array;
  readonly #counts: Int32Array;
  readonly #next: Int32Array;
  #entries = 0;
  /** Of each text, how many pieces it has in common with the one that is asked about. */
  readonly #common: Int32Array;

  /** @param texts Pieces of each text; none where they are not known. */
  constructor(texts: readonly (Pieces | undefined)[]) {
    const size = texts.reduce((sum, pieces) => sum + (pieces?.length ?? 0), 0);
    const bits = Math.max(1, 32 - Math.clz32(size));
    this.#shift = 32 - bits;
    this.#heads = new Int32Array(2 ** bits).fill(NONE);
    this.#pieces = new Int32Array(size);
    this.#texts = new Int32Array(size);
    this.#counts = new Int32Array(size);
    this.#next = new Int32Array(size);
    this.#common = new Int32Array(texts.length);
    texts.forEach((pieces, text) => this.#add(pieces, text));
  }

  /**
   * How many pieces a text has in common with each of those that have any.
   *
   * @param limit Entries to look at.
   * @returns The numbers of those texts in ascending order, how many pieces are common, and how many entries were looked at; `undefined` when there
   * are too many.
   */
  common(
    pieces: Pieces,
    limit: number,
  ): { readonly texts: number[]; of(text: number): number; readonly looked: number } | undefined {
    const common = this.#common.fill(0);
    const texts: number[] = [];
    let looked = 0;
    for (let start = 0, end = 0; start < pieces.length; start = end) {
      const piece = pieces[start]!;
      while (end < pieces.length && pieces[end] === piece) end++;
      for (let at = this.#heads[this.#bucket(piece)]!; at !== NONE; at = this.#next[at]!) {
        looked++;
        if (this.#pieces[at] !== piece) continue;
        const text = this.#texts[at]!;
        if (common[text] === 0) texts.push(text);
        common[text]! += Math.min(end - start, this.#counts[at]!);
      }
      if (looked > limit) return undefined;
    }
    return { texts: texts.sort((a, b) => a - b), of: (text) => common[text]!, looked };
  }

  /** Adds an entry for each different piece; pieces are in ascending order. */
  #add(pieces: Pieces = new Int32Array(), text: number): void {
    for (let start = 0, end = 0; start < pieces.length; start = end) {
      const piece = pieces[start]!;
      while (end < pieces.length && pieces[end] === piece) end++;
      const at = this.#entries++;
      const bucket = this.#bucket(piece);
      this.#pieces[at] = piece;
      this.#texts[at] = text;
      this.#counts[at] = end - start;
      this.#next[at] = this.#heads[bucket]!;
      this.#heads[bucket] = at;
    }
  }

  #bucket(piece: number): number {
    return Math.imul(piece, SPREAD) >>> this.#shift;
  }
}
