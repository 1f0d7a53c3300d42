/** Texts of the files in the demo's main project. */

/** By path; where a file has more than one form, the later ones have a mark behind `#`. */
export const FILES = {
  "README.md": `# xylem-demo

A small project to look around in. It grows trees.

\`\`\`ts
import { grow, plant } from "./src/tree.ts";

console.log(grow(plant("lime"), 12));
\`\`\`
`,
  "README.md#leaf": `# xylem-demo

A small project to look around in: it has a history with branches, merges and renames, a few issues and patches, and a picture.

![A leaf](assets/leaf.png)

\`\`\`ts
import { grow, plant } from "./src/tree.ts";

console.log(grow(plant("lime"), 12));
\`\`\`

More in the guide. Everything here is in the public domain.
`,
  "LICENSE": `Everything here is in the public domain: do with it what you like.

Where the law knows no public domain, everybody may use, change and pass on all of it, for any purpose and without asking.
`,
  "src/tree.ts": `/** A tree, known by its rings. */
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
  "docs/guide.md": `# How to grow a tree

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
  "src/season.ts": `/** What a tree does all year long. */
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
  "src/seasons.ts": `/** What a tree does all year long. */
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
  "src/leaf.ts": `import type { Season } from "./season.ts";

/** Green comes from clorophyl, the rest was there all along. */
export function colour(season: Season): string {
  if (season === "autumn") return "#c9822b";
  return season === "winter" ? "none" : "#4f9d4a";
}
`,
  "bin/grow.sh": `#!/bin/sh
# Grows a tree: grow.sh KIND YEARS
year=0
while [ "$year" -lt "\${2:-1}" ]; do
  year=$((year + 1))
  echo "\${1:-lime}: year $year"
done
`,
  "src/forest/forest.ts": `import { grow, plant, type Tree } from "../tree.ts";
import { weatherOf } from "./almanac.ts";

/** Trees that stand together. */
export interface Forest {
  readonly name: string;
  readonly trees: readonly Tree[];
}

export function plantForest(name: string, kinds: readonly string[]): Forest {
  return { name, trees: kinds.map(plant) };
}

/** Lets a year pass, month by month. */
export function passYear(forest: Forest): Forest {
  let rain = 0;
  for (let month = 1; month <= 12; month++) rain += weatherOf(month).rainMillimetres;
  return rain === 0 ? forest : { ...forest, trees: forest.trees.map((tree) => grow(tree, 1)) };
}
`,
  "src/forest/almanac.ts": `/** The weather of an ordinary year. */
export interface Weather {
  readonly name: string;
  readonly rainMillimetres: number;
  readonly degrees: number;
}

const ALMANAC: readonly Weather[] = [
  {
    name: "January",
    rainMillimetres: 52,
    degrees: 1,
  },
  {
    name: "February",
    rainMillimetres: 41,
    degrees: 2,
  },
  {
    name: "March",
    rainMillimetres: 49,
    degrees: 5,
  },
  {
    name: "April",
    rainMillimetres: 44,
    degrees: 9,
  },
  {
    name: "May",
    rainMillimetres: 62,
    degrees: 14,
  },
  {
    name: "June",
    rainMillimetres: 69,
    degrees: 17,
  },
  {
    name: "July",
    rainMillimetres: 77,
    degrees: 19,
  },
  {
    name: "August",
    rainMillimetres: 68,
    degrees: 18,
  },
  {
    name: "September",
    rainMillimetres: 54,
    degrees: 14,
  },
  {
    name: "October",
    rainMillimetres: 53,
    degrees: 10,
  },
  {
    name: "November",
    rainMillimetres: 58,
    degrees: 5,
  },
  {
    name: "December",
    rainMillimetres: 59,
    degrees: 2,
  },
];

/** The weather of a month, 1 for January. */
export function weatherOf(month: number): Weather {
  return ALMANAC[month - 1];
}
`,
  "src/forest/bird.ts": `/** Birds come when there is room for them. */
export function birds(crownMetres: number): number {
  return Math.floor(crownMetres / 2);
}
`,
  "src/garden/can.ts": `/** A can of water, ten litres when full. */
export interface Can {
  litres: number;
}

/** Waters one tree; an empty can does nothing. */
export function water(can: Can, litres = 2) {
  can.litres -= Math.min(can.litres, litres);
}
`,
  "src/garden/can.ts#poured": `/** A can of water, ten litres when full. */
export interface Can {
  litres: number;
}

/** Waters one tree, returns the litres that it got; an empty can does nothing. */
export function water(can: Can, litres = 2): number {
  const poured = Math.min(can.litres, litres);
  can.litres -= poured;
  return poured;
}
`,
  "docs/plan.txt": `Seasons
Leaves
Birds, once there is room
`,
  "docs/de/bäume.md": `# Bäume

Ein Baum wächst jedes Jahr um einen Ring. Früchte gibt es später.
`,
  "docs/日本語/木.md": `# 木

木は一年に一つの年輪を増やします。
`,
  "docs/de/anleitung.md": `# Wie man einen Baum wachsen lässt

1. Einen Samen säen.
2. Ein Jahr warten.
3. Die Ringe zählen. Es sollte einer sein.

Dann zurück zum zweiten Schritt.
`,
  "test/tree.test.ts": `import assert from "node:assert/strict";
import { it } from "node:test";
import { diameter, grow, plant } from "../src/tree.ts";

it("grows one ring a year", () => {
  assert.equal(grow(plant("oak"), 3).rings.length, 3);
});

it("is as wide as its rings", () => {
  assert.equal(diameter({ kind: "oak", rings: [8, 7] }), 30);
});
`,
} as const;

/** A text with some passages replaced, each of which occurs in it. */
export function replaced(
  text: string,
  ...passages: readonly (readonly [before: string, after: string])[]
): string {
  return passages.reduce((whole, [before, after]) => {
    if (!whole.includes(before)) throw new RangeError(`There is no "${before}" in the text`);
    return whole.replace(before, after);
  }, text);
}
