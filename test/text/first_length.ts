/** Lengths at which a unit begins to work in another way, whatever its constants are. */

/** The first length of which something is true, which stays true for all longer ones. */
export function firstLength(isTrueOf: (length: number) => boolean): number {
  let longest = 1;
  while (!isTrueOf(longest)) longest *= 2;
  let shortest = longest >> 1;
  while (longest - shortest > 1) {
    const middle = (shortest + longest) >> 1;
    if (isTrueOf(middle)) longest = middle;
    else shortest = middle;
  }
  return longest;
}
