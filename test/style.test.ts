/** House rules of comments and names that the formatter and the linter do not know. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

const ROOT = new URL("../", import.meta.url);

/** Longest line of a comment, in columns: the width of code. */
const MAX_COLUMNS = 110;

const files = ["src", "extensions", "adapters"].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
).sort();

const linesOf = (file: string): string[] => readFileSync(new URL(file, ROOT), "utf8").split("\n");

/** Whether a line is part of a comment that has the line for itself. */
const isComment = (line: string): boolean => /^\s*(\/\/|\/\*|\*)/.test(line);

/** A pragma of a tool, or a link, cannot be wrapped. */
const isUnbreakable = (line: string): boolean => /deno-lint-ignore|@ts-|https?:\/\/\S+$/.test(line);

describe("comments", () => {
  it(`are wrapped at ${MAX_COLUMNS} columns`, () => {
    const long = files.flatMap((file) =>
      linesOf(file).flatMap((line, i) =>
        line.length > MAX_COLUMNS && isComment(line) && !isUnbreakable(line) ? [`${file}:${i + 1}`] : []
      )
    );
    assert.deepEqual(long, []);
  });
});

/** Doc comments that replace a noun by a question word, instead of naming the thing. */
const QUESTION = /^\s*(?:\/\*\*|\*) (?:What|Who|Whose|Whoever) /;

describe("doc comments", () => {
  it("begin with a noun or a verb", () => {
    const found = files.flatMap((file) =>
      linesOf(file).flatMap((line, i) => QUESTION.test(line) ? [`${file}:${i + 1}`] : [])
    );
    assert.deepEqual(found, []);
  });
});

/** Retired words: those between backticks in the last column of the glossary. */
function retiredWords(): string[] {
  const glossary = readFileSync(new URL("docs/glossary.md", ROOT), "utf8");
  const cells = [...glossary.matchAll(/^\|.*\|([^|]*)\|$/gm)].map((match) => match[1]!);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1]!));
}

/** Words of comments and identifiers; texts and code in comments left out, `camelCase` and `snake_case` split. */
function wordsOf(text: string): Set<string> {
  const prose = text.replace(/`[^`\n]*`|"[^"\n]*"/g, " ");
  return new Set(
    prose.replace(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll("_", " ").toLowerCase().match(/[a-z]+/g),
  );
}

describe("docs/glossary.md", () => {
  const words = files.map((file) => ({ file, words: wordsOf(`${file}\n${linesOf(file).join("\n")}`) }));

  it("has retired words", () => assert.ok(retiredWords().includes("mutex")));

  for (const word of retiredWords()) {
    it(`has retired the word ${word}`, () => {
      assert.deepEqual(words.filter(({ words }) => words.has(word)).map(({ file }) => file), []);
    });
  }
});
