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
  const index = await PieceIndex.of(sources.map(({ pieces = NO_PIECES }) => pieces), budget);
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
    const others = pieces.length === 0 && target.size !== undefined
      ? [...sources.keys()]
      : [...odd, ...byOid.get(target.side.oid) ?? []];
    steps += common.looked + common.texts.length + others.length;
    if (steps > MAX_RELATION_STEPS) return false;
    const near = common.texts.filter((i) => areAlike(common.of(i), sources[i]!.pieces!, pieces) !== false);
    for (const i of new Set([...near, ...others].sort((a, b) => a - b))) {
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

/** Texts that have pieces in common with another one. */
interface Common {
  /** Numbers of the texts, in any order. Valid until the next search. */
  readonly texts: Int32Array;
  /** The number of common pieces of a text. Valid until the next search. */
  of(text: number): number;
  /** Number of entries that were read. */
  readonly looked: number;
}

/** Factor that spreads the pieces over the table: they are hashes, but not random in all bits. */
const SPREAD = 0x9e3779b1 | 0;

/** The different pieces of several texts, an entry for each piece of each text. */
class PieceIndex {
  /** Bits of a hash that are not part of the number of its bucket. */
  readonly #shift: number;
  /** For each bucket the number of its first entry. Entries of a bucket follow each other. */
  readonly #starts: Int32Array;
  /** For each entry its piece, the text, and how often the piece is in the text. */
  readonly #hashes: Int32Array;
  readonly #texts: Int32Array;
  readonly #counts: Int32Array;
  /** For each text the number of pieces in common with the text being looked up. */
  readonly #common: Int32Array;
  /** Texts that have such pieces, in any order, and their number. */
  readonly #found: Int32Array;
  #foundCount = 0;

  private constructor(texts: number, entries: number) {
    const bits = Math.max(1, 32 - Math.clz32(entries));
    this.#shift = 32 - bits;
    this.#starts = new Int32Array(2 ** bits + 1);
    this.#hashes = new Int32Array(entries);
    this.#texts = new Int32Array(entries);
    this.#counts = new Int32Array(entries);
    this.#common = new Int32Array(texts);
    this.#found = new Int32Array(texts);
  }

  /** Indexes the pieces of texts, which are numbered in their order. */
  static async of(texts: readonly Pieces[], budget: Pick<Budget, "yield">): Promise<PieceIndex> {
    const index = new PieceIndex(texts.length, texts.reduce((sum, { hashes }) => sum + hashes.length, 0));
    const starts = index.#starts;
    for (const { hashes } of texts) {
      const pause = budget.yield();
      if (pause !== undefined) await pause;
      for (const hash of hashes) starts[index.#bucket(hash)]!++;
    }
    // The ends of the buckets, which the entries move to the starts: they come from the last one on.
    for (let bucket = 1; bucket < starts.length; bucket++) {
      if (bucket % STEPS_AT_ONCE === 0) {
        const pause = budget.yield();
        if (pause !== undefined) await pause;
      }
      starts[bucket]! += starts[bucket - 1]!;
    }
    for (let text = texts.length - 1; text >= 0; text--) {
      const pause = budget.yield();
      if (pause !== undefined) await pause;
      index.#addBefore(text, texts[text]!);
    }
    return index;
  }

  /**
   * Finds the texts that have pieces in common with a text.
   *
   * @param limit Most entries to read.
   * @returns `undefined` beyond the limit.
   */
  async common(
    { hashes, counts }: Pieces,
    limit: number,
    budget: Pick<Budget, "yield">,
  ): Promise<Common | undefined> {
    const common = this.#common;
    for (let i = 0; i < this.#foundCount; i++) common[this.#found[i]!] = 0;
    this.#foundCount = 0;
    let [looked, pauseAt] = [0, 0];
    for (let i = 0; i < hashes.length; i++) {
      if (looked + i >= pauseAt) {
        const pause = budget.yield();
        if (pause !== undefined) await pause;
        pauseAt = looked + i + STEPS_AT_ONCE;
      }
      looked += this.#look(hashes[i]!, counts[i]!);
      if (looked > limit) return undefined;
    }
    return { texts: this.#found.subarray(0, this.#foundCount), of: (text) => common[text]!, looked };
  }

  /** Adds a piece to the numbers of common pieces; tells how many entries there were. */
  #look(hash: number, count: number): number {
    const [starts, hashes, common] = [this.#starts, this.#hashes, this.#common];
    const bucket = this.#bucket(hash);
    const end = starts[bucket + 1]!;
    for (let at = starts[bucket]!; at < end; at++) {
      if (hashes[at] !== hash) continue;
      const text = this.#texts[at]!;
      const before = common[text]!;
      if (before === 0) this.#found[this.#foundCount++] = text;
      common[text] = before + Math.min(count, this.#counts[at]!);
    }
    return end - starts[bucket]!;
  }

  #addBefore(text: number, { hashes, counts }: Pieces): void {
    const starts = this.#starts;
    for (let i = hashes.length - 1; i >= 0; i--) {
      const hash = hashes[i]!;
      const at = --starts[this.#bucket(hash)]!;
      this.#hashes[at] = hash;
      this.#texts[at] = text;
      this.#counts[at] = counts[i]!;
    }
  }

  #bucket(hash: number): number {
    return Math.imul(hash, SPREAD) >>> this.#shift;
  }
}
