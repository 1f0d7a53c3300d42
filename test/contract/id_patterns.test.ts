/** The patterns of ids take what the service reads, in every base, and nothing else. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  base16,
  base32,
  base32hex,
  base32hexnopad,
  base32nopad,
  base36,
  base58,
  base58flickr,
  base64,
  base64nopad,
  base64url,
  base64urlnopad,
} from "@scure/base";
import { textSchemas } from "../../build/contract/parameters.ts";
import { parseCommitish } from "../../src/ids/refname.ts";
import { decodeMultibase } from "../../src/ids/multibase.ts";
import { tryParseDid, tryParseNid } from "../../src/ids/nid.ts";
import { tryParseRid } from "../../src/ids/rid.ts";
import { noise } from "../support/noise.ts";

/** The pattern of a text; `names` are those that the host gives to repositories. */
const patternOf = (form: keyof ReturnType<typeof textSchemas>, names: readonly string[] = []) =>
  textSchemas(names)[form]["pattern"] as string;

/** Random ids of each kind. */
const ROUNDS = 300;

const lower = (text: string) => text.toLowerCase();
const bits = (bytes: Uint8Array, width: number, alphabet: string) => {
  const all = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = all.padEnd(Math.ceil(all.length / width) * width, "0").match(
    new RegExp(`.{${width}}`, "g"),
  )!;
  return digits.map((digit) => alphabet[parseInt(digit, 2)]).join("");
};
function decimal(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0);
  if (zeros < 0) return "0".repeat(bytes.length);
  return "0".repeat(zeros) + BigInt("0x" + base16.encode(bytes));
}

/** A text of bytes in each base. */
const ENCODERS: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  z: base58.encode,
  Z: base58flickr.encode,
  "9": decimal,
  k: base36.encode,
  K: (bytes) => base36.encode(bytes).toUpperCase(),
  "0": (bytes) => bits(bytes, 1, "01"),
  "7": (bytes) => bits(bytes, 3, "01234567"),
  f: (bytes) => lower(base16.encode(bytes)),
  F: base16.encode,
  b: (bytes) => lower(base32nopad.encode(bytes)),
  B: base32nopad.encode,
  c: (bytes) => lower(base32.encode(bytes)),
  C: base32.encode,
  v: (bytes) => lower(base32hexnopad.encode(bytes)),
  V: base32hexnopad.encode,
  t: (bytes) => lower(base32hex.encode(bytes)),
  T: base32hex.encode,
  h: (bytes) => bits(bytes, 5, "ybndrfg8ejkmcpqxot1uwisza345h769"),
  m: base64nopad.encode,
  M: base64.encode,
  u: base64urlnopad.encode,
  U: base64url.encode,
};

/** Bytes of ids: random ones, with zeros at the beginning, and the first and the last ones. */
function* samples(length: number, start: readonly number[]): Generator<Uint8Array> {
  const stream = noise(ROUNDS * 64 + 64);
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = stream.slice(round * 64, round * 64 + length);
    if (round % 5 === 0) bytes.fill(0, 0, round % 4 + 1);
    if (round % 7 === 0) bytes.fill(round % 2 === 0 ? 0 : 255, 4);
    bytes.set(start);
    yield bytes;
  }
  for (const filling of [0, 255]) yield Uint8Array.from({ length }, (_, i) => start[i] ?? filling);
}

const KINDS = {
  "a repository id": [patternOf("RepoIdText"), tryParseRid, 20, [], ["", "rad:"]],
  "a node id": [patternOf("NodeIdText"), tryParseNid, 34, [0xed, 1], [""]],
  "a DID": [patternOf("DidText"), tryParseDid, 34, [0xed, 1], ["did:key:"]],
} as const;

describe("the pattern of", () => {
  for (const [kind, [pattern, read, length, start, prefixes]] of Object.entries(KINDS)) {
    it(`${kind} accepts valid texts in each base`, () => {
      const expression = new RegExp(pattern, "u");
      for (const bytes of samples(length, start)) {
        for (const [base, encode] of Object.entries(ENCODERS)) {
          for (const prefix of prefixes) {
            const text = prefix + base + encode(bytes);
            assert.notEqual(read(text), undefined, text);
            assert.ok(expression.test(text), text);
          }
        }
      }
    });

    it(`${kind} accepts no invalid text`, () => {
      const expression = new RegExp(pattern, "u");
      const [prefix] = prefixes.slice(-1);
      let refused = 0;
      for (const bytes of samples(length, start)) {
        for (const [base, encode] of Object.entries(ENCODERS)) {
          const digits = encode(bytes);
          const at = bytes[8]! % digits.length;
          const changed = [
            digits.slice(1),
            digits.slice(0, -1),
            digits + digits.at(-1),
            digits[0] + digits,
            digits.slice(0, at) + digits[bytes[9]! % digits.length] + digits.slice(at + 1),
            digits.slice(0, at) + String.fromCharCode(33 + bytes[10]! % 94) + digits.slice(at + 1),
            digits.at(-1) + digits.slice(0, -1),
            encode(Uint8Array.of(...bytes, 0)),
            encode(bytes.slice(1)),
          ];
          for (const text of changed.map((digits) => prefix + base + digits)) {
            if (expression.test(text)) assert.notEqual(read(text), undefined, text);
            else refused++;
          }
        }
      }
      assert.ok(refused > 1000);
      for (
        const text of ["", "0", "z", "rad:", "rad:z", "rad", "did:key:", "did:key:z", "\0", "rad:rad:z1"]
      ) {
        assert.ok(!expression.test(text), text);
      }
    });
  }

  it("a repository id has the names that the host gives, and the base of plain text", () => {
    const expression = new RegExp(patternOf("RepoIdText", ["heart.wood", "x-1"]), "u");
    for (const name of ["heart.wood", "x-1", "\0abcdefghijklmnopqrst"]) {
      assert.ok(expression.test(name), name);
    }
    for (const name of ["heartywood", "rad:x-1", "\0abc"]) assert.ok(!expression.test(name), name);
    const named = new RegExp(patternOf("GitNameText", ["x-1"]), "u");
    for (const name of ["x-1", "x-1.git", `z${"1".repeat(20)}.git`]) assert.ok(named.test(name), name);
    assert.ok(!named.test("x-1.git.git"), "x-1.git.git");
  });

  it("a signature takes one in each base", () => {
    const expression = new RegExp(patternOf("SignatureText"), "u");
    for (const bytes of samples(64, [])) {
      for (const [base, encode] of Object.entries(ENCODERS)) {
        assert.ok(expression.test(base + encode(bytes)), base + encode(bytes));
      }
      assert.ok(!expression.test(`F${base16.encode(bytes)}00`));
    }
  });

  it("a commit takes exactly what may stand for one", () => {
    const [commit, archive] = [patternOf("CommitText"), patternOf("ArchiveText")]
      .map((pattern) => new RegExp(pattern, "u"));
    const pieces = [
      "a",
      "f",
      "0",
      ".",
      "..",
      "/",
      "@",
      "{",
      "@{",
      ".lock",
      "lock",
      "é",
      "\u2028",
      "😀",
      "\ufffd",
    ];
    pieces.push(..."~^:?*[\\ \n\x7f\x00-]}$|", "0123456789abcdef0123", "feature/one", ".tar", ".zip", ".gz");
    const random = noise(4 * 8 * 4000);
    let taken = 0;
    for (let round = 0; round < 4000; round++) {
      const count = 1 + random[round * 8]! % 5;
      const text = Array.from({ length: count }, (_, i) => pieces[random[round * 8 + i + 1]! % pieces.length])
        .join("");
      const isCommit = succeeds(() => parseCommitish(text));
      if (isCommit) taken++;
      assert.equal(commit!.test(text), isCommit, JSON.stringify(text));
      for (const ending of [".tar.gz", ".tar", ".zip"]) {
        assert.equal(archive!.test(text + ending), isCommit, JSON.stringify(text + ending));
      }
    }
    assert.ok(taken > 500);
  });
});

describe("texts in multibase", () => {
  it("have only letters of US-ASCII, in either case", () => {
    const [text] = [`b${lower(base32nopad.encode(new Uint8Array(20).fill(0x44)))}`];
    assert.notEqual(decodeMultibase(text!), undefined);
    // Their upper or lower case is of US-ASCII.
    for (const [base, odd] of [["b", "ı"], ["b", "ſ"], ["v", "ı"], ["K", "\u212a"]] as const) {
      assert.equal(decodeMultibase(base + odd.repeat(32)), undefined);
    }
  });
});

function succeeds(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
