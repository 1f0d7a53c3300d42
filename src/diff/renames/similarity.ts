/**
 * Predicts whether libgit2 finds two texts to be at least half alike. It compares pieces of lines without
 * regard to their order, and of long texts only a sample; this was found by asking it about generated texts.
 * Here a text is the sorted list of the hashes of its pieces.
 */
import { isAsciiSpace } from "../../text/white_space.ts";
import { hasNewline, viewOf } from "../text/lines.ts";

/** Bytes of a line in one piece. */
export const PIECE_BYTES = 80;

/**
 * Pieces up to which libgit2 compares all of a text: at least so many, at most so many. Of longer texts it
 * compares samples of so many, two of each.
 */
const SAMPLE_PIECES = { least: 120, most: 132 } as const;

/** One of so many pieces may be taken for another one, and in all so many at most. */
const [PIECES_PER_COLLISION, MAX_COLLISIONS] = [64, 16];

/** Bytes that are hashed at a time. A piece is a number of words, unless a line ends. */
const WORD_BYTES = 4;
const HASH_START = 0x811c9dc5 | 0;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A text as numbers: one for each piece, equal for equal ones, in ascending order. */
export type Pieces = Int32Array;

/** The pieces of a text; `undefined` when it holds a zero byte, as it is compared in another way then. */
export function piecesOf(bytes: Uint8Array): Pieces | undefined {
  if (bytes.includes(0)) return undefined;
  const pieces: number[] = [];
  const view = viewOf(bytes);
  // Where there are carriage returns, each byte has to be looked at.
  const lastWord = bytes.includes(CARRIAGE_RETURN) ? -1 : bytes.length - WORD_BYTES;
  let [hash, word, length] = [HASH_START, 0, 0];
  let isIndent = true;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === NEWLINE) {
      if (length > 0) {
        pieces.push(mix(hash, word));
        [hash, word, length] = [HASH_START, 0, 0];
        isIndent = true;
      } else if (bytes[i - 1] === CARRIAGE_RETURN) {
        // Else, after a line of whole pieces, white space at the start of the next one counts.
        isIndent = true;
      }
    } else if (byte !== CARRIAGE_RETURN && !(isIndent && isAsciiSpace(byte))) {
      isIndent = false;
      word = word << 8 | byte;
      length++;
      if (length % WORD_BYTES !== 0) continue;
      hash = mix(hash, word);
      word = 0;
      for (; length < PIECE_BYTES && i < lastWord; i += WORD_BYTES, length += WORD_BYTES) {
        const next = view.getInt32(i + 1);
        if (hasNewline(next)) break;
        hash = mix(hash, next);
      }
      if (length < PIECE_BYTES) continue;
      pieces.push(mix(hash, word));
      [hash, length] = [HASH_START, 0];
    }
  }
  if (length > 0) pieces.push(mix(hash, word));
  return Int32Array.from(pieces).sort();
}

/** Whether texts are at least half alike to libgit2; `undefined` when only it can tell. */
export function areAlike(a: Pieces, b: Pieces): boolean | undefined {
  return areAlikeWith(countCommon(a, b), a, b);
}

/** As {@link areAlike}, of texts that have so many pieces in common. */
export function areAlikeWith(common: number, a: Pieces, b: Pieces): boolean | undefined {
  const length = a.length + b.length;
  if (length === 0) return undefined;
  const doubt = Math.min(MAX_COLLISIONS, Math.floor(length / PIECES_PER_COLLISION));
  const { least } = SAMPLE_PIECES;
  const twice = Math.min(common, piecesInBothSamples(a) + piecesInBothSamples(b));
  if (2 * (common + twice + doubt) < Math.min(a.length, least) + Math.min(b.length, least)) return false;
  // Samples of texts that are alike may still differ: libgit2 says 49 % where six of 900 lines were changed.
  const areWhole = a.length <= least && b.length <= least;
  return areWhole && 4 * (common - doubt) >= length ? true : undefined;
}

/** Pieces that are in both samples of a text at most, and so may be found to be common twice. */
function piecesInBothSamples({ length }: Pieces): number {
  return Math.max(0, 2 * SAMPLE_PIECES.most - length);
}

/** Numbers that two ascending rows have in common. */
function countCommon(a: Int32Array, b: Int32Array): number {
  let common = 0;
  for (let [i, j] = [0, 0]; i < a.length && j < b.length;) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) common++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return common;
}

/** A hash of a piece, after the next of its words; what is left of one is the last. */
function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x01000193);
  return mixed ^ mixed >>> 15;
}
