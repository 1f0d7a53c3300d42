/**
 * Reads the data types of SSH (RFC 4251, 5) that keys and agents use: unsigned numbers of 32 bits, most
 * significant byte first, and strings of bytes with their length.
 */
import { sshBytes } from "../bytes/ssh_bytes.ts";
import { KeyError } from "./key_error.ts";
import { PUBLIC_KEY_BYTES } from "../ids/nid.ts";

const decoder = new TextDecoder();

/** Reads values one after the other. The strings that it returns are views of the given bytes. */
export class SshReader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #what: string;
  #at = 0;

  /** @param what Name of the bytes in error messages. */
  constructor(bytes: Uint8Array<ArrayBuffer>, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  /** The next `length` bytes. @throws {KeyError} when there are fewer. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#bytes.length - this.#at) throw new KeyError(`${this.#what} ends early`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** @throws {KeyError} at the end of the bytes. */
  uint32(): number {
    const [a, b, c, d] = this.bytes(4);
    return (a! << 24 | b! << 16 | c! << 8 | d!) >>> 0;
  }

  /** A string of bytes after its length. @throws {KeyError} when it is longer than the remaining bytes. */
  string(): Uint8Array<ArrayBuffer> {
    return this.bytes(this.uint32());
  }

  /**
   * A string after its length, as text. Invalid UTF-8 needs no error of its own, because it matches no known
   * name.
   */
  text(): string {
    return decoder.decode(this.string());
  }

  /** The bytes that have not been read. */
  rest(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.#at);
  }
}

/** The only type of key that Radicle has. */
export const KEY_TYPE = "ssh-ed25519";

/** Encodes a public key of 32 bytes (RFC 8709, 4): the type, then the key, each after its length. */
export function encodePublicBlob(publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  return sshBytes(KEY_TYPE, publicKey);
}

/**
 * Decodes the public key in a blob. Returns `undefined` for other types of keys. @throws {KeyError} when the
 * blob is malformed.
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
