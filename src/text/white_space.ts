/**
 * White space as defined by Unicode, and as Rust trims it: U+0085 is white space, U+FEFF is not, unlike in
 * JavaScript's `trim`.
 */

/** Whether a byte or code unit is white space in C: space, tab, line or form feed, vertical tab, return. */
export function isAsciiSpace(code: number): boolean {
  return code === 0x20 || code >= 0x09 && code <= 0x0d;
}

/** Removes white space at both ends of a text. */
export function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (start < end && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/**
 * Whether a code unit has Unicode's property White_Space. All such characters are in the basic plane, so no
 * half of a surrogate pair has it.
 */
function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return isAsciiSpace(code);
  return code === 0x85 || code === 0xa0 || code === 0x1680 || code >= 0x2000 && code <= 0x200a ||
    code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000;
}
