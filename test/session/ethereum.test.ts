/** Addresses and signatures of wallets, with vectors of others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base16 } from "@scure/base";
import { isChecksummedAddress, recoverSigner } from "../../src/session/ethereum.ts";

describe("isChecksummedAddress", () => {
  // Test cases of EIP-55.
  for (
    const address of [
      "0x52908400098527886E0F7030069857D2E4169EE7",
      "0xde709f2102306220921060314715629080e2fb77",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ]
  ) {
    it(`takes ${address}`, () => assert.equal(isChecksummedAddress(address), true));
  }

  it("refuses the same address in another case", () => {
    for (
      const address of [
        "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
        "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
      ]
    ) assert.equal(isChecksummedAddress(address), false);
  });
});

describe("recoverSigner", () => {
  // The example of the documentation of ethers: the key is the first 64 digits of pi.
  const signature = base16.decode(
    ("ea09d6e94e52b48489bd66754c9c02a772f029d4a2f136bba9917ab3042a0474" +
      "301198d8c2afb71351753436b7e5a420745fed77b6c3089bbcca64113575ec3c1c").toUpperCase(),
  );
  const address = "0x7357589f8e367c2c31f51242fb77b350a11830f3";
  const change = (at: number, to: number) => {
    const changed = signature.slice();
    changed[at] = to;
    return changed;
  };

  it("gives the address of the key", async () => {
    assert.equal(await recoverSigner("Hello World!", signature), address);
  });

  it("takes 0 and 1 instead of 27 and 28", async () => {
    assert.equal(await recoverSigner("Hello World!", change(64, 1)), address);
    assert.notEqual(await recoverSigner("Hello World!", change(64, 0)), address);
  });

  it("returns another address, or none, for another text or signature", async () => {
    assert.notEqual(await recoverSigner("Hello World", signature), address);
    for (let at = 0; at < 64; at += 9) {
      assert.notEqual(await recoverSigner("Hello World!", change(at, signature[at]! ^ 1)), address);
    }
  });

  it("returns no address for bytes that are no signature", async () => {
    assert.equal(await recoverSigner("", new Uint8Array(65)), undefined);
    assert.equal(await recoverSigner("", new Uint8Array(65).fill(0xff)), undefined);
    assert.equal(await recoverSigner("Hello World!", change(64, 35)), undefined);
  });
});
