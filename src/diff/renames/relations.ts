/**
 * Finds old and added files that are alike, so that one may have been moved or copied to the path of the
 * other.
 */
import type { Oid } from "../../ids/oid.ts";
import type { Change, FileSide } from "../tree_comparison.ts";
import { areAlikeWith, type Pieces, piecesOf } from "./similarity.ts";

/** A file that was there and an added one that are alike, or may be. */
export interface Relation {
  readonly from: Change;
  readonly to: Change;
  /** Else only libgit2 can tell. */
  readonly areSurelyAlike: boolean;
}

/**
 * Steps in search of relations: pieces that files have in common, and files that are looked at. What takes
 * more is left to libgit2.
 */
export const MAX_RELATION_STEPS = 2 ** 24;

/**
 * How many times as large as the other a file may be for it to be plain that libgit2 compares them: half of
 * what was found.
 */
const MAX_PLAIN_SIZE_FACTOR = 4;

const NEWLINE = 0x0a;

const NO_PIECES: Pieces = new Int32Array();

/** Pieces of a text that is compared with others. */
export interface TextPieces {
  /** Bytes. */
  readonly size: number;
  /** `undefined` when it holds a zero byte. */
  readonly pieces: Pieces | undefined;
  /**
   * Whether it has at most white space in one line that does not end: only such texts may be like an empty
   * one.
   */
  readonly isLikeEmpty: boolean;
}

/** Cuts a text into pieces. */
export function toTextPieces(bytes: Uint8Array): TextPieces {
  const pieces = piecesOf(bytes);
  return { size: bytes.length, pieces, isLikeEmpty: pieces?.length === 0 && !bytes.includes(NEWLINE) };
}

/** A side of a change that may be like others. */
interface Candidate {
  readonly change: Change;
  readonly side: FileSide;
  /** Bytes in the file; `undefined` when its content is not compared. */
  readonly size: number | undefined;
  readonly pieces: Pieces | undefined;
  readonly isLikeEmpty: boolean;
}

/**
 * All relations between files; `undefined` when it takes too long to find them. Files of which no text is
 * there are like no others, unless they are equal.
 */
export function findRelations(
  changes: readonly Change[],
  texts: ReadonlyMap<Oid, TextPieces>,
): readonly Relation[] | undefined {
  const [sources, targets] = candidatesOf(changes, texts);
  const index = new PieceIndex(sources.map(({ pieces }) => pieces));
  const byOid = Map.groupBy(sources.keys(), (i) => sources[i]!.side.oid);
  /** Sources that may be like a file without a common piece. */
  const odd = [...sources.keys()].filter((i) =>
    sources[i]!.size !== undefined && !sources[i]!.pieces?.length
  );
  const relations: Relation[] = [];
  let steps = 0;
  for (const target of targets) {
    const { pieces = NO_PIECES } = target;
    const common = index.common(pieces, MAX_RELATION_STEPS - steps);
    if (common === undefined) return undefined;
    const equal = byOid.get(target.side.oid) ?? [];
    const related = pieces.length === 0 && target.size !== undefined
      ? [...sources.keys()]
      : odd.length + equal.length === 0
      ? common.texts
      : [...new Set([...common.texts, ...odd, ...equal])].sort((a, b) => a - b);
    steps += common.looked + related.length;
    for (const i of related) {
      const source = sources[i]!;
      const alike = areFilesAlike(source, target, common.of(i));
      if (alike === false) continue;
      relations.push({ from: source.change, to: target.change, areSurelyAlike: alike === true });
    }
  }
  return relations;
}

/** The old sides of files, and the new ones of added files. */
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

/** `undefined` when only libgit2 can tell. */
function areFilesAlike(a: Candidate, b: Candidate, common: number): boolean | undefined {
  const areFiles = isFile(a.side) && isFile(b.side);
  if (a.side.oid === b.side.oid) return areFiles || undefined;
  if (a.size === undefined || b.size === undefined) return false;
  if (a.size === 0 && !b.isLikeEmpty || b.size === 0 && !a.isLikeEmpty) return false;
  const alike = a.pieces && b.pieces && areAlikeWith(common, a.pieces, b.pieces);
  const areClose = Math.max(a.size, b.size) <= MAX_PLAIN_SIZE_FACTOR * Math.min(a.size, b.size);
  return alike && !(areFiles && areClose) ? undefined : alike;
}

function isFile({ mode }: FileSide): boolean {
  return mode === "blob" || mode === "blobExecutable";
}

/** Marks the end of a chain of entries. */
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
   * @returns The numbers of those texts in ascending order, how many pieces are common, and how many entries
   * were looked at; `undefined` when there are too many.
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
