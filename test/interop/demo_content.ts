/** The texts and the picture of the demo home: file contents by `<repository>/<path>`, longer issue texts by `issue/<name>`. */
import { crc32, deflateSync } from "node:zlib";

export const FILES: Readonly<Record<string, string>> = {
  "xylem-demo/README.md": `# xylem-demo

A small project to look around in: it has a history with branches, merges and renames, a few issues and patches, and a picture.

![A leaf](assets/leaf.png)

\`\`\`ts
import { grow, plant } from "./src/tree.ts";

console.log(grow(plant("lime"), 12));
\`\`\`

More in [the guide](docs/guide.md). Everything here is in the public domain.
`,
  "xylem-demo/src/tree.ts": `/** A tree, known by its rings. */
export interface Tree {
  readonly kind: string;
  /** Width of each ring in millimetres, the oldest first. */
  readonly rings: readonly number[];
}

export function plant(kind: string): Tree {
  return { kind, rings: [] };
}

/** One ring a year, thinner with age. */
export function grow(tree: Tree, years: number): Tree {
  const rings = [...tree.rings];
  for (let year = 0; year < years; year++) {
    rings.push(Math.max(1, 8 - rings.length / 4));
  }
  return { ...tree, rings };
}

export function diameter(tree: Tree): number {
  return 2 * tree.rings.reduce((sum, ring) => sum + ring, 0);
}
`,
  "xylem-demo/docs/guide.md": `# How to grow a tree

1. Plant a seed.
2. Wait a year.
3. Count the rings. There should be one.

Then go back to the second step.

| Tree | Years until shade |
|------|-------------------|
| lime | 12 |
| oak  | 30 |
| yew  | ask your grandchildren |
`,
  "xylem-demo/src/season.ts.first": `/** What a tree does all year long. */
export type Season = "spring" | "summer" | "autumn" | "winter";

export const SEASONS: readonly Season[] = ["spring", "summer", "autumn", "winter"];

/** The season after this one. */
export function next(season: Season): Season {
  return SEASONS[(SEASONS.indexOf(season) + 1) % SEASONS.length]!;
}

export function hasLeaves(season: Season): boolean {
  return season !== "winter";
}
`,
  "xylem-demo/src/seasons.ts": `/** What a tree does all year long. */
export type Season = "spring" | "summer" | "autumn" | "winter";

export const SEASONS: readonly Season[] = ["spring", "summer", "autumn", "winter"];

/** The season of a month, 1 for January. */
export function seasonOf(month: number): Season {
  return SEASONS[Math.floor(((month + 9) % 12) / 3)]!;
}

/** The season after this one. */
export function next(season: Season): Season {
  return SEASONS[(SEASONS.indexOf(season) + 1) % SEASONS.length]!;
}

export function hasLeaves(season: Season): boolean {
  return season !== "winter";
}
`,
  "xylem-demo/src/leaf.ts": `import type { Season } from "./season.ts";

/** Green comes from clorophyl, the rest was there all along. */
export function colour(season: Season): string {
  if (season === "autumn") return "#c9822b";
  return season === "winter" ? "none" : "#4f9d4a";
}
`,
  "xylem-demo/src/bird.ts": `/** Birds come when there is room for them. */
export function birds(crownMetres: number): number {
  return Math.floor(crownMetres / 2);
}
`,
  "xylem-demo/src/can.ts": `/** A can of water, ten litres when full. */
export interface Can {
  litres: number;
}

/** Waters one tree; an empty can does nothing. */
export function water(can: Can, litres = 2): number {
  const poured = Math.min(can.litres, litres);
  can.litres -= poured;
  return poured;
}
`,
  "xylem-demo/bin/grow.sh": `#!/bin/sh
# Grows a tree: grow.sh KIND YEARS
year=0
while [ "$year" -lt "\${2:-1}" ]; do
  year=$((year + 1))
  echo "\${1:-lime}: year $year"
done
`,
  "xylem-demo/docs/bäume.md": `# Bäume

Ein Baum wächst jedes Jahr um einen Ring. Früchte gibt es später.
`,
  "xylem-demo/test/tree.test.ts": `import assert from "node:assert/strict";
import { it } from "node:test";
import { diameter, grow, plant } from "../src/tree.ts";

it("grows one ring a year", () => {
  assert.equal(grow(plant("oak"), 3).rings.length, 3);
});

it("is as wide as its rings", () => {
  assert.equal(diameter({ kind: "oak", rings: [8, 7] }), 30);
});
`,
  "seed-catalogue/README.md": `# Seed catalogue

One line for each kind in [seeds.csv](seeds.csv): name, first and last month to sow it.
`,
  "seed-catalogue/seeds.csv": `name,from,until
bean,5,6
carrot,3,7
lettuce,3,8
sunflower,4,5
`,
  "winter-notes/notes.md": `# Winter notes

- Not everybody may read this repository.
- Buy straw.
`,
  "issue/water": `Trees grow by themselves, whatever the weather:

\`\`\`ts
grow(plant("lime"), 30); // thirty dry years
\`\`\`

They should need water, and look thirsty without it.`,
  "issue/rings": `Something like

\`\`\`
((((( o )))))
\`\`\`

would be enough for a start.`,
};

const SIZE = 48;

/** A small green leaf on transparent ground: a PNG of 48 × 48 pixels. */
export function leafImage(): Uint8Array {
  const rows: number[] = [];
  for (let y = 0; y < SIZE; y++) {
    rows.push(0);
    for (let x = 0; x < SIZE; x++) rows.push(...leafPixel(x - SIZE / 2, y - SIZE / 2));
  }
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, SIZE);
  new DataView(header.buffer).setUint32(4, SIZE);
  header.set([8, 6], 8); // 8 bits a channel, red green blue alpha
  return concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Uint8Array.from(rows), { level: 9 })),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** The leaf is where two discs overlap; its vein is the diagonal. */
function leafPixel(x: number, y: number): [number, number, number, number] {
  const inside = Math.hypot(x - 8, y - 8) < 24 && Math.hypot(x + 8, y + 8) < 24;
  if (!inside) return [0, 0, 0, 0];
  return Math.abs(x + y) < 2 ? [214, 232, 180, 255] : [79, 157 - x, 74, 255];
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = concat([new TextEncoder().encode(type), data]);
  const framed = new Uint8Array(typed.length + 8);
  const view = new DataView(framed.buffer);
  view.setUint32(0, data.length);
  framed.set(typed, 4);
  view.setUint32(typed.length + 4, crc32(typed));
  return framed;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
