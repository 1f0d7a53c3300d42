/**
 * Finds pairs of an old and an added file with similar contents. The added file may be a moved or copied
 * version of the old file.
 */
import type { Oid } from "../../ids/oid.ts";
import type { Blobs } from "../blobs.ts";
import { Budget } from "../budget.ts";
import type { Change, FileSide } from "../tree_comparison.ts";
import { areAlike, countEqual, hashesOf, type Pieces } from "./similarity.ts";

/** Added files, and the old files from which they may have been moved or copied. */
export interface Candidates {
  /** Old files, by the id of their old blob. */
  readonly sources: ReadonlyMap<Oid, readonly Change[]>;
  /** Added files, by the id of their blob. */
  readonly targets: ReadonlyMap<Oid, readonly Change[]>;
  /** Ids of the blobs whose contents are compared. */
  readonly compared: ReadonlySet<Oid>;
  /** Total size of the compared blobs, in bytes. */
  readonly comparedBytes: number;
}

export interface Relation {
  readonly from: Change;
  readonly to: Change;
  /**
   * Whether libgit2 certainly considers the files similar. Otherwise libgit2 has to compare the two files.
   */
  readonly areSurelyAlike: boolean;
  /**
   * Similarity from 0 to 1. It is 1 for equal files, and 0 for different files if one of the files has a zero
   * byte.
   */
  readonly similarity: number;
}

/** Minimum similarity of the two sides of a moved or copied file. */
export const MIN_SIMILARITY = 0.5;

/**
 * Maximum number of steps of the search. A step reads an index entry, or compares a pair of files. After more
 * steps, the search ends, and libgit2 searches instead.
 */
const MAX_RELATION_STEPS = 2 ** 24;
/** Number of steps after which the search may pause. These steps take about a millisecond. */
const STEPS_AT_ONCE = 2 ** 17;

/**
 * Maximum factor between the sizes of two files whose similarity is certain. Tests showed that libgit2
 * compares files up to twice this factor.
 */
const MAX_PLAIN_SIZE_FACTOR = 4;
/**
 * libgit2 does not compare two files if one is more than `MAX_SIZE_FACTOR` times as large as the other,
 * unless the smaller file has less than `SMALL_BYTES` bytes.
 */
const [MAX_SIZE_FACTOR, SMALL_BYTES] = [8, 128];

const NEWLINE = 0x0a;

const NO_HASHES = new Int32Array();

/** A blob whose content is compared, without the hashes of its pieces. */
interface Text {
  readonly oid: Oid;
  /** Size of the blob, in bytes. */
  readonly size: number;
  /** Number of pieces; 0 for a blob with a zero byte, which is not text. */
  readonly length: number;
  readonly isText: boolean;
  /**
   * Whether the text is only white space without a newline. Only such a text may be similar to an empty text.
   */
  readonly isLikeEmpty: boolean;
}

function toText(oid: Oid, bytes: Uint8Array, hashes: Int32Array | undefined): Text {
  return {
    oid,
    size: bytes.length,
    length: hashes?.length ?? 0,
    isText: hashes !== undefined,
    isLikeEmpty: hashes?.length === 0 && !bytes.includes(NEWLINE),
  };
}

/**
 * Passes each pair of similar files to `take`, in any order. A file whose content is not compared is paired
 * only with equal files. The texts of either the old or the added files are in memory as an index of pieces.
 * The other texts are read one after the other.
 *
 * @param take Returns `false` to end the search.
 * @returns Whether all pairs were found: `false` after too many steps, or when `take` has ended the search.
 * @throws {OverBudgetError} when too many pieces would be in memory.
 */
export async function findRelations(
  { sources, targets, compared }: Omit<Candidates, "comparedBytes">,
  blobs: Pick<Blobs, "read" | "bytesIn">,
  take: (relation: Relation) => boolean,
  budget: Budget = new Budget(),
): Promise<boolean> {
  let [steps, pauseAt] = [0, 0];
  /**
   * Passes all pairs of files with the contents `source` and `target` to `take`. Returns `false` when the
   * search must end.
   */
  async function relate(source: Oid, target: Oid, areSurelyAlike: boolean, similarity: number) {
    const added = targets.get(target)!;
    for (const from of sources.get(source)!) {
      if (steps >= pauseAt) {
        await budget.yield();
        pauseAt = steps + STEPS_AT_ONCE;
      }
      steps += added.length;
      if (steps > MAX_RELATION_STEPS) return false;
      for (const to of added) {
        const areFiles = isFile(from.old!) && isFile(to.new!);
        if (!take({ from, to, areSurelyAlike: areSurelyAlike && areFiles, similarity })) return false;
      }
    }
    return true;
  }
  for (const oid of targets.keys()) if (sources.has(oid) && !await relate(oid, oid, true, 1)) return false;

  const old = [...compared].filter(sources.has, sources);
  const added = [...compared].filter(targets.has, targets);
  const areAddedHeld = blobs.bytesIn(added) <= blobs.bytesIn(old);
  const { texts, index } = await holdTexts(blobs, areAddedHeld ? added : old, budget);
  const all = [...texts.keys()];
  /**
   * Texts without pieces: white space, and files with a zero byte. They may be similar to a text with which
   * they have no piece in common.
   */
  const odd = all.filter((i) => texts[i]!.length === 0);
  for await (const read of blobs.read(areAddedHeld ? old : added)) {
    for (const [oid, bytes] of read) {
      await budget.yield();
      const hashes = hashesOf(bytes);
      const text = toText(oid, bytes, hashes);
      const common = await index.common(hashes ?? NO_HASHES, MAX_RELATION_STEPS - steps, budget);
      if (common === undefined) return false;
      const others = text.length === 0 ? [all] : [common.texts, odd];
      for (const list of others) {
        steps += list.length;
        for (const i of list) {
          const other = texts[i]!;
          const alike = other.oid !== oid && areTextsAlike(text, other, common.counts[i]!);
          if (alike === false) continue;
          const [source, target] = areAddedHeld ? [oid, other.oid] : [other.oid, oid];
          const similarity = 2 * common.counts[i]! / (text.length + other.length || 1);
          if (!await relate(source, target, alike === true, similarity)) return false;
        }
      }
      steps += common.examined;
      if (steps > MAX_RELATION_STEPS) return false;
    }
  }
  return true;
}

async function holdTexts(
  blobs: Pick<Blobs, "read">,
  oids: readonly Oid[],
  budget: Budget,
): Promise<{ readonly texts: readonly Text[]; readonly index: PieceIndex }> {
  const [texts, pieces]: [Text[], Pieces[]] = [[], []];
  let held = 0;
  for await (const read of blobs.read(oids)) {
    for (const [oid, bytes] of read) {
      await budget.yield();
      const hashes = hashesOf(bytes);
      texts.push(toText(oid, bytes, hashes));
      const counted = countEqual(hashes ?? NO_HASHES);
      held += counted.hashes.length;
      budget.check("renamePieces", held);
      pieces.push(counted);
    }
  }
  return { texts, index: await PieceIndex.of(pieces, held, budget) };
}

/**
 * Returns whether libgit2 considers two texts similar; `undefined` when the result of libgit2 is uncertain.
 */
function areTextsAlike(a: Text, b: Text, common: number): boolean | undefined {
  const [least, most] = [Math.min(a.size, b.size), Math.max(a.size, b.size)];
  if (least >= SMALL_BYTES && most > MAX_SIZE_FACTOR * least) return false;
  if (a.size === 0 && !b.isLikeEmpty || b.size === 0 && !a.isLikeEmpty) return false;
  const alike = a.isText && b.isText ? areAlike(common, a.length, b.length) : undefined;
  return alike && most > MAX_PLAIN_SIZE_FACTOR * least ? undefined : alike;
}

function isFile({ mode }: FileSide): boolean {
  return mode === "blob" || mode === "blobExecutable";
}

/** The texts of the index that have pieces in common with another text. */
interface Common {
  /** Indexes of the texts, in any order. Valid until the next search. */
  readonly texts: Int32Array;
  /** For each text of the index, the number of common pieces. Valid until the next search. */
  readonly counts: Int32Array;
  readonly examined: number;
}

/**
 * Factor that spreads the hashes of pieces over the buckets, because not all bits of the hashes are random.
 */
const SPREAD = 0x9e3779b1 | 0;

/** An index of the pieces of several texts. Each different piece of each text has one entry. */
class PieceIndex {
  readonly #shift: number;
  /** For each bucket, the index of its first entry. The entries of a bucket are consecutive. */
  readonly #starts: Int32Array;
  /** For each entry: a piece, its text, and the number of occurrences of the piece in the text. */
  readonly #hashes: Int32Array;
  readonly #texts: Int32Array;
  readonly #counts: Int32Array;
  readonly #common: Int32Array;
  /** Only the first `#foundCount` items are valid. */
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

  /** @param count Total number of entries. */
  static async of(
    texts: readonly Pieces[],
    count: number,
    budget: Pick<Budget, "yield">,
  ): Promise<PieceIndex> {
    const index = new PieceIndex(texts.length, count);
    const starts = index.#starts;
    for (const { hashes } of texts) {
      await budget.yield();
      for (const hash of hashes) starts[index.#bucket(hash)]!++;
    }
    // `starts` first contains the end of each bucket. Each added entry moves the value of its bucket down by
    // one, so that the value is the start of the bucket after all entries. Therefore entries are added from
    // the last to the first.
    for (let bucket = 1; bucket < starts.length; bucket++) {
      if (bucket % STEPS_AT_ONCE === 0) await budget.yield();
      starts[bucket]! += starts[bucket - 1]!;
    }
    for (let text = texts.length - 1; text >= 0; text--) {
      await budget.yield();
      index.#addBefore(text, texts[text]!);
    }
    return index;
  }

  /**
   * Finds the texts that have pieces in common with a text.
   *
   * @param hashes Hashes of all pieces of the text. The array is overwritten.
   * @param limit Maximum number of entries to read.
   * @returns The texts; `undefined` when more than `limit` entries would be read.
   */
  async common(
    hashes: Int32Array,
    limit: number,
    budget: Pick<Budget, "yield">,
  ): Promise<Common | undefined> {
    const common = this.#common;
    for (let i = 0; i < this.#foundCount; i++) common[this.#found[i]!] = 0;
    this.#foundCount = 0;
    const known = this.#mayHave(hashes).sort();
    let [examined, pauseAt] = [0, 0];
    for (let i = 0; i < known.length;) {
      if (examined + i >= pauseAt) {
        await budget.yield();
        pauseAt = examined + i + STEPS_AT_ONCE;
      }
      const start = i;
      const hash = known[i]!;
      while (known[i] === hash) i++;
      examined += this.#examine(hash, i - start);
      if (examined > limit) return undefined;
    }
    return { texts: this.#found.subarray(0, this.#foundCount), counts: common, examined };
  }

  /** Moves the hashes with a non-empty bucket to the front of `hashes`, and returns this part. */
  #mayHave(hashes: Int32Array): Int32Array {
    const starts = this.#starts;
    let count = 0;
    for (const hash of hashes) {
      const bucket = this.#bucket(hash);
      if (starts[bucket] !== starts[bucket + 1]) hashes[count++] = hash;
    }
    return hashes.subarray(0, count);
  }

  /**
   * Counts a piece as common for each text that contains the piece. Returns the number of entries that were
   * read.
   */
  #examine(hash: number, count: number): number {
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
