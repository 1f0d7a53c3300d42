/** Binary search. */

/**
 * The first of `count` places from which on a test holds; `count` when it holds at none. Once it holds, it
 * must hold at all further places.
 */
export function firstWhere(count: number, test: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
