/** House rules of comments and names that the formatter and the linter do not know. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

const ROOT = new URL("../", import.meta.url);

/** Longest line of a comment, in columns: the width of code. */
const MAX_COLUMNS = 110;

/** Folders and files with longer comments: take one out when its comments are wrapped, and never add one. */
const STILL_TO_WRAP = [
  "adapters/",
  "src/api.ts",
  "src/cache/",
  "src/cob/",
  "src/diff/",
  "src/diff_service/",
  "src/errors.ts",
  "src/http/",
  "src/routes/",
  "src/time/",
  "src/version.ts",
];

const files = ["src", "adapters"].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
).sort();

const linesOf = (file: string): string[] => readFileSync(new URL(file, ROOT), "utf8").split("\n");

/** Whether a line is part of a comment that has the line for itself. */
const isComment = (line: string): boolean => /^\s*(\/\/|\/\*|\*)/.test(line);

/** A pragma of a tool, or a link, cannot be wrapped. */
const isUnbreakable = (line: string): boolean => /deno-lint-ignore|@ts-|https?:\/\/\S+$/.test(line);

describe("comments", () => {
  it(`are wrapped at ${MAX_COLUMNS} columns`, () => {
    const long = files.filter((file) => !STILL_TO_WRAP.some((path) => file.startsWith(path))).flatMap((
      file,
    ) =>
      linesOf(file).flatMap((line, i) =>
        line.length > MAX_COLUMNS && isComment(line) && !isUnbreakable(line) ? [`${file}:${i + 1}`] : []
      )
    );
    assert.deepEqual(long, []);
  });
});
