/** Node ids of OpenSSH public key files. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProfileError } from "../../src/profile/config.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";

// The key of the seed 32 × ff, its node id as heartwood's `rad-inspect.md` shows it.
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHahWSBEpuT1ESZbynOmBNkLBSnR32Ar4woZqSV2YNH1";
const NID = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";

describe("nodeIdOfPublicKey", () => {
  const accepted = {
    "a comment": `${KEY} radicle\n`,
    "no comment": `${KEY}\n`,
    "a comment of several words": `${KEY} alice on her desk\n`,
    "no final line feed": KEY,
    "Windows line ends": `${KEY} radicle\r\n`,
  };
  for (const [what, text] of Object.entries(accepted)) {
    it(`reads a key with ${what}`, () => assert.equal(nodeIdOfPublicKey(text), NID));
  }

  const refused = {
    "an empty file": "",
    "text": "hello\n",
    "another type": KEY.replace("ssh-ed25519", "ssh-rsa"),
    "no key": "ssh-ed25519\n",
    "a key that is no base64": "ssh-ed25519 AAAA*\n",
    "a short key": KEY.slice(0, -4),
    "a long key": `${KEY}AAAA`,
    "another type inside": KEY.replace("AAAAC3NzaC1lZDI1NTE5", "AAAAC3NzaC1lZDI1NTE4"),
  };
  for (const [what, text] of Object.entries(refused)) {
    it(`refuses ${what}`, () => {
      assert.throws(() => nodeIdOfPublicKey(text), ProfileError);
    });
  }
});
