/** JSON in slices, so that a text of megabytes holds up nobody while it is written. */

/** Characters of a text that are written in one slice; shorter ones are never cut. */
export const SLICE_LENGTH = 2 ** 16;

/**
 * The JSON of a value, equal to that of `JSON.stringify`, in one slice unless there are long texts in it.
 *
 * @param value Plain data.
 * @param before What the first slice begins with.
 * @param after What the last slice ends with.
 */
export function* jsonSlices(value: unknown, before = "", after = ""): Generator<string> {
  if (typeof value === "string") yield* textSlices(value, before, after);
  else if (!holdsLongText(value)) yield `${before}${JSON.stringify(value)}${after}`;
  else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* jsonSlices(item, i === 0 ? `${before}[` : ",");
    yield `]${after}`;
  } else {
    let opening = `${before}{`;
    for (const [name, member] of Object.entries(value as object)) {
      if (member === undefined) continue;
      yield* jsonSlices(member, `${opening}${JSON.stringify(name)}:`);
      opening = ",";
    }
    yield `}${after}`;
  }
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

/** Whether a text in the value is longer than a slice. */
function holdsLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > SLICE_LENGTH;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsLongText);
}

/** Where a slice ends: never between the halves of a surrogate pair, since a half alone is written otherwise. */
function sliceEnd(text: string, start: number): number {
  const end = start + SLICE_LENGTH;
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
