/** Secret key files: those that Radicle writes, and all kinds of broken ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatNid } from "../../src/ids/nid.ts";
import { parseSecretKeyFile, unlockSecretKey } from "../../src/keys/secret_key_file.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { sshBytes } from "../../src/bytes/ssh_bytes.ts";
import { verifyEd25519 } from "../../src/keys/ed25519.ts";
import { buildKeyFile, ENCRYPTED, type KeyFileParts, PLAIN, PUBLIC, SECRET, toPem } from "./key_files.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parse = (text: string) => parseSecretKeyFile(encoder.encode(text));
const isKeyError = (message: RegExp) => ({ name: "KeyError", message });

describe("a plain secret key file", () => {
  it("gives the key that signs for its node id", async () => {
    const file = parse(PLAIN.file);
    assert.equal(file.encryption, undefined);
    assert.equal(formatNid(file.publicKey), PLAIN.nodeId);
    const key = await unlockSecretKey(file, "not asked for");
    const message = encoder.encode("hello");
    const signed = { publicKey: PUBLIC, message, signature: await key.sign(message) };
    assert.equal(await verifyEd25519("both", signed), true);
  });

  it("may have other line ends and white space at its end", () => {
    assert.ok(parse(PLAIN.file.replaceAll("\n", "\r\n")));
    assert.ok(parse(PLAIN.file.trimEnd()));
    assert.ok(parse(`${PLAIN.file}\n\n`));
  });

  it("is built by the tests as Radicle writes it", () => {
    assert.equal(decoder.decode(buildKeyFile()), PLAIN.file);
  });

  it("may have any pair of equal check words and any comment", async () => {
    const file = parseSecretKeyFile(buildKeyFile({ checks: [0xdeadbeef, 0xdeadbeef] }));
    assert.equal(formatNid((await unlockSecretKey(file, "")).publicKey), PLAIN.nodeId);
  });
});

describe("an encrypted secret key file", () => {
  it("gives the key for the passphrase", async () => {
    const file = parse(ENCRYPTED.file);
    assert.equal(file.encryption?.rounds, 16);
    assert.equal(formatNid(file.publicKey), ENCRYPTED.nodeId);
    const key = await unlockSecretKey(file, "correct horse");
    assert.equal(formatNid(key.publicKey), ENCRYPTED.nodeId);
  });

  it("says so when the passphrase is wrong", async () => {
    for (const passphrase of ["", "Correct horse", "correct horse "]) {
      await assert.rejects(
        unlockSecretKey(parse(ENCRYPTED.file), passphrase),
        isKeyError(/passphrase .* is wrong/),
      );
    }
  });
});

describe("parseSecretKeyFile", () => {
  for (
    const [what, text] of [
      ["an empty file", ""],
      ["other text", "hello"],
      ["another armour", PLAIN.file.replaceAll("OPENSSH", "RSA")],
      ["a file without end", PLAIN.file.replace(/-----END.*\n/, "")],
      ["text before the key", `x\n${PLAIN.file}`],
      ["text after the key", `${PLAIN.file}x`],
      ["base64 that is none", PLAIN.file.replace("b3Bl", "b3B=")],
      ["an empty armour", "-----BEGIN OPENSSH PRIVATE KEY-----\n\n-----END OPENSSH PRIVATE KEY-----\n"],
    ] as const
  ) {
    it(`refuses ${what}`, () => assert.throws(() => parse(text), isKeyError(/format|ends early/)));
  }

  const broken: readonly (readonly [string, KeyFileParts, RegExp])[] = [
    ["another format version", { magic: "openssh-key-v2\0" }, /format/],
    ["no key", { keyCount: 0 }, /more than one/],
    ["two keys", { keyCount: 2 }, /more than one/],
    ["a key of another type", { publicBlob: sshBytes("ssh-rsa", PUBLIC) }, /no Ed25519/],
    ["a public key of 31 bytes", { publicBlob: sshBytes("ssh-ed25519", PUBLIC.subarray(1)) }, /wrong length/],
    ["a public key with more after it", { publicBlob: sshBytes("ssh-ed25519", PUBLIC, 0) }, /wrong length/],
    ["an empty public key", { publicBlob: new Uint8Array() }, /ends early/],
    ["a private section that ends in a block", { privateSection: new Uint8Array(9) }, /wrong length/],
    ["bytes after the private section", { trailer: Uint8Array.of(0) }, /wrong length/],
    ["another cipher", { cipher: "aes256-cbc", kdf: "bcrypt" }, /not supported/],
    ["another key derivation", { cipher: "aes256-ctr", kdf: "none" }, /not supported/],
    ["options without derivation", { kdfOptions: new Uint8Array(4) }, /not supported/],
    ["no salt", { cipher: "aes256-ctr", kdf: "bcrypt", kdfOptions: sshBytes("", 16) }, /damaged/],
    ["no rounds", { cipher: "aes256-ctr", kdf: "bcrypt", kdfOptions: sshBytes("salt", 0) }, /damaged/],
    [
      "options that end early",
      { cipher: "aes256-ctr", kdf: "bcrypt", kdfOptions: sshBytes("salt") },
      /ends early/,
    ],
    [
      "more than the options",
      { cipher: "aes256-ctr", kdf: "bcrypt", kdfOptions: sshBytes("salt", 16, 0) },
      /damaged/,
    ],
  ];
  for (const [what, parts, message] of broken) {
    it(`refuses a file with ${what}`, () => {
      assert.throws(() => parseSecretKeyFile(buildKeyFile(parts)), isKeyError(message));
    });
  }

  it("refuses a file that breaks off anywhere", () => {
    const whole = Uint8Array.from(atob(PLAIN.file.replace(/-----.*?-----/g, "")), (c) => c.charCodeAt(0));
    assert.ok(parseSecretKeyFile(toPem(whole)));
    for (let length = 1; length < whole.length; length++) {
      assert.throws(() => parseSecretKeyFile(toPem(whole.subarray(0, length))), { name: "KeyError" });
    }
  });

  it("refuses lengths beyond the end of the file", () => {
    const bytes = joinBytes([encoder.encode("openssh-key-v1\0"), sshBytes(0xffffffff)]);
    assert.throws(() => parseSecretKeyFile(toPem(bytes)), isKeyError(/ends early/));
  });

  it("takes 1000 rounds, and refuses numbers that would take too long", () => {
    const file = (rounds: number) =>
      buildKeyFile({
        cipher: "aes256-ctr",
        kdf: "bcrypt",
        kdfOptions: sshBytes("salt", rounds),
        privateSection: new Uint8Array(16),
      });
    assert.equal(parseSecretKeyFile(file(1000)).encryption?.rounds, 1000);
    assert.throws(() => parseSecretKeyFile(file(10_000)), isKeyError(/more than \d+ rounds/));
  });

  it("reads files that are somewhat longer than real ones, and refuses very long ones", () => {
    assert.ok(parse(PLAIN.file.padEnd(10_000)));
    assert.throws(() => parse(PLAIN.file.padEnd(2 ** 20)), isKeyError(/larger than/));
  });
});

describe("unlockSecretKey", () => {
  const other = Uint8Array.from(PUBLIC, (byte) => byte ^ 1);
  const broken: readonly (readonly [string, KeyFileParts, RegExp])[] = [
    ["check words that differ", { checks: [1, 2] }, /damaged/],
    ["a key of another type inside", { type: "ssh-ed44818" }, /damaged/],
    ["a secret of the wrong length", { secretAndPublic: SECRET, padding: new Uint8Array(6) }, /damaged/],
    ["wrong padding", { padding: Uint8Array.of(1, 2, 3, 4, 5, 7) }, /damaged/],
    ["an empty private section", { privateSection: new Uint8Array() }, /ends early/],
    ["another public key outside", { publicBlob: sshBytes("ssh-ed25519", other) }, /does not belong/],
    ["another public key inside", { innerPublicKey: other }, /does not belong/],
    [
      "another public key beside the secret",
      { secretAndPublic: joinBytes([SECRET, other]) },
      /does not belong/,
    ],
    ["another secret", { secretAndPublic: joinBytes([new Uint8Array(32), PUBLIC]) }, /does not belong/],
  ];
  for (const [what, parts, message] of broken) {
    it(`refuses a file with ${what}`, async () => {
      await assert.rejects(unlockSecretKey(parseSecretKeyFile(buildKeyFile(parts)), ""), isKeyError(message));
    });
  }
});
