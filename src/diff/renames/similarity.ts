/**
 * Predicts whether libgit2 considers two texts similar (at least 50 %). libgit2 compares pieces of lines, and
 * of long texts only samples, as tests with generated texts have shown. In this module, a text is represented
 * by the hashes of its pieces.
 */
import { isAsciiSpace } from "../../text/white_space.ts";
import { viewOf } from "../../bytes/bytes.ts";

/** Maximum length of a piece of a line, in bytes. */
const PIECE_BYTES = 80;

/**
 * Maximum number of pieces of a text that libgit2 compares as a whole. The exact maximum is between `least`
 * and `most`. For a longer text, libgit2 compares two samples of this size.
 */
const SAMPLE_PIECES = { least: 120, most: 132 } as const;

/**
 * The prediction allows one hash collision for each `PIECES_PER_COLLISION` pieces, but at most
 * `MAX_COLLISIONS` collisions.
 */
const [PIECES_PER_COLLISION, MAX_COLLISIONS] = [64, 16];

/** Number of bytes that are hashed at once. */
const WORD_BYTES = 4;
const HASH_START = 0x811c9dc5 | 0;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Checks whether one of the four bytes of a word is a newline. */
function hasNewline(word: number): boolean {
  // The first step turns a newline into a zero byte. The second step sets the highest bit of a zero byte.
  const other = word ^ 0x0a0a0a0a;
  return ((other - 0x01010101) & ~other & 0x80808080) !== 0;
}

export interface Pieces {
  /** Hashes of the pieces, in ascending order. */
  readonly hashes: Int32Array;
  /** Number of occurrences of each piece in the text. */
  readonly counts: Int32Array;
}

/**
 * Returns the hashes of the pieces of a text in their order; `undefined` for a text with a zero byte, which
 * libgit2 compares in another way.
 */
export function hashesOf(bytes: Uint8Array): Int32Array | undefined {
  if (bytes.includes(0)) return undefined;
  const pieces: number[] = [];
  const view = viewOf(bytes);
  // A text with carriage returns is read byte by byte instead of in words of four bytes.
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
        // Without a carriage return, white space at the start of a line counts if the previous line ended
        // with a whole piece.
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
  return new Int32Array(pieces);
}

/** Counts equal hashes. Sorts the array in place. */
export function countEqual(hashes: Int32Array): Pieces {
  const sorted = hashes.sort();
  const counts = new Int32Array(sorted.length);
  let different = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[different - 1]) sorted[different++] = sorted[i]!;
    counts[different - 1]!++;
  }
  return { hashes: sorted.slice(0, different), counts: counts.slice(0, different) };
}

/**
 * Predicts whether libgit2 considers two texts similar; `undefined` when the result of libgit2 is uncertain.
 *
 * @param common Number of pieces that the texts have in common.
 * @param a Number of pieces of one text.
 * @param b Number of pieces of the other text.
 */
export function areAlike(common: number, a: number, b: number): boolean | undefined {
  if (a + b === 0) return undefined;
  const doubt = Math.min(MAX_COLLISIONS, Math.floor((a + b) / PIECES_PER_COLLISION));
  const { least } = SAMPLE_PIECES;
  const twice = Math.min(common, piecesInBothSamples(a) + piecesInBothSamples(b));
  if (2 * (common + twice + doubt) < Math.min(a, least) + Math.min(b, least)) return false;
  // Samples of similar texts may differ. For example, libgit2 reports 49 % if six of 900 lines were changed.
  const areWhole = a <= least && b <= least;
  return areWhole && 4 * (common - doubt) >= a + b ? true : undefined;
}

/** Returns the maximum number of pieces that are in both samples of a text, and so may be counted twice. */
function piecesInBothSamples(length: number): number {
  return Math.max(0, 2 * SAMPLE_PIECES.most - length);
}

/** Adds one word to the hash of a piece. */
function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x01000193);
  return mixed ^ mixed >>> 15;
}
