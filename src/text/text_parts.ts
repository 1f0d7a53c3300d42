/** Long texts in parts, so that work on one of them does not block other requests. */

/**
 * Parts of a text. None ends between two halves of a surrogate pair.
 *
 * @param length UTF-16 units of a part at most; 2 or more.
 */
export function* textParts(text: string, length: number): Generator<string> {
  if (text.length <= length) return yield text;
  for (let start = 0; start < text.length;) {
    const isSplit = (text.charCodeAt(start + length - 1) & 0xfc00) === 0xd800;
    const end = start + length - (isSplit ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}
