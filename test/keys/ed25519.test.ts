/** Signatures, with the test vectors of RFC 8032, 7.1. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base16 } from "@scure/base";
import { importEd25519, importPublicKey, verifyEd25519, verifyQuickly } from "../../src/keys/ed25519.ts";
import type { SignatureRules } from "../../src/keys/signature_rules.ts";
import { craftedSignatures, signMixed } from "../support/crafted_signatures.ts";
import { recordedVerdicts } from "../support/signature_verdicts.ts";

const bytes = (hex: string) => Uint8Array.from(base16.decode(hex.replaceAll(" ", "").toUpperCase()));
/** Whether a signature verifies by all rules, which agree about those that programs make. */
async function verifies(
  publicKey: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const signed = { publicKey, message, signature };
  const [first, ...others] = await Promise.all(RULES.map((rules) => verifyEd25519(rules, signed)));
  for (const other of others) assert.equal(other, first);
  return first!;
}

const RULES: readonly SignatureRules[] = ["ec25519", "ed25519-dalek", "both"];
const VECTORS = [
  {
    secret: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    message: "",
    signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
      "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  },
  {
    secret: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    message: "72",
    signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
];

describe("importEd25519", () => {
  for (const { secret, publicKey, message, signature } of VECTORS) {
    it(`has the key and the signature of the vector ${secret.slice(0, 8)}`, async () => {
      const secretBytes = bytes(secret);
      const key = await importEd25519(secretBytes);
      secretBytes.fill(0);
      assert.deepEqual(key.publicKey, bytes(publicKey));
      assert.deepEqual(await key.sign(bytes(message)), bytes(signature));
      assert.equal(await verifies(key.publicKey, bytes(message), bytes(signature)), true);
    });
  }

  it("refuses secrets of another length", async () => {
    for (const length of [0, 31, 33, 64]) await assert.rejects(importEd25519(new Uint8Array(length)));
  });
});

describe("verifyEd25519", () => {
  const { publicKey, message, signature } = VECTORS[1]!;

  it("refuses another message, another key and a changed signature", async () => {
    assert.equal(await verifies(bytes(publicKey), bytes("73"), bytes(signature)), false);
    assert.equal(await verifies(bytes(VECTORS[0]!.publicKey), bytes(message), bytes(signature)), false);
    for (const at of [0, 31, 32, 63]) {
      const changed = bytes(signature);
      changed[at]! ^= 1;
      assert.equal(await verifies(bytes(publicKey), bytes(message), changed), false);
    }
  });

  it("refuses what is malformed", async () => {
    assert.equal(await verifies(bytes(publicKey), bytes(message), bytes(signature).subarray(1)), false);
    assert.equal(await verifies(new Uint8Array(31), bytes(message), bytes(signature)), false);
    assert.equal(await verifies(bytes("ff".repeat(32)), bytes(message), bytes(signature)), false);
  });
});

describe("a crafted signature", () => {
  it("is judged as the Rust crates judge it, by the rules of each and of both", async () => {
    const verdicts = recordedVerdicts();
    const crafted = craftedSignatures();
    assert.deepEqual(crafted.map(({ name }) => name), [...verdicts.keys()]);
    const different: string[] = [];
    for (const { name, ...signed } of crafted) {
      const found = await Promise.all(RULES.map((rules) => verifyEd25519(rules, signed)));
      const verdict = verdicts.get(name)!;
      const wanted = `${verdict}${verdict === "11" ? "1" : "0"}`;
      const ours = found.map(Number).join("");
      if (ours !== wanted) different.push(`${name}: ${wanted}, ours ${ours}`);
    }
    assert.deepEqual(different, []);
  });

  it("costs an exact check only where WebCrypto may be wrong", async () => {
    const good = signMixed(new Uint8Array(32).fill(7), bytes("72"));
    const wrong = { ...good, message: bytes("73") };
    for (const rules of RULES) assert.equal(await verifyQuickly(rules, good), true);
    assert.equal(await verifyQuickly("ed25519-dalek", wrong), false);
    assert.equal(await verifyQuickly("ec25519", wrong), undefined);
  });
});

describe("importPublicKey", () => {
  it("waits once for each key, also for an invalid one", async () => {
    for (const key of [bytes("d75a98".padEnd(64, "01")), new Uint8Array(31)]) {
      await importPublicKey(key);
      assert.equal(importPublicKey(key), undefined);
    }
  });
});
