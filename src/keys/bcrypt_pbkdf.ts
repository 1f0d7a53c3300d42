/**
 * Key derivation of OpenSSH's secret key files: bcrypt_pbkdf of OpenBSD. It is slow on purpose, some
 * milliseconds a round. It yields after every round, so that the service can answer other requests meanwhile.
 */
import { sha512 } from "@noble/hashes/sha2.js";
import { Task } from "../scheduling/task.ts";
import { sshBytes } from "./ssh_wire.ts";

/**
 * One round: bcrypt with two SHA-512 hashes of 64 bytes each, as passphrase and salt. Writes 32 bytes to
 * `output`.
 */
type Hash = (hashedPassphrase: Uint8Array, hashedSalt: Uint8Array, output: Uint8Array) => void;

/** Bytes of one derived block. */
const BLOCK_BYTES = 32;

/**
 * Derives `length` bytes, at most 1024, from a passphrase. The blocks are interleaved: the first byte of each
 * block, then the second byte of each, and so on.
 */
export async function deriveKey(
  passphrase: Uint8Array,
  salt: Uint8Array,
  rounds: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const hashedPassphrase = sha512(passphrase);
  const blockCount = Math.ceil(length / BLOCK_BYTES);
  const derived = new Uint8Array(length);
  const task = new Task();
  for (let block = 0; block < blockCount; block++) {
    const bytes = await deriveBlock(hashedPassphrase, salt, rounds, block + 1, task);
    for (let i = 0; i * blockCount + block < length; i++) derived[i * blockCount + block] = bytes[i]!;
  }
  return derived;
}

/**
 * Derives one block. Each round hashes the result of the round before; the block is the exclusive or of all
 * results.
 */
async function deriveBlock(
  hashedPassphrase: Uint8Array,
  salt: Uint8Array,
  rounds: number,
  number: number,
  task: Task,
): Promise<Uint8Array> {
  const hash = await loadHash();
  const block = new Uint8Array(BLOCK_BYTES);
  const output = new Uint8Array(BLOCK_BYTES);
  let input = Uint8Array.of(...salt, ...sshBytes(number));
  for (let round = 0; round < rounds; round++) {
    hash(hashedPassphrase, sha512(input), output);
    for (let i = 0; i < BLOCK_BYTES; i++) block[i]! ^= output[i]!;
    input = output;
    await task.yield();
  }
  return block;
}

/** Loads bcrypt on first use: few keys have a passphrase. */
async function loadHash(): Promise<Hash> {
  // @ts-ignore: the package brings no types
  const { default: bcrypt } = await import("bcrypt-pbkdf");
  return bcrypt.hash;
}
