/** The container around an entry's signature. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base64 } from "@scure/base";
import { parseSshSignature } from "../../src/cob/ssh_signature.ts";
import { formatNid } from "../../src/ids/nid.ts";
import { createWriter, signatureLines } from "./entries.ts";

const writer = createWriter(0xff);
const signature = writer.sign(new Uint8Array(20));
const armor = signatureLines(writer.publicKey, signature).slice("gpgsig ".length, -1).replaceAll("\n ", "\n");
const body = base64.decode(armor.split("\n").slice(1, -1).join(""));
const wrap = (bytes: Iterable<number>) =>
  ["-----BEGIN SSH SIGNATURE-----", base64.encode(Uint8Array.from(bytes)), "-----END SSH SIGNATURE-----"]
    .join("\n");

describe("parseSshSignature", () => {
  it("finds key and signature", () => {
    const found = parseSshSignature(armor);
    assert.equal(formatNid(found!.publicKey), "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi");
    assert.deepEqual(found!.signature, signature);
  });

  it("takes lines of any length", () => assert.ok(parseSshSignature(wrap(body))));

  it("refuses every truncation", () => {
    for (let length = 0; length < body.length; length++) {
      assert.equal(parseSshSignature(wrap(body.slice(0, length))), undefined);
    }
  });

  it("refuses bytes after the end", () => assert.equal(parseSshSignature(wrap([...body, 0])), undefined));

  for (
    const [what, at] of [["another magic", 0], ["another version", 9], ["another algorithm", 20]] as const
  ) {
    it(`refuses ${what}`, () => {
      const changed = body.slice();
      changed[at]! ^= 1;
      assert.equal(parseSshSignature(wrap(changed)), undefined);
    });
  }

  for (
    const text of [
      "",
      "-----BEGIN SSH SIGNATURE-----",
      armor.replace("END", "BEGIN"),
      armor.replace("\nU", "\n*"),
    ]
  ) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () =>
      assert.equal(parseSshSignature(text), undefined));
  }

  it("refuses what is too long to be one", () => {
    assert.equal(parseSshSignature(`${armor}${" ".repeat(MAX_ARMOR_LENGTH)}`), undefined);
  });
});
