/**
 * Ed25519 public keys as SSH writes them in files and messages (RFC 8709, 4): the type, then the 32 bytes,
 * each prefixed with its length.
 */
import { PUBLIC_KEY_BYTES } from "../ids/nid.ts";
import { KeyError } from "./key_error.ts";
import { sshBytes, SshReader } from "./ssh_wire.ts";

/** The only type of key that Radicle has. */
export const KEY_TYPE = "ssh-ed25519";

/** Encodes the blob of a 32-byte public key. */
export function encodePublicBlob(publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  return sshBytes(KEY_TYPE, publicKey);
}

/**
 * Decodes the public key of a blob; `undefined` for keys of other types. @throws {KeyError} when the blob is
 * malformed.
 */
export function decodePublicBlob(blob: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const reader = new SshReader(blob, "A public key");
  if (reader.text() !== KEY_TYPE) return undefined;
  const publicKey = reader.string();
  if (publicKey.length !== PUBLIC_KEY_BYTES || reader.rest().length > 0) {
    throw new KeyError("A public key has the wrong length");
  }
  return publicKey;
}
