import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { areEqualLines, type Lines, splitLines } from "../../../src/diff/text/lines.ts";
import { randomNumbers, randomPair } from "../random.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const split = (old: string, now: string) => splitLines(encoder.encode(old), encoder.encode(now));

function textOf({ bytes, starts, count }: Lines): string[] {
  return Array.from({ length: count }, (_, i) => decoder.decode(bytes.subarray(starts[i], starts[i + 1])));
}

describe("splitLines", () => {
  const cases: [name: string, old: string, now: string, first: number, oldEnd: number, newEnd: number][] = [
    ["texts that differ in the middle", "a\nb\nc\n", "a\nx\ny\nc\n", 1, 2, 3],
    ["an empty old text", "", "a\nb\n", 0, 0, 2],
    ["an empty new text", "a\nb", "", 0, 2, 0],
    ["a text that goes on", "a\n", "a\nb\n", 1, 1, 2],
    ["a text that begins earlier", "b\n", "a\nb\n", 0, 0, 1],
    ["a last line that got its newline", "a\nb", "a\nb\n", 1, 2, 2],
    ["lines that begin alike", "abc\n", "abd\n", 0, 1, 1],
    ["lines that end alike", "xbc\nq\n", "ybc\nq\n", 0, 1, 1],
    ["a line that is the end of another", "bc\n", "abc\n", 0, 1, 1],
    ["a line twice in a row", "a\na\n", "a\na\na\n", 2, 2, 3],
    ["a common last line without a newline", "a\nz", "b\nz", 0, 1, 1],
    ["empty lines", "\n\n", "\n\n\n", 2, 2, 3],
  ];
  for (const [name, old, now, first, oldEnd, newEnd] of cases) {
    it(`finds what is common: ${name}`, () => {
      const texts = split(old, now);
      assert.deepEqual([texts.first, texts.oldEnd, texts.newEnd], [first, oldEnd, newEnd]);
    });
  }

  it("splits as splitting at newlines does, whatever is common", () => {
    const random = randomNumbers(1);
    for (let i = 0; i < 300; i++) {
      const [old, now] = randomPair(random, { lines: 20, alphabet: 4, unique: 0.3, edits: 3, block: 4 });
      if (i % 3 === 0) now.push("no newline");
      const texts = split(old.join(""), now.join(""));
      assert.deepEqual(textOf(texts.old), old);
      assert.deepEqual(textOf(texts.new), now);
      assert.deepEqual(old.slice(0, texts.first), now.slice(0, texts.first));
      assert.deepEqual(old.slice(texts.oldEnd), now.slice(texts.newEnd));
    }
  });

  it("also splits views into larger buffers", () => {
    const inside = (text: string) => encoder.encode(`?${text}??`).subarray(1, -2);
    const texts = splitLines(inside("a\nb\nc\n"), inside("a\nc\n"));
    assert.deepEqual([textOf(texts.old), textOf(texts.new)], [["a\n", "b\n", "c\n"], ["a\n", "c\n"]]);
  });
});

describe("areEqualLines", () => {
  it("compares all bytes, the newline as well", () => {
    const { old, new: now } = split("12345678\nsame\nlast", "12345679\nsame\nlast\n");
    assert.deepEqual([0, 1, 2].map((i) => areEqualLines(old, i, now, i)), [false, true, false]);
  });
});
