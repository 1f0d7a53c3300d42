/**
 * Order of texts by their UTF-8 bytes, which is the order of code points; JavaScript's `<` orders UTF-16
 * units.
 */

/** UTF-16 units compared at once in long texts. */
const PART_UNITS = 4096;

/** Negative, zero or positive when `a` sorts before, equal to or after `b`. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  // Comparing slices for equality is much faster than comparing units.
  while (i + PART_UNITS <= length && a.slice(i, i + PART_UNITS) === b.slice(i, i + PART_UNITS)) {
    i += PART_UNITS;
  }
  for (; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
