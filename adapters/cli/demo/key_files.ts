/** Formats the key files of a new home in the format of OpenSSH (PROTOCOL.key), as `rad auth` does. */
import { base64 } from "@scure/base";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { sshBytes } from "../../../src/bytes/ssh_bytes.ts";
import { SECRET_KEY_BYTES } from "../../../src/keys/ed25519.ts";
import { encodePublicBlob, KEY_TYPE } from "../../../src/keys/ssh_wire.ts";

const MAGIC = "openssh-key-v1\0";
/** Comment that Radicle writes into key files. */
const COMMENT = "radicle";
/** The length of the private section of a key file is a multiple of this number of bytes. */
const BLOCK_BYTES = 8;
const LINE_LENGTH = 70;

/** Creates a secret key of 32 random bytes for `importEd25519`. */
export function createSecretKey(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(SECRET_KEY_BYTES));
}

/**
 * Formats the file `keys/radicle`. The key is not encrypted, so create the file with mode 0600.
 *
 * @param secret Secret key, 32 bytes.
 * @param publicKey The matching public key, 32 bytes. The function does not check that the keys match.
 */
export function formatSecretKeyFile(secret: Uint8Array, publicKey: Uint8Array): string {
  const check = checkWord(secret);
  const section = sshBytes(check, check, KEY_TYPE, publicKey, joinBytes([secret, publicKey]), COMMENT);
  const paddingBytes = (BLOCK_BYTES - section.length % BLOCK_BYTES) % BLOCK_BYTES;
  const padding = Uint8Array.from({ length: paddingBytes }, (_, i) => i + 1);
  const file = joinBytes([
    new TextEncoder().encode(MAGIC),
    // No cipher, no key derivation, and one key.
    sshBytes("none", "none", "", 1, encodePublicBlob(publicKey), joinBytes([section, padding])),
  ]);
  const lines = base64.encode(file).match(new RegExp(`.{1,${LINE_LENGTH}}`, "g")) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""]
    .join("\n");
}

/** Formats `keys/radicle.pub` for a 32-byte public key. */
export function formatPublicKeyFile(publicKey: Uint8Array): string {
  return `${KEY_TYPE} ${base64.encode(encodePublicBlob(publicKey))} ${COMMENT}\n`;
}

/**
 * Returns the check number of a key file: the exclusive or of the eight 32-bit words of the secret key.
 * OpenSSH uses a random number, but equal keys should give equal files.
 */
function checkWord(secret: Uint8Array): number {
  const view = new DataView(secret.buffer, secret.byteOffset, secret.byteLength);
  let word = 0;
  for (let at = 0; at < secret.length; at += 4) word ^= view.getUint32(at);
  return word >>> 0;
}
