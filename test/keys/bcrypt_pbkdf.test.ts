/** The key derivation, against the one-piece function of the package that lends the rounds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
// @ts-ignore: the package brings no types
import bcrypt from "bcrypt-pbkdf";
import { deriveKey } from "../../src/keys/secret_key_file.ts";

const PASSPHRASE = new TextEncoder().encode("correct horse");
const SALT = Uint8Array.from({ length: 16 }, (_, i) => i);

describe("deriveKey", () => {
  for (const [rounds, length] of [[1, 32], [2, 48], [3, 33], [1, 100]] as const) {
    it(`gives ${length} bytes after ${rounds} rounds`, async () => {
      const whole = new Uint8Array(length);
      bcrypt.pbkdf(PASSPHRASE, PASSPHRASE.length, SALT, SALT.length, whole, length, rounds);
      assert.deepEqual(await deriveKey(PASSPHRASE, SALT, rounds, length), whole);
    });
  }

  it("lets other work run between the rounds", async () => {
    let turns = 0;
    let isOver = false;
    // Its timer is always set before that of the next round, so that it has its turn before.
    const count = () => {
      turns++;
      if (!isOver) setTimeout(count);
    };
    setTimeout(count);
    await deriveKey(PASSPHRASE, SALT, 32, 32);
    isOver = true;
    assert.ok(turns >= 4, `${turns} turns`);
  });
});
