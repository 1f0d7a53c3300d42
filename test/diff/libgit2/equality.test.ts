/**
 * That the lines compared in TypeScript are those that libgit2 finds: over all small texts, over random ones
 * and over the history of a repository. `LINE_DIFF_ROUNDS=50` makes it thorough, and compares larger small
 * texts.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import { compareFile } from "../../../src/diff/file_content.ts";
import { NO_CONTENT } from "../../../src/diff/text/hunks.ts";
import { Libgit2, type Libgit2Calls } from "../../../src/diff/libgit2/engine.ts";
import type { Change } from "../../../src/diff/tree_comparison.ts";
import { hashObject } from "../../../src/git/encode.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { GitRepository } from "../../support/git.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import type { FileContent } from "../diff_object.ts";
import { randomNumbers, randomPair, type TextStyle } from "../random.ts";
import { shownContent } from "../shown.ts";
import { readPatch } from "./printed_patch.ts";

type Text = string | Uint8Array;

const ROUNDS = Number(process.env["LINE_DIFF_ROUNDS"] ?? 1);
const PAIRS_PER_CALL = 2000;

const encoder = new TextEncoder();
const libgit2 = new Libgit2(loadLibgit2);

/** Compares pairs of texts. Returns for how many libgit2 had to find the differing lines. */
async function assertEqualAnswers(pairs: readonly (readonly [old: Text, now: Text])[]): Promise<number> {
  let left = 0;
  const counted: Libgit2Calls = {
    patch: (...call) => (left++, libgit2.patch(...call)),
    status: (...call) => libgit2.status(...call),
  };
  for (let start = 0; start < pairs.length; start += PAIRS_PER_CALL) {
    const contents = new Map<Oid, Uint8Array>();
    const oids = new Map<Text, Oid>();
    const put = (text: Text): Oid => {
      let oid = oids.get(text);
      if (oid === undefined) {
        const bytes = typeof text === "string" ? encoder.encode(text) : text;
        oids.set(text, oid = hashObject("blob", bytes));
        contents.set(oid, bytes);
      }
      return oid;
    };
    const changes = pairs.slice(start, start + PAIRS_PER_CALL).map(([old, now]): Change => ({
      path: "",
      old: { oid: put(old), mode: "blob" },
      new: { oid: put(now), mode: "blob" },
    }));
    const wanted = readPatch(await libgit2.patch(changes, contents));
    for (const [i, change] of changes.entries()) {
      const content = shownContent(await compareFile(counted, change, contents));
      if (!isEqual(content, wanted.get(i) ?? NO_CONTENT)) {
        assert.deepEqual({ pair: pairs[start + i], content }, {
          pair: pairs[start + i],
          content: wanted.get(i),
        });
      }
    }
  }
  return left;
}

/** As strict as deepEqual, and cheap. */
function isEqual(a: FileContent, b: FileContent): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** All texts of lines of one letter, up to a length. */
function smallTexts(alphabet: string, length: number): string[] {
  let longest = [""];
  const texts = [...longest];
  for (let i = 0; i < length; i++) {
    longest = longest.flatMap((text) => [...alphabet].map((letter) => `${text}${letter}\n`));
    texts.push(...longest);
  }
  return texts;
}

function allPairs(texts: readonly string[]): [string, string][] {
  return texts.flatMap((old) =>
    texts.filter((now) => now !== old).map((now): [string, string] => [old, now])
  );
}

describe("lines compared here and by libgit2 are the same", () => {
  for (
    const [alphabet, length] of ROUNDS > 1
      ? [["ab", 7], ["abc", 5]] as const
      : [["ab", 5], ["abc", 3]] as const
  ) {
    it(`for all texts of up to ${length} lines out of ${alphabet.length}`, { timeout: 600_000 }, async () => {
      assert.equal(await assertEqualAnswers(allPairs(smallTexts(alphabet, length))), 0);
    });
  }

  const styles: [name: string, count: number, style: TextStyle][] = [
    ["of few different lines", 400, { lines: 60, alphabet: 6, unique: 0, edits: 12, block: 6 }],
    ["like programs", 200, { lines: 600, alphabet: 8, unique: 0.7, edits: 12, block: 40 }],
    ["of many lines, with few edits", 30, { lines: 5000, alphabet: 40, unique: 0.5, edits: 20, block: 60 }],
    ["with little in common", 100, { lines: 200, alphabet: 60, unique: 0, edits: 40, block: 20 }],
  ];
  for (const [name, count, style] of styles) {
    it(`for random texts ${name}`, { timeout: 600_000 }, async () => {
      const random = randomNumbers(count);
      const pairs = Array.from({ length: count * ROUNDS }, () => {
        const [old, now] = randomPair(random, style).map((lines) => lines.join(""));
        return random() < 0.1 ? [old!.slice(0, -1), now!] as const : [old!, now!] as const;
      }).filter(([old, now]) => old !== now);
      const left = await assertEqualAnswers(pairs);
      assert.ok(left <= pairs.length / 10, `${left} of ${pairs.length} only by libgit2`);
    });
  }

  it("for texts that only libgit2 compares", { timeout: 600_000 }, async () => {
    const random = randomNumbers(3);
    const text = (newline: string) =>
      Array.from({ length: 2000 }, () => `${Math.floor(random() * 40)}`).join("\n") + newline;
    const pairs = Array.from({ length: 8 * ROUNDS }, (_, i): [string, string] => [
      text(i % 2 === 0 ? "\n" : ""),
      text(i % 4 < 2 ? "\n" : ""),
    ]);
    assert.equal(await assertEqualAnswers(pairs), pairs.length);
  });

  it("for last lines without a newline", async () => {
    const texts = [
      "",
      "a",
      "a\n",
      "b",
      "a\nb",
      "a\nb\n",
      "a\n\n",
      "\n",
      "a\nb\nc\nd\ne",
      "a\nb\nc\nd\ne\n",
      "x\nb\nc\nd\ne",
    ];
    assert.equal(await assertEqualAnswers(allPairs(texts)), 0);
  });

  it("for carriage returns, bytes that are no UTF-8, and zeros", async () => {
    const body = Array.from({ length: 30 }, (_, i) => ` ${i}\n`).join("");
    const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
    const changed = (text: string, to: string) =>
      [latin(text + body), latin(text + body.replace(" 20", to))] as const;
    const heading = (text: string) => changed(`${text}\n`, "x");
    assert.equal(
      await assertEqualAnswers([
        ["a\r\nb\r\n", "a\nb\r\n"],
        ["a\r\nb", "a\r\nb\r"],
        ["\ufeffa\n", "a\n"],
        [Uint8Array.of(0xff, 0x0a), Uint8Array.of(0xfe, 0x0a)],
        [Uint8Array.of(0x61, 0xc3, 0x0a, 0x62), Uint8Array.of(0x61, 0xc3, 0x0a, 0xa9, 0x62)],
        ["a\0b\n", "a\n"],
        [`${"a\n".repeat(4500)}\0\n`, `${"a\n".repeat(4500)}b\n`],
        [`${"a\n".repeat(3900)}\0\n`, `${"a\n".repeat(3900)}b\n`],
        changed("caf\xc3\xa9 \t \r\n", "\xff"),
        heading("null\0null"),
      ]),
      0,
    );
  });

  it("for headings that are not UTF-8", async () => {
    const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
    const body = Array.from({ length: 30 }, (_, i) => ` ${i}\n`).join("");
    const random = randomNumbers(5);
    const some = (texts: readonly string[]) => texts[Math.floor(random() * texts.length)]!;
    const parts = [
      ["\xff", "\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80", "\xef\xb7\x90"],
      ["\xf0\x80\x80\x80", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf7\xbf\xbf\xbf", "\xf8\x88\x80\x80\x80"],
      ["\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbd", "\xef\xbb\xbf", " ", "\r", "\x01"],
    ].flat();
    const headings = ["caf\xe9", "caf\xe9 more", ...parts.map((part) => `a${part}b`)];
    for (let i = 0; i < 500 * ROUNDS; i++) {
      const [length, rarity] = [130 * random(), some(["0.02", "0.3"])];
      let heading = "a";
      while (heading.length < length) {
        heading += random() < Number(rarity) ? some(parts) : some([..."bcd", "\xc3\xa9"]);
      }
      headings.push(heading);
    }
    const pairs = headings.map((heading) =>
      [latin(`${heading}\n${body}`), latin(`${heading}\n${body.replace(" 20", "x")}`)] as const
    );
    assert.equal(await assertEqualAnswers(pairs), 0);
  });

  it("for headings of all kinds and lengths", async () => {
    const body = Array.from({ length: 30 }, (_, i) => ` ${i}\n`).join("");
    const headings = [
      "fn a",
      "_a",
      "$a",
      "9a",
      "é",
      "-a",
      "#a",
      "[a]",
      "@a",
      "A\t \f\v",
      "z  {",
      "`a",
      "{",
      "\u007fa",
      "",
    ];
    for (let length = 74; length < 84; length++) {
      for (const end of ["", "é", "日", "😀", " ", "  b", "日 ", "😀😀"]) {
        headings.push("a".repeat(length) + end + " tail");
      }
    }
    assert.equal(
      await assertEqualAnswers(
        headings.map((
          heading,
        ) => [`${heading}\n${body}`, `${heading}\n${body.replace(" 9", "x").replace(" 25", "y")}`]),
      ),
      0,
    );
  });

  it("for very long lines", async () => {
    const long = "x".repeat(2 ** 20);
    assert.equal(
      await assertEqualAnswers([[`${long}\na\n`, `${long}y\na\n`], [`${long}\na\n`, `${long}\nb\n`]]),
      0,
    );
  });

  it("for the files of a repository, also with many commits between", { timeout: 600_000 }, async () => {
    const folder = temporaryFolder("line-diff");
    try {
      const home = unpackHome("browse.tar.gz", folder);
      const pairs: [Uint8Array, Uint8Array][] = [];
      for (const rid of ["z2JWCUjTPPMoNdSHyjwaMumuYDcsx", "znfUeJyw5tcTtg8WrhWPfgidivEa"]) {
        const git = new GitRepository(join(home, "storage", rid));
        const blobs = new Map(
          git.objects().filter(({ kind }) => kind === "blob").map(({ oid, bytes }) => [oid, bytes]),
        );
        const log = git.text(["log", "--all", "--raw", "-m", "--no-renames", "--abbrev=40", "--format="]);
        const versions = new Map<string, Set<Oid>>();
        for (const [, old, now, path] of log.matchAll(/^:10\d+ 10\d+ (\w+) (\w+) M\t(.*)$/gm)) {
          let known = versions.get(path!);
          if (known === undefined) versions.set(path!, known = new Set());
          known.add(now as Oid).add(old as Oid);
        }
        for (const known of versions.values()) {
          const contents = [...known].map((oid) => blobs.get(oid)).filter((bytes) => bytes !== undefined);
          contents.forEach((bytes, i) => {
            for (const apart of [1, 7]) {
              const older = contents[i + apart];
              if (older !== undefined) pairs.push([older, bytes]);
            }
          });
        }
      }
      assert.ok(pairs.length > 100);
      const left = await assertEqualAnswers(pairs);
      assert.ok(left <= pairs.length / 10, `${left} of ${pairs.length} only by libgit2`);
    } finally {
      removeFolder(folder);
    }
  });
});
