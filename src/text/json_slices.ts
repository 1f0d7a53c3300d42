/** Writes JSON in slices, so that writing megabytes of text does not block other requests. */
import { textParts } from "./utf8.ts";

/** Maximum length of a text in one slice, in UTF-16 units. Shorter texts are never split. */
const SLICE_LENGTH = 2 ** 16;

/**
 * Maximum number of array items in one piece. The total cost of these items is less than {@link SMALL_COST}.
 */
const SLICE_ITEMS = 256;
/** Cost ({@link costOf}) below which a value counts as small. */
const SMALL_COST = 1024;
/** Number of UTF-16 units of a text that add 1 to the cost of a value. */
const COST_UNITS = 64;

/**
 * Yields the same JSON as `JSON.stringify`, in slices. A small value is one slice, and other values are split
 * into slices of about {@link SLICE_LENGTH}. After each slice, the caller may let other work run.
 *
 * @param value Plain data.
 * @param before Prefix of the first slice.
 * @param after Suffix of the last slice.
 */
export function* jsonSlices(value: unknown, before = "", after = ""): Generator<string> {
  let slice = before;
  for (const piece of piecesOf(value)) {
    slice += piece;
    if (slice.length < SLICE_LENGTH) continue;
    yield slice;
    slice = "";
  }
  if (slice !== "" || after !== "") yield slice + after;
}

/** Yields the JSON of a value in pieces. A piece is a part of a text, or a few small values. */
function* piecesOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield* textPieces(value);
  else if (typeof value !== "object" || value === null || isSmall(value)) {
    yield JSON.stringify(value) ?? "null";
  } else if (Array.isArray(value)) {
    let before = "[";
    for (let start = 0; start < value.length; start += SLICE_ITEMS) {
      const items = value.slice(start, start + SLICE_ITEMS);
      if (isSmall(items)) yield before + JSON.stringify(items).slice(1, -1);
      else {
        for (const item of items) {
          yield before;
          yield* piecesOf(item);
          before = ",";
        }
      }
      before = ",";
    }
    yield value.length === 0 ? "[]" : "]";
  } else {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    yield "{";
    for (const [i, [name, member]] of members.entries()) {
      yield `${i > 0 ? "," : ""}${JSON.stringify(name)}:`;
      yield* piecesOf(member);
    }
    yield "}";
  }
}

/** Yields the JSON of a text in pieces. A text is never split inside a surrogate pair. */
function* textPieces(text: string): Generator<string> {
  if (text.length <= SLICE_LENGTH) return yield JSON.stringify(text);
  yield '"';
  for (const part of textParts(text, SLICE_LENGTH)) yield JSON.stringify(part).slice(1, -1);
  yield '"';
}

function isSmall(value: unknown): boolean {
  return costOf(value, SMALL_COST) < SMALL_COST;
}

/**
 * Returns the cost of a value. The value and each value inside the value cost 1, and every {@link COST_UNITS}
 * of text cost 1 more. Stops counting at `limit`.
 */
function costOf(value: unknown, limit: number): number {
  if (typeof value === "string") return 1 + value.length / COST_UNITS;
  if (typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value) && value.length >= limit) return limit;
  let cost = 1;
  for (const member of Object.values(value)) {
    if (cost >= limit) break;
    cost += costOf(member, limit - cost);
  }
  return cost;
}
