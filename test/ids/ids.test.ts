/** Identifiers in every spelling that the real programs accept. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base16, base32nopad, base64urlnopad } from "@scure/base";
import { UnreadableIdError } from "../../src/errors.ts";
import { didOfNid, formatNid, nidOfDid, nidToPublicKey, parseDid, parseNid } from "../../src/ids/nid.ts";
import { decodeMultibase, MAX_MULTIBASE_LENGTH } from "../../src/ids/multibase.ts";
import { oidFromBytes, oidToBytes, parseOid, readDigits } from "../../src/ids/oid.ts";
import { isRefname } from "../../src/ids/refname.ts";
import { parseRid, type RepoId, ridFromOid, ridToOid, sortRids } from "../../src/ids/rid.ts";

const isUnreadable = (error: unknown) => error instanceof UnreadableIdError;
const RID_BYTES = base16.decode("E9C8F30E478F8F5456B00F27439D8C673D4A97DF");

describe("parseRid", () => {
  it("reads the canonical form with and without rad:", () => {
    assert.equal(parseRid("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp"), "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
    assert.equal(parseRid("z4FucBZHZMCsxTyQE1dfE2YR59Qbp"), "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
  });

  const binary = [...RID_BYTES].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const spellings: Record<string, string> = {
    "base 16": "f" + base16.encode(RID_BYTES).toLowerCase(),
    "upper base 16": "F" + base16.encode(RID_BYTES),
    "base 32": "b" + base32nopad.encode(RID_BYTES).toLowerCase(),
    "base64url": "u" + base64urlnopad.encode(RID_BYTES),
    "base 10": "9" + BigInt("0x" + base16.encode(RID_BYTES)),
    "base 36": "k" + BigInt("0x" + base16.encode(RID_BYTES)).toString(36),
    "base 2": "0" + binary,
    "base 8": "7" + (binary + "00").match(/.{3}/g)!.map((bits) => parseInt(bits, 2).toString(8)).join(""),
  };
  for (const [name, text] of Object.entries(spellings)) {
    it(`reads ${name} and answers with the canonical form`, () => {
      assert.equal(parseRid(text), "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
    });
  }

  for (
    const text of [
      "",
      "rad:",
      "z",
      "rad:z4Fuc",
      "rad:z0OIl",
      "heartwood",
      "https://z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
      "e9c8f30e478f8f5456b00f27439d8c673d4a97df",
      "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp ",
      "constructor",
    ]
  ) {
    it(`refuses "${text}"`, () => {
      assert.throws(() => parseRid(text), isUnreadable);
    });
  }

  it("stands for the object id of the first document", () => {
    assert.equal(ridToOid("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji"), "d96f425412c9f8ad5d9a9a05c9831d0728e2338d");
    assert.equal(
      ridFromOid(parseOid("d96f425412c9f8ad5d9a9a05c9831d0728e2338d")),
      "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji",
    );
  });

  it("orders by bytes, not by text", () => {
    const rids: RepoId[] = ["rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp", "rad:zLuTzcmoWMcdK37xqArS8eckp9vK"];
    assert.deepEqual(sortRids([...rids, ...rids]), [
      "rad:zLuTzcmoWMcdK37xqArS8eckp9vK",
      "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
    ]);
  });
});

describe("decodeMultibase", () => {
  it("refuses texts beyond its limit", () => {
    assert.equal(decodeMultibase("f" + "00".repeat(511))?.length, 511);
    assert.equal(decodeMultibase("f" + "0".repeat(MAX_MULTIBASE_LENGTH)), undefined);
  });
});

describe("parseNid", () => {
  const NID = "z6MktWkM9vcfysWFq1c2aaLjJ6j4PYYg93TLPswR4qtuoAeT";
  const KEY = "D0E85C8AE17274639CB1945D415DC6192ECB4F259133B0AE3D88A06B045FAF90";

  it("reads a public key and writes it back", () => {
    assert.equal(base16.encode(nidToPublicKey(parseNid(NID))), KEY);
    assert.equal(formatNid(base16.decode(KEY)), NID);
    assert.equal(parseNid("fed01" + KEY.toLowerCase()), NID);
  });

  it("is the rest of a DID", () => {
    const did = didOfNid(parseNid(NID));
    assert.equal(did, `did:key:${NID}`);
    assert.equal(nidOfDid(parseDid(did)), NID);
  });

  for (const text of [`did:key:${NID}`, NID.slice(0, -1), "f" + KEY, "fed02" + KEY, ""]) {
    it(`refuses "${text}"`, () => {
      assert.throws(() => parseNid(text), isUnreadable);
    });
  }

  for (const text of [NID, `did:web:${NID}`, `DID:key:${NID}`, "did:key:"]) {
    it(`refuses the DID "${text}"`, () => {
      assert.throws(() => parseDid(text), isUnreadable);
    });
  }
});

describe("parseOid", () => {
  it("reads either case and pads short ids on the right, as libgit2", () => {
    assert.equal(parseOid("ABC"), "abc" + "0".repeat(37));
  });

  for (const text of ["", "g", "0".repeat(41), "HEAD", "main", " a"]) {
    it(`refuses "${text}"`, () => {
      assert.throws(() => parseOid(text), isUnreadable);
    });
  }

  it("is 20 bytes", () => {
    const oid = parseOid("0123456789abcdef0123456789abcdef01234567");
    assert.equal(oidFromBytes(oidToBytes(oid)), oid);
  });
});

describe("readDigits", () => {
  const oid = parseOid("0123456789abcdef0123456789abcdef01234567");
  const digits = new TextEncoder().encode(`x${oid}`);

  it("reads 40 digits from a place on", () => {
    const bytes = new Uint8Array(22);
    assert.ok(readDigits(digits, 1, bytes, 2));
    assert.deepEqual(bytes.subarray(2), oidToBytes(oid));
  });

  it("refuses every byte that is no digit as git writes it, wherever it is", () => {
    for (let place = 1; place <= 40; place++) {
      for (let code = 0; code < 256; code++) {
        const changed = digits.with(place, code);
        const isDigit = "0123456789abcdef".includes(String.fromCharCode(code));
        assert.equal(readDigits(changed, 1, new Uint8Array(20), 0), isDigit, `${code} at ${place}`);
      }
    }
  });

  it("refuses digits that end early", () => {
    assert.ok(!readDigits(digits.subarray(0, 40), 1, new Uint8Array(20), 0));
  });
});

describe("isRefname", () => {
  for (const name of ["main", "refs/heads/main", "refs/heads/ümlaut", "a/b/c", "refs/heads/a@b", "-x"]) {
    it(`takes "${name}"`, () => assert.ok(isRefname(name)));
  }
  for (
    const name of [
      "",
      "@",
      "a..b",
      "a//b",
      "/a",
      "a/",
      ".a",
      "a/.b",
      "a.",
      "a.lock",
      "a/b.lock/c",
      "a b",
      "a~1",
      "a^",
      "a:b",
      "a?",
      "a*",
      "a[b",
      "a\\b",
      "a@{b",
      "a\x00b",
      "a\x7f",
      "../a",
      "a/../b",
    ]
  ) {
    it(`refuses ${JSON.stringify(name)}`, () => assert.ok(!isRefname(name)));
  }
});
