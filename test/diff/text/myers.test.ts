import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareLines } from "../../../src/diff/text/myers.ts";
import { assignLineIds, hashLine } from "../../../src/diff/text/line_ids.ts";
import { splitLines } from "../../../src/diff/text/lines.ts";
import { slideGroups } from "../../../src/diff/text/slide.ts";
import { randomNumbers, randomPair } from "../random.ts";

const encoder = new TextEncoder();

const split = (old: readonly string[], now: readonly string[]) =>
  splitLines(encoder.encode(old.join("")), encoder.encode(now.join("")));

/** Lines of one letter each. */
const letters = (text: string): string[] => [...text].map((letter) => `${letter}\n`);

const rows = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `row ${from + i}\n`);

function compare(
  old: readonly string[],
  now: readonly string[],
): [deleted: string, added: string] | undefined {
  const marks = compareLines(split(old, now));
  const print = (side: Uint8Array, sign: string) => [...side].map((mark) => mark === 1 ? sign : ".").join("");
  return marks && [print(marks.deleted, "-"), print(marks.added, "+")];
}

describe("compareLines", () => {
  // What libgit2 was seen to answer.
  const cases: [name: string, old: string, now: string, deleted: string, added: string][] = [
    ["a line added", "ab", "axb", "..", ".+."],
    ["a line deleted", "axb", "ab", ".-.", ".."],
    ["a line replaced", "axb", "ayb", ".-.", ".+."],
    ["everything replaced", "ab", "xy", "--", "++"],
    ["two lines swapped", "ab", "ba", "-.", ".+"],
    ["a deleted line of several equal ones is the last", "aaa", "aa", "..-", ".."],
    ["a deletion slides down", "abab", "ab", "..--", ".."],
    ["an addition between two equal lines", "a", "baab", ".", "+.++"],
    ["a change slides to where the other side has one", "abb", "caab", ".-.", "++.."],
    ["the first of two equally short scripts", "ab", "aabba", "..", ".++.+"],
    ["lines that occur in the common part are no strangers", "aabba", "ab", ".--.-", ".."],
  ];
  for (const [name, old, now, deleted, added] of cases) {
    it(`marks as libgit2 does: ${name}`, () => {
      assert.deepEqual(compare(letters(old), letters(now)), [deleted, added]);
    });
  }

  it("leaves the same lines on both sides, for texts of all kinds", () => {
    const random = randomNumbers(2);
    for (let i = 0; i < 500; i++) {
      const [old, now] = randomPair(random, { lines: 60, alphabet: 8, unique: 0.5, edits: 8, block: 10 });
      const marks = compareLines(split(old, now));
      assert.ok(marks !== undefined);
      assert.deepEqual(
        old.filter((_, line) => marks.deleted[line] === 0),
        now.filter((_, line) => marks.added[line] === 0),
      );
    }
  });

  it("sets a frequent line among new ones aside", () => {
    const frequent = Array.from({ length: 40 }, (_, i) => i % 2 === 0 ? `kept ${i}\n` : "}\n");
    const block = (name: string, lines: number) => [
      ...Array.from({ length: lines }, (_, i) => `${name} ${i}\n`),
      "}\n",
      ...Array.from({ length: lines }, (_, i) => `${name} again ${i}\n`),
    ];
    const changed = (lines: number) =>
      compare([...frequent, ...block("old", lines)], [...frequent, ...block("new", lines)]);
    assert.deepEqual(changed(3)?.map((side) => side.slice(40)), ["---.---", "+++.+++"]);
    assert.deepEqual(changed(4)?.map((side) => side.slice(40)), ["---------", "+++++++++"]);
  });

  it("gives up when texts with the same lines differ too much", () => {
    const lines = 1000;
    assert.equal(compare(rows(0, lines), rows(0, lines).reverse()), undefined);
    assert.ok(compare(rows(0, 200), rows(0, 200).reverse()) !== undefined);
  });

  it("does not give up when no line has a partner", () => {
    const [old, now] = [rows(0, 5000), rows(5000, 9000)];
    assert.deepEqual(compare(["a\n", ...old], ["b\n", ...now])?.map((side) => side.includes(".")), [
      false,
      false,
    ]);
  });
});

describe("assignLineIds", () => {
  it("numbers equal lines equally and counts them in the whole texts", () => {
    const numbers = assignLineIds(split(letters("axbya"), letters("acba")));
    assert.ok(numbers !== undefined);
    assert.deepEqual([...numbers.old], [0, 1, 2]);
    assert.deepEqual([...numbers.new], [3, 1]);
    assert.deepEqual([...numbers.oldCounts], [1, 1, 1, 0]);
    assert.deepEqual([...numbers.newCounts], [0, 1, 0, 1]);
  });

  it("gives up on lines made to collide", () => {
    const count = 500;
    const colliding: string[] = [];
    for (let from = 0; colliding.length < count; from += 2 ** 16) {
      const lines = Array.from({ length: 2 ** 16 }, (_, i) => `${from + i}\n`);
      const { old } = splitLines(encoder.encode(lines.join("")), new Uint8Array());
      colliding.push(...lines.filter((_, i) => {
        const hash = hashLine(old, i);
        return ((hash ^ hash >>> 16) & 0x7ff) === 0;
      }));
    }
    colliding.splice(count);
    assert.equal(assignLineIds(split(colliding, colliding.toReversed())), undefined);
    assert.ok(assignLineIds(split(rows(0, count), rows(0, count).reverse())) !== undefined);
  });
});

describe("slideGroups", () => {
  const text = splitLines(encoder.encode("a\n".repeat(1000)), new Uint8Array()).old;

  it("moves a group down as far as it goes", () => {
    const marks = new Uint8Array(1000);
    marks[7] = 1;
    assert.ok(slideGroups(text, marks, new Uint8Array(999)));
    assert.equal(marks.indexOf(1), 999);
  });

  it("gives up when that takes too long", () => {
    const marks = new Uint8Array(1000);
    marks[7] = 1;
    assert.ok(!slideGroups(text, marks, new Uint8Array(999), 0.1));
  });
});
