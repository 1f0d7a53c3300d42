/** Long texts in parts, so that work on one of them does not block other requests. */

/** Parts of a text, of at most `length` UTF-16 units. None ends between two halves of a surrogate pair. */
export function* textParts(text: string, length: number): Generator<string> {
  if (text.length <= length) return yield text;
  for (let start = 0; start < text.length;) {
    const isSplit = (text.charCodeAt(start + length - 1) & 0xfc00) === 0xd800;
    const end = start + length - (isSplit ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}
