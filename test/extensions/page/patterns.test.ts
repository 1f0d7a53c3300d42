/** What the page does with texts of strangers itself, without a worker: it takes time in proportion to their length. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { resolvePath } from "../../../extensions/page/browser/markdown.ts";
import { atPath, parseLines, parsePlace, shownRevision } from "../../../extensions/page/browser/places.ts";
import { countLines, textParts } from "../../../extensions/page/browser/plain_text.ts";
import { parseSignIn } from "../../../extensions/page/browser/session.ts";
import { ROOT } from "../../support/programs.ts";

/** Length of the texts, in characters: a pattern that looks at each pair of them takes ten seconds. */
const LENGTH = 100_000;
/** Longest time for one text, in milliseconds: a hundred times what is usual, as the machine may do other things. */
const MAX_MS = 1000;
/** Characters of which the texts consist: of each kind that the patterns know. */
const CHARACTERS = ["a", "1", " ", "\n", "\r", "/", ".", "-", "<", "#"];

/** A pattern in a source: after what comes before a value, and not in a comment. */
const PATTERN =
  /(?<=(?:[(,=:&|!?[]|\breturn)\s*)\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/g;

const pairs = CHARACTERS.flatMap((first) =>
  CHARACTERS.map((second) => {
    const text = (first + second).repeat(LENGTH / 2);
    return [`${JSON.stringify(first + second)} again and again`, `${text}\u0001`] as const;
  })
);

/** Beginnings of what patterns look for, which end otherwise: longer, as there are fewer of them in a text. */
const beginnings = [`/session/${"a".repeat(32)}?`, "<a b=c>", "L1-", "`a", "{a"].map((text) =>
  [`${text} again and again`, `${text.repeat(5 * LENGTH / text.length)}#`] as const
);
const texts = [...pairs, ...beginnings];

function assertFast(name: string, run: () => unknown): void {
  const start = performance.now();
  run();
  const ms = performance.now() - start;
  assert.ok(ms <= MAX_MS, `${name} takes ${Math.round(ms)} ms`);
}

describe("the page's own patterns", () => {
  const folder = join(ROOT, "extensions/page");
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("carried"))
    .flatMap((name) => {
      const lines = readFileSync(join(folder, name), "utf8").split("\n");
      const code = lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line)).join("\n");
      return [...code.matchAll(PATTERN)].map(([, source, flags]) => ({
        name,
        source: source!,
        flags: flags!,
      }));
    });

  it("are found", () => assert.ok(found.length > 25, `${found.length} patterns`));

  for (const { name, source, flags } of found) {
    it(`takes time in proportion to a text: /${source}/${flags} in ${name}`, () => {
      const pattern = new RegExp(source, flags);
      for (const [described, text] of texts) {
        assertFast(described, () => flags.includes("g") ? text.replace(pattern, "") : pattern.exec(text));
        pattern.lastIndex = 0;
      }
    });
  }
});

describe("the page's own steps", () => {
  const steps: Readonly<Record<string, (text: string) => unknown>> = {
    parsePlace,
    parseSignIn,
    parseLines,
    shownRevision,
    textParts,
    countLines,
    "a link": (text) => resolvePath("docs/readme.md", text),
    "a link from a deep folder": (text) => resolvePath(text, text),
    "the address of a path": (text) => atPath("rad:z1", "blob", text, text),
  };
  for (const [name, step] of Object.entries(steps)) {
    it(`take time in proportion to a text: ${name}`, () => {
      for (const [described, text] of texts) assertFast(described, () => step(text));
    });
  }
});
