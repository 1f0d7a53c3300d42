/** Finds pairs of an old and an added file that are similar: the one may be a move or copy of the other. */
import type { Oid } from "../../ids/oid.ts";
import type { Change, FileSide } from "../tree_comparison.ts";
import { Budget } from "../budget.ts";
import { areAlike, type Pieces, piecesOf } from "./similarity.ts";

/** An old file and an added file that are similar, or may be. */
export interface Relation {
  readonly from: Change;
  readonly to: Change;
  /** Whether libgit2 certainly finds them similar. Otherwise libgit2 has to decide. */
  readonly areSurelyAlike: boolean;
  /** From 0 to 1 for equal files; 0 where a file has a zero byte and is not equal. */
  readonly similarity: number;
}

/** Similarity of a file that was moved or copied. */
export const MIN_SIMILARITY = 0.5;

/** Most steps of the search: common pieces and compared pairs. Beyond, libgit2 searches. */
export const MAX_RELATION_STEPS = 2 ** 24;
/** Steps between two places where the search may pause: about a millisecond. */
const STEPS_AT_ONCE = 2 ** 17;

/**
 * Most times by which one file may be larger than the other if their similarity is to be certain. libgit2
 * compares files up to twice this factor, as tests showed.
 */
const MAX_PLAIN_SIZE_FACTOR = 4;
/** libgit2 does not compare files of which one is so many times as large, unless one is small. */
const [MAX_SIZE_FACTOR, SMALL_BYTES] = [8, 128];

const NEWLINE = 0x0a;

const NO_HASHES = new Int32Array();
const NO_PIECES: Pieces = { hashes: NO_HASHES, counts: NO_HASHES, length: 0 };

/** A text in pieces, for comparisons. */
export interface TextPieces {
  /** Bytes in the text. */
  readonly size: number;
  /** `undefined` when the text contains a zero byte. */
  readonly pieces: Pieces | undefined;
  /** Whether the text is white space without a newline. Only such a text may be similar to an empty one. */
  readonly isLikeEmpty: boolean;
}

/** Cuts a text into pieces. */
export function toTextPieces(bytes: Uint8Array): TextPieces {
  const pieces = piecesOf(bytes);
  return { size: bytes.length, pieces, isLikeEmpty: pieces?.length === 0 && !bytes.includes(NEWLINE) };
}

/** A side of a change that takes part in the search. */
interface Candidate {
  readonly change: Change;
  readonly side: FileSide;
  /** Bytes in the file; `undefined` when its content is not compared. */
  readonly size: number | undefined;
  readonly pieces: Pieces | undefined;
  readonly isLikeEmpty: boolean;
}

/**
 * Finds the relations between files, those of one added file after those of another. A file without text is
 * related to equal files only.
 *
 * @param take Takes a relation, of which there may be a million. Returns false when it needs no more.
 * @returns Whether all were found: not when it takes too many steps, or `take` needs no more.
 */
export async function findRelations(
  changes: readonly Change[],
  texts: ReadonlyMap<Oid, TextPieces>,
  take: (relation: Relation) => boolean,
  budget: Pick<Budget, "yield"> = new Budget(),
): Promise<boolean> {
  const [sources, targets] = candidatesOf(changes, texts);
  const index = new PieceIndex(sources.map(({ pieces = NO_PIECES }) => pieces));
  for (const i of sources.keys()) {
    const pause = budget.yield();
    if (pause !== undefined) await pause;
    index.add(i);
  }
  const byOid = Map.groupBy(sources.keys(), (i) => sources[i]!.side.oid);
  /** Sources that may be similar to a text without a common piece: white space, and what is no text. */
  const odd = [...sources.keys()].filter((i) => {
    const { size = 0, pieces } = sources[i]!;
    return size > 0 && !pieces?.length;
  });
  let [steps, pauseAt] = [0, 0];
  for (const target of targets) {
    if (steps >= pauseAt) {
      const pause = budget.yield();
      if (pause !== undefined) await pause;
      pauseAt = steps + STEPS_AT_ONCE;
    }
    const { pieces = NO_PIECES } = target;
    const common = await index.common(pieces, MAX_RELATION_STEPS - steps, budget);
    if (common === undefined) return false;
    const equal = byOid.get(target.side.oid) ?? [];
    const related = pieces.length === 0 && target.size !== undefined
      ? [...sources.keys()]
      : odd.length + equal.length === 0
      ? common.texts
      : [...new Set([...common.texts, ...odd, ...equal])].sort((a, b) => a - b);
    steps += common.looked + related.length;
    if (steps > MAX_RELATION_STEPS) return false;
    for (const i of related) {
      const source = sources[i]!;
      const alike = areFilesAlike(source, target, common.of(i));
      if (alike === false) continue;
      const needsMore = take({
        from: source.change,
        to: target.change,
        areSurelyAlike: alike === true,
        similarity: similarityOf(source, target, common.of(i)),
      });
      if (!needsMore) return false;
    }
  }
  return true;
}

/** Sources, which are old sides of files, and targets, which are new sides of added files. */
function candidatesOf(
  changes: readonly Change[],
  texts: ReadonlyMap<Oid, TextPieces>,
): [sources: Candidate[], targets: Candidate[]] {
  const [sources, targets]: [Candidate[], Candidate[]] = [[], []];
  for (const change of changes) {
    const side = change.old ?? change.new;
    if (side === undefined) continue;
    const text = texts.get(side.oid);
    const candidate = {
      change,
      side,
      size: text?.size,
      pieces: text?.pieces,
      isLikeEmpty: text?.isLikeEmpty ?? false,
    };
    (change.old === undefined ? targets : sources).push(candidate);
  }
  return [sources, targets];
}

/** Whether libgit2 finds two files similar; `undefined` when that is uncertain. */
function areFilesAlike(a: Candidate, b: Candidate, common: number): boolean | undefined {
  const areFiles = isFile(a.side) && isFile(b.side);
  if (a.side.oid === b.side.oid) return areFiles || undefined;
  if (a.size === undefined || b.size === undefined) return false;
  const [least, most] = [Math.min(a.size, b.size), Math.max(a.size, b.size)];
  if (least >= SMALL_BYTES && most > MAX_SIZE_FACTOR * least) return false;
  if (a.size === 0 && !b.isLikeEmpty || b.size === 0 && !a.isLikeEmpty) return false;
  const alike = a.pieces && b.pieces && areAlike(common, a.pieces, b.pieces);
  const areClose = most <= MAX_PLAIN_SIZE_FACTOR * least;
  return alike && !(areFiles && areClose) ? undefined : alike;
}

function similarityOf(a: Candidate, b: Candidate, common: number): number {
  if (a.side.oid === b.side.oid) return 1;
  return 2 * common / ((a.pieces?.length ?? 0) + (b.pieces?.length ?? 0) || 1);
}

function isFile({ mode }: FileSide): boolean {
  return mode === "blob" || mode === "blobExecutable";
}

/** Marks the end of a chain of entries. */
const NONE = -1;

/** Factor that spreads the pieces over the table: they are hashes, but not random in all bits. */
const SPREAD = 0x9e3779b1 | 0;

/** The pieces of several texts. */
export class PieceIndex {
  readonly #heads: Int32Array;
  readonly #shift: number;
  readonly #pieces: readonly Pieces[];
  /** The number of the first entry of each text. A text has an entry for each different piece, in order. */
  readonly #starts: Int32Array;
  /** For each entry its text, and the next entry of the chain. */
  readonly #texts: Int32Array;
  readonly #next: Int32Array;
  /** For each text the number of pieces in common with the text being looked up. */
  readonly #common: Int32Array;
  /** Texts that have such pieces. */
  #found: number[] = [];

  /** @param pieces Those of each text, which {@link add} adds. */
  constructor(pieces: readonly Pieces[]) {
    this.#pieces = pieces;
    this.#starts = new Int32Array(pieces.length);
    let size = 0;
    for (const [text, { hashes }] of pieces.entries()) {
      this.#starts[text] = size;
      size += hashes.length;
    }
    const bits = Math.max(1, 32 - Math.clz32(size));
    this.#shift = 32 - bits;
    this.#heads = new Int32Array(2 ** bits).fill(NONE);
    this.#texts = new Int32Array(size);
    this.#next = new Int32Array(size);
    this.#common = new Int32Array(pieces.length);
  }

  /**
   * Finds the texts that have pieces in common with a text.
   *
   * @param limit Most entries to read.
   * @returns The indexes of the texts in ascending order, a function for the number of common pieces of each,
   *   and the number of entries read; `undefined` beyond the limit.
   */
  async common(
    { hashes, counts }: Pieces,
    limit: number,
    budget: Pick<Budget, "yield">,
  ): Promise<{ readonly texts: number[]; of(text: number): number; readonly looked: number } | undefined> {
    const common = this.#common;
    for (const text of this.#found) common[text] = 0;
    const texts: number[] = this.#found = [];
    let [looked, pauseAt] = [0, 0];
    for (let i = 0; i < hashes.length; i++) {
      if (looked + i >= pauseAt) {
        const pause = budget.yield();
        if (pause !== undefined) await pause;
        pauseAt = looked + i + STEPS_AT_ONCE;
      }
      const hash = hashes[i]!;
      for (let at = this.#heads[this.#bucket(hash)]!; at !== NONE; at = this.#next[at]!) {
        looked++;
        const text = this.#texts[at]!;
        const [pieces, entry] = [this.#pieces[text]!, at - this.#starts[text]!];
        if (pieces.hashes[entry] !== hash) continue;
        if (common[text] === 0) texts.push(text);
        common[text]! += Math.min(counts[i]!, pieces.counts[entry]!);
      }
      if (looked > limit) return undefined;
    }
    return { texts: texts.sort((a, b) => a - b), of: (text) => common[text]!, looked };
  }

  /** Adds an entry for each different piece of a text. */
  add(text: number): void {
    let at = this.#starts[text]!;
    for (const hash of this.#pieces[text]!.hashes) {
      const bucket = this.#bucket(hash);
      this.#texts[at] = text;
      this.#next[at] = this.#heads[bucket]!;
      this.#heads[bucket] = at++;
    }
  }

  #bucket(hash: number): number {
    return Math.imul(hash, SPREAD) >>> this.#shift;
  }
}
