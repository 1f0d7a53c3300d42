/**
 * Reads the file `keys/radicle`, which contains an Ed25519 secret key in OpenSSH's format, either plain or
 * encrypted with a passphrase (PROTOCOL.key in the sources of OpenSSH). Only the default cipher of OpenSSH is
 * supported, because Radicle uses it.
 */
import { isSameBytes } from "../bytes/bytes.ts";
import { base64 } from "@scure/base";
import { type Ed25519Key, importEd25519, SECRET_KEY_BYTES } from "./ed25519.ts";
import { sshBytes } from "../bytes/ssh_bytes.ts";
import { KeyError } from "./key_error.ts";
import { decodePublicBlob, KEY_TYPE, SshReader } from "./ssh_wire.ts";
import { sha512 } from "@noble/hashes/sha2.js";
import { Task } from "../scheduling/task.ts";

/** Maximum size of a key file, in bytes. Key files that Radicle writes have about 500 bytes. */
export const MAX_KEY_FILE_BYTES = 16 * 1024;
/**
 * Maximum number of rounds of the key derivation. Usual files have 16 rounds. 1024 rounds take about 15
 * seconds.
 */
const MAX_KDF_ROUNDS = 1024;

const PEM =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END OPENSSH PRIVATE KEY-----\s*$/;
const MAGIC = "openssh-key-v1\0";
const WHAT = "The secret key file";

const CIPHER_KEY_BYTES = 32;
const CIPHER_IV_BYTES = 16;
/** Block size of the private section, in bytes. The length of the section is a multiple of the block size. */
const BLOCK_BYTES = { plain: 8, encrypted: 16 } as const;

interface Encryption {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly rounds: number;
}

/** A secret key file, parsed as far as possible without the passphrase. */
export interface SecretKeyFile {
  /** Public key of 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Parameters of the encryption; `undefined` when the key is not encrypted. */
  readonly encryption: Encryption | undefined;
  readonly privateSection: Uint8Array<ArrayBuffer>;
}

/**
 * Parses a secret key file.
 *
 * @throws {KeyError} when the file is malformed, contains several keys or a key that is not Ed25519, uses
 *   another cipher, or exceeds {@link MAX_KEY_FILE_BYTES} or {@link MAX_KDF_ROUNDS}.
 */
export function parseSecretKeyFile(bytes: Uint8Array<ArrayBuffer>): SecretKeyFile {
  const reader = new SshReader(decodePem(bytes), WHAT);
  for (const character of MAGIC) {
    if (reader.bytes(1)[0] !== character.charCodeAt(0)) {
      throw new KeyError(`${WHAT} is not in the format of OpenSSH`);
    }
  }
  const encryption = parseEncryption(reader.text(), reader.text(), reader.string());
  if (reader.uint32() !== 1) throw new KeyError(`${WHAT} holds more than one key`);
  const publicKey = decodePublicBlob(reader.string());
  if (publicKey === undefined) throw new KeyError(`${WHAT} holds no Ed25519 key`);
  const privateSection = reader.string();
  const blockBytes = BLOCK_BYTES[encryption ? "encrypted" : "plain"];
  if (privateSection.length % blockBytes !== 0 || reader.rest().length > 0) {
    throw new KeyError(`${WHAT} has the wrong length`);
  }
  return { publicKey, encryption, privateSection };
}

/**
 * Decrypts the key in a file. An encrypted key takes a quarter of a second of computing, in small steps.
 *
 * @throws {KeyError} when the passphrase is wrong, or the secret key does not belong to the public key.
 */
export async function unlockSecretKey(file: SecretKeyFile, passphrase: string): Promise<Ed25519Key> {
  const { encryption, privateSection } = file;
  const section = encryption ? await decrypt(privateSection, encryption, passphrase) : privateSection;
  const reader = new SshReader(section, WHAT);
  // The private section starts with two copies of a random number. In an encrypted file, the decrypted copies
  // are equal only if the passphrase was right.
  if (reader.uint32() !== reader.uint32()) {
    throw new KeyError(encryption ? "The passphrase of the secret key is wrong" : `${WHAT} is damaged`);
  }
  const type = reader.text();
  const publicKey = reader.string();
  const secretAndPublic = reader.string();
  reader.string(); // Skips the comment of the key.
  const isPadded = reader.rest().every((byte, i) => byte === i + 1);
  if (type !== KEY_TYPE || secretAndPublic.length !== 2 * SECRET_KEY_BYTES || !isPadded) {
    throw new KeyError(`${WHAT} is damaged`);
  }
  const key = await importEd25519(secretAndPublic.slice(0, SECRET_KEY_BYTES));
  const claims = [publicKey, secretAndPublic.subarray(SECRET_KEY_BYTES), file.publicKey];
  if (!claims.every((claim) => isSameBytes(claim, key.publicKey))) {
    throw new KeyError(`${WHAT} holds a secret key that does not belong to its public key`);
  }
  return key;
}

function decodePem(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length > MAX_KEY_FILE_BYTES) {
    throw new KeyError(`${WHAT} is larger than ${MAX_KEY_FILE_BYTES} bytes`);
  }
  const encoded = PEM.exec(new TextDecoder().decode(bytes))?.[1]?.replace(/[\r\n]/g, "");
  try {
    return Uint8Array.from(base64.decode(encoded ?? "?"));
  } catch {
    throw new KeyError(`${WHAT} is not in the format of OpenSSH`);
  }
}

function parseEncryption(
  cipher: string,
  kdf: string,
  options: Uint8Array<ArrayBuffer>,
): Encryption | undefined {
  if (cipher === "none" && kdf === "none" && options.length === 0) return undefined;
  if (cipher !== "aes256-ctr" || kdf !== "bcrypt") {
    throw new KeyError(`${WHAT} is encrypted in a way that is not supported: expected aes256-ctr and bcrypt`);
  }
  const reader = new SshReader(options, WHAT);
  const encryption = { salt: reader.string(), rounds: reader.uint32() };
  if (encryption.salt.length === 0 || encryption.rounds === 0 || reader.rest().length > 0) {
    throw new KeyError(`${WHAT} is damaged`);
  }
  if (encryption.rounds > MAX_KDF_ROUNDS) {
    throw new KeyError(`${WHAT} asks for more than ${MAX_KDF_ROUNDS} rounds of key derivation`);
  }
  return encryption;
}

async function decrypt(
  section: Uint8Array<ArrayBuffer>,
  { salt, rounds }: Encryption,
  passphrase: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const derived = await deriveKey(
    new TextEncoder().encode(passphrase),
    salt,
    rounds,
    CIPHER_KEY_BYTES + CIPHER_IV_BYTES,
  );
  const key = await crypto.subtle.importKey("raw", derived.subarray(0, CIPHER_KEY_BYTES), "AES-CTR", false, [
    "decrypt",
  ]);
  const counter = derived.subarray(CIPHER_KEY_BYTES);
  return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CTR", counter, length: 128 }, key, section));
}

/**
 * Computes one round: bcrypt with two SHA-512 hashes of 64 bytes, one as passphrase and one as salt. Writes
 * 32 bytes to `output`.
 */
type Hash = (hashedPassphrase: Uint8Array, hashedSalt: Uint8Array, output: Uint8Array) => void;

/** Length of one derived block, in bytes. */
const DERIVED_BYTES = 32;

/**
 * Derives `length` bytes, at most 1024, from a passphrase with the function bcrypt_pbkdf of OpenBSD. Yields
 * after every round, because each round takes several milliseconds. The result contains the first byte of
 * each block, then the second byte of each block, and so on.
 */
export async function deriveKey(
  passphrase: Uint8Array,
  salt: Uint8Array,
  rounds: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const hashedPassphrase = sha512(passphrase);
  const blockCount = Math.ceil(length / DERIVED_BYTES);
  const derived = new Uint8Array(length);
  const task = new Task();
  for (let block = 0; block < blockCount; block++) {
    const bytes = await deriveBlock(hashedPassphrase, salt, rounds, block + 1, task);
    for (let i = 0; i * blockCount + block < length; i++) derived[i * blockCount + block] = bytes[i]!;
  }
  return derived;
}

/**
 * Derives one block, which is the exclusive or of the results of all rounds. Each round hashes the result of
 * the previous round.
 */
async function deriveBlock(
  hashedPassphrase: Uint8Array,
  salt: Uint8Array,
  rounds: number,
  number: number,
  task: Task,
): Promise<Uint8Array> {
  const hash = await loadHash();
  const block = new Uint8Array(DERIVED_BYTES);
  const output = new Uint8Array(DERIVED_BYTES);
  let input = Uint8Array.of(...salt, ...sshBytes(number));
  for (let round = 0; round < rounds; round++) {
    hash(hashedPassphrase, sha512(input), output);
    for (let i = 0; i < DERIVED_BYTES; i++) block[i]! ^= output[i]!;
    input = output;
    await task.yield();
  }
  return block;
}

/** Loads bcrypt on first use, because few keys have a passphrase. */
async function loadHash(): Promise<Hash> {
  // @ts-ignore: the package brings no types
  const { default: bcrypt } = await import("bcrypt-pbkdf");
  return bcrypt.hash;
}
