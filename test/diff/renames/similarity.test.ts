/** That texts are alike where libgit2 says so. `SIMILARITY_ROUNDS=50` makes it thorough. */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import { Libgit2 } from "../../../src/diff/libgit2/engine.ts";
import { areAlike, countEqual, hashesOf } from "../../../src/diff/renames/similarity.ts";
import { hashObject } from "../../../src/git/encode.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { randomNumbers } from "../random.ts";

const ROUNDS = Number(process.env["SIMILARITY_ROUNDS"] ?? 1);

/** Bytes of a line that libgit2 takes together. */
const PIECE_BYTES = 80;

const libgit2 = new Libgit2(loadLibgit2);

/** A text of characters up to U+00FF, each a byte. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** What is said here; `undefined` when that is nothing. */
function answerHere(a: string, b: string): boolean | undefined {
  const [some, others] = [hashesOf(bytesOf(a)), hashesOf(bytesOf(b))];
  return some && others && areAlike(countCommon(some, others), some.length, others.length);
}

/** Number of pieces that two texts have in common. */
function countCommon(a: Int32Array, b: Int32Array): number {
  const [some, others] = [countEqual(a.slice()), countEqual(b.slice())];
  const counts = new Map([...others.hashes].map((hash, i) => [hash, others.counts[i]!]));
  return some.hashes.reduce((sum, hash, i) => sum + Math.min(some.counts[i]!, counts.get(hash) ?? 0), 0);
}

/** Whether libgit2 takes a file for another one under a new path. */
async function answerOfLibgit2(a: string, b: string): Promise<boolean> {
  const contents = new Map<Oid, Uint8Array>();
  const put = (text: string) => {
    const bytes = bytesOf(text);
    const oid = hashObject("blob", bytes);
    contents.set(oid, bytes);
    return { oid, mode: "blob" as const };
  };
  const path = "";
  const list = await libgit2.status([{ path, old: put(a) }, { path, new: put(b) }], contents);
  return list.startsWith("R");
}

async function assertEqualAnswers(pairs: readonly (readonly [a: string, b: string])[]): Promise<number> {
  let open = 0;
  for (const [a, b] of pairs) {
    const here = answerHere(a, b);
    if (here === undefined) open++;
    else assert.equal(here, await answerOfLibgit2(a, b), JSON.stringify([a, b]));
  }
  return open;
}

const WORDS = "const let return if else for while import export value item index node list map key".split(
  " ",
);

/** Lines of one kind, made anew each time. */
type MakeLine = (random: () => number) => string;

const KINDS: Record<string, MakeLine> = {
  "like programs": (random) => {
    const word = () => WORDS[Math.floor(random() * WORDS.length)]!;
    return random() < 0.3
      ? ["}", "  }", "", "return;", "  });"][Math.floor(random() * 5)]!
      : `  ${word()} ${word()}${Math.floor(random() * 1000)} = ${word()}();`;
  },
  "of numbers": (random) => String(Math.floor(random() * 2000)),
  "of any bytes": (random) =>
    String.fromCharCode(...Array.from({ length: 1 + random() * 20 }, () => 0x0b + random() * 0xf4)),
  "of long lines": (random) => {
    const letter = String.fromCharCode(0x61 + random() * 5);
    const length = PIECE_BYTES * Math.floor(random() * 4) + Math.floor(random() * 5) - 2;
    return letter.repeat(Math.max(length, 1)) + Math.floor(random() * 5);
  },
  "that are counted": (random) => `line ${Math.floor(random() * 1e6)} of a text, and more of it`,
};

/** Two texts of about so many lines, half of which they have in common, about as often as not. */
function randomPair(random: () => number, line: MakeLine, size: number): [string, string] {
  const upTo = (limit: number) => Math.floor(random() * (limit + 1));
  const lines = (count: number) => Array.from({ length: count }, () => line(random));
  const counts = [1 + upTo(size), 1 + upTo(size)] as const;
  const share = random() < 0.7 ? 0.4 + 0.2 * random() : random();
  const common = lines(Math.min(...counts, Math.round(share * (counts[0] + counts[1]) / 2)));
  return counts.map((count) => {
    const all = [...common];
    for (const added of lines(count - common.length)) all.splice(upTo(all.length), 0, added);
    const indent = random() < 0.1 ? " \t\f\v".slice(0, upTo(4)) : "";
    const end = random() < 0.1 ? "\r\n" : "\n";
    return all.map((text) => indent + text).join(end) + (random() < 0.1 ? "" : end);
  }) as [string, string];
}

describe("texts are alike here when they are to libgit2", () => {
  for (const [kind, line] of Object.entries(KINDS)) {
    for (const [size, mostOpen] of [[4, 0.1], [40, 0.1], [115, 1], [260, 1], [900, 1]] as const) {
      it(`${kind}, up to ${size} lines`, { timeout: 600_000 }, async () => {
        const random = randomNumbers(size);
        const pairs = Array.from({ length: 60 * ROUNDS }, () => randomPair(random, line, size));
        const open = await assertEqualAnswers(pairs);
        assert.ok(open <= mostOpen * pairs.length, `${open} of ${pairs.length} only by libgit2`);
      });
    }
  }

  it("with white space at both ends of lines, and lines of nothing else", async () => {
    const texts = [
      "a\nb\n",
      " a\n\tb\n",
      "a \nb \n",
      "a\n\n\n\nb",
      "\ra\r\nb\r",
      "  \n\t\n",
      "",
      "\n",
      "c\nd\n",
    ];
    const pairs = texts.flatMap((a) => texts.filter((b) => b !== a).map((b) => [a, b] as const));
    // Nothing is alike nothing, or not.
    assert.equal(await assertEqualAnswers(pairs), 6);
  });

  it("with lines as long as pieces, and white space after them", async () => {
    const [x, y] = ["x".repeat(PIECE_BYTES), "y".repeat(PIECE_BYTES)];
    const texts = [`${x}\n  a\n`, `${x}\na\n`, `${x}\r\n  a\n`, `${x}a\n`, `${x}\n\n  a\n`, `${x}${y}\n a\n`];
    const pairs = texts.flatMap((a) => texts.filter((b) => b !== a).map((b) => [a, b] as const));
    assert.equal(await assertEqualAnswers(pairs), 0);
  });
});

describe("areAlike", () => {
  it("leaves texts with zero bytes to libgit2", () => {
    assert.equal(hashesOf(bytesOf("a\n\0")), undefined);
  });

  it("is sure of long texts that have little in common, and of no others", () => {
    const lines = (word: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");
    assert.equal(answerHere(lines("a", 2000), lines("b", 2000) + lines("a", 90)), false);
    assert.equal(answerHere(lines("a", 2000), lines("b", 2000) + lines("a", 500)), undefined);
    assert.equal(answerHere(lines("a", 2000), lines("a", 2001)), undefined);
  });
});
