/** Numbers that look random and are the same in every run. */

/** A source of numbers, made from a seed. */
export interface Random {
  /** An integer from 0 to `limit` − 1. */
  below(limit: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** The items in another order. */
  shuffle<T>(items: readonly T[]): T[];
}

/** Numbers from a linear congruential generator (Knuth, MMIX), its upper bits. */
export function createRandom(seed: number): Random {
  let state = BigInt(seed);
  const below = (limit: number) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & (2n ** 64n - 1n);
    return Number((state >> 33n) % BigInt(limit));
  };
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    shuffle(items) {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0]!);
    },
  };
}
