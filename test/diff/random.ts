/** Numbers and texts that look random and are the same in every run. */

/** Numbers from 0 to below 1, by a generator of the kind "mulberry32". */
export function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed)) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

/** How texts differ from each other. */
export interface TextStyle {
  /** Lines in the old text, at most. */
  readonly lines: number;
  /** Different lines that come again and again. */
  readonly alphabet: number;
  /** Share of lines that come once, 0 to 1. */
  readonly unique: number;
  /** Places edited, at most. */
  readonly edits: number;
  /** Lines at a place, at most. */
  readonly block: number;
}

/** A text and what edits made of it: blocks deleted, added, replaced and moved. */
export function randomPair(random: () => number, style: TextStyle): [old: string[], now: string[]] {
  const upTo = (limit: number): number => Math.floor(random() * (limit + 1));
  const words = 1 + upTo(style.alphabet - 1);
  const line = (): string =>
    random() < style.unique
      ? `unique ${upTo(1e9)}\n`
      : ["}\n", "\n", "  return x;\n"][upTo(words - 1)] ?? `line ${upTo(words)}\n`;
  const block = (): string[] => Array.from({ length: 1 + upTo(style.block - 1) }, line);
  const old = Array.from({ length: upTo(style.lines) }, line);
  const now = [...old];
  for (let edits = 1 + upTo(style.edits - 1); edits > 0; edits--) {
    const kind = random();
    const at = upTo(now.length);
    if (kind < 0.3) now.splice(at, 1 + upTo(style.block));
    else if (kind < 0.7) now.splice(at, 0, ...block());
    else if (kind < 0.85) now.splice(at, 1 + upTo(style.block), ...block());
    else now.splice(upTo(now.length), 0, ...now.splice(at, 1 + upTo(style.block)));
  }
  return [old, now];
}
