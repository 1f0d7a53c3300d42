/** JSON output in slices, so that writing megabytes of text does not block other requests. */

/** UTF-16 units of a text in one slice; shorter texts are never split. */
export const SLICE_LENGTH = 2 ** 16;

/** Items of an array in one slice; shorter arrays are never split. */
export const SLICE_ITEMS = 2 ** 10;

/**
 * Serializes a value like `JSON.stringify`, in one slice unless it has long texts or long arrays.
 *
 * @param value Plain data.
 * @param before Prefix of the first slice.
 * @param after Suffix of the last slice.
 */
export function* jsonSlices(value: unknown, before = "", after = ""): Generator<string> {
  if (typeof value === "string") yield* textSlices(value, before, after);
  else if (!isLong(value)) yield `${before}${JSON.stringify(value)}${after}`;
  else if (Array.isArray(value)) yield* arraySlices(value, before, after);
  else {
    let opening = `${before}{`;
    for (const [name, member] of Object.entries(value as object)) {
      if (member === undefined) continue;
      yield* jsonSlices(member, `${opening}${JSON.stringify(name)}:`);
      opening = ",";
    }
    yield `}${after}`;
  }
}

function* arraySlices(items: readonly unknown[], before: string, after: string): Generator<string> {
  let opening = `${before}[`;
  for (let start = 0; start < items.length; start += SLICE_ITEMS) {
    const some = items.slice(start, start + SLICE_ITEMS);
    if (some.some(isLong)) {
      for (const item of some) {
        yield* jsonSlices(item, opening);
        opening = ",";
      }
    } else {
      yield opening + JSON.stringify(some).slice(1, -1);
      opening = ",";
    }
  }
  yield `]${after}`;
}

function* textSlices(text: string, before: string, after: string): Generator<string> {
  if (text.length <= SLICE_LENGTH) {
    yield before + JSON.stringify(text) + after;
    return;
  }
  let opening = `${before}"`;
  for (let start = 0; start < text.length;) {
    const end = sliceEnd(text, start);
    yield opening + JSON.stringify(text.slice(start, end)).slice(1, -1);
    opening = "";
    start = end;
  }
  yield `"${after}`;
}

/** Whether the value has a text or an array that is longer than a slice. */
function isLong(value: unknown): boolean {
  if (typeof value === "string") return value.length > SLICE_LENGTH;
  if (Array.isArray(value) && value.length > SLICE_ITEMS) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(isLong);
}

/** End of a slice: never inside a surrogate pair, because a lone surrogate is written as an escape. */
function sliceEnd(text: string, start: number): number {
  const end = start + SLICE_LENGTH;
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
