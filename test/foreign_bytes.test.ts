/**
 * Nothing walks foreign bytes without a pause. Each exported function that takes bytes, a text of a body or a stream stands
 * in a table, and is run on the worst input up to its limit with a count of the places where its task may pause.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, it, mock } from "node:test";
import { Task } from "../src/scheduling/task.ts";
import { AT_MOST, count, SAMPLE_BYTES } from "./foreign_rows.ts";
import { TABLE } from "./foreign_table.ts";

/** Folders whose functions read foreign bytes. */
const FOLDERS = [
  ...[
    "bytes",
    "cob/entry",
    "derived",
    "diff",
    "diff_service/render",
    "git",
    "http",
    "identity",
  ],
  ...["ids", "keys", "profile", "session", "storage", "text"],
  ...["archives", "git", "replicas/format", "search"].map((name) => `extensions/${name}`),
];

/** Parameters that hold bytes, texts of bodies and files, or streams. */
const FOREIGN =
  /:[^:]*\b(?:Uint8Array|ReadableStream)\b|\b(?:text|texts|body|json|message|armor|query|list|line): (?:readonly )?string\b|\blimitBytes: number\b/;
/** A function, or a class and its methods, and the end of a class, as the formatter writes them. */
const DECLARED =
  /^(?:export (?:async )?function\*? |export const |( {2})(?!if|for|while|switch|catch|super)(?:static |async |\*)*)(\w+)(?:<[^(]*>)?(?: = (?:async )?)?\(|^export class (\w+)|^(\})/gm;

/** Names of the functions in a source with such parameters: `name`, `Class` for its constructor, `Class.method`. */
function takers(source: string): string[] {
  const found: string[] = [];
  let inClass: string | undefined;
  for (const { 0: head, 1: indent, 2: name, 3: className, 4: end, index } of source.matchAll(DECLARED)) {
    if (className ?? end) inClass = className;
    if (name === undefined || indent !== undefined && inClass === undefined) continue;
    const start = index + head.length;
    let at = start;
    for (let depth = 1; depth > 0 && at < source.length; at++) {
      if ("([{".includes(source[at]!)) depth++;
      else if (")]}".includes(source[at]!)) depth--;
    }
    if (!FOREIGN.test(source.slice(start, at))) continue;
    found.push(indent === undefined ? name : name === "constructor" ? inClass! : `${inClass}.${name}`);
  }
  return found;
}

/** A folder or file below `src/`, or with its whole path. */
const placeOf = (path: string) =>
  new URL(path.startsWith("extensions/") ? `../${path}` : `../src/${path}`, import.meta.url);

describe("foreign bytes", () => {
  it("are read by functions of the table alone, and by all of them", () => {
    const found = FOLDERS.flatMap((folder) =>
      readdirSync(placeOf(`${folder}/`), { recursive: true, encoding: "utf8" })
        .map((file) => file.replaceAll("\\", "/"))
        .filter((file) => file.endsWith(".ts") && !file.includes("carried"))
        .flatMap((file) => takers(readFileSync(placeOf(`${folder}/${file}`), "utf8")))
        .map((name) => `${folder} ${name}`)
    );
    const listed = Object.entries(TABLE).flatMap(([folder, rows]) =>
      Object.keys(rows).map((name) => `${folder} ${name}`)
    );
    assert.deepEqual(listed.sort(), [...new Set(found)].sort());
  });

  it("are found in functions, constructors and methods of a source", () => {
    const source =
      `export function* a(\n  rid: RepoId,\n  bytes: Uint8Array,\n): Steps<void> {\n}\nfunction own(b: Uint8Array) {\n}
export const b = (text: string) => text;\nexport class C {\n  constructor(bytes: Uint8Array) {\n  }\n  async d({ a }: E, body: ReadableStream | null) {
  }\n  #e(bytes: Uint8Array) {\n  }\n}\nclass D {\n  f(bytes: Uint8Array) {\n  }\n}\nexport function g(name: string) {\n}\n`;
    assert.deepEqual(takers(source), ["a", "b", "C", "C.d"]);
  });

  it("are bounded by the named tests", () => {
    for (const { because = "" } of Object.values(TABLE).flatMap((rows) => Object.values(rows))) {
      for (const [file] of because.matchAll(/[\w/]+\.ts/g)) {
        assert.ok(existsSync(placeOf(file)), file);
      }
    }
  });

  for (const [folder, rows] of Object.entries(TABLE)) {
    for (const [name, { limit, bound = AT_MOST, runs, refuses, because }] of Object.entries(rows)) {
      if (runs === undefined) {
        it(`${folder} ${name}: ${limit} bytes at most`, () => {
          assert.ok(limit <= bound && (refuses ?? because) !== undefined);
          if (refuses === undefined) return;
          const outcomes = [limit, limit + 1].map((size) => {
            try {
              return refuses(size) === undefined ? "nothing" : "a value";
            } catch (error) {
              return String(error);
            }
          });
          assert.notEqual(outcomes[0], outcomes[1]);
        });
        continue;
      }
      it(`${folder} ${name} may pause each ${bound} bytes`, async () => {
        const counted = mock.method(Task.prototype, "yield", () => void count.places++);
        try {
          for (const [i, run] of runs.entries()) {
            const size = await run(Math.min(limit, SAMPLE_BYTES));
            assert.ok(size > Math.min(limit, SAMPLE_BYTES) / 2, `input ${i} has ${size} bytes`);
            assert.ok(
              size / (count.places + 1) <= bound,
              `input ${i}: ${Math.round(size / (count.places + 1))} bytes on average`,
            );
          }
        } finally {
          counted.mock.restore();
        }
      });
    }
  }
});
