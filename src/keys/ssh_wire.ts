/**
 * Reads and writes the data types of SSH (RFC 4251, 5) in keys and in messages of agents: unsigned numbers of
 * 32 bits, most significant byte first, and byte strings that start with their length.
 */
import { sshBytes } from "../bytes/ssh_bytes.ts";
import { KeyError } from "./key_error.ts";
import { PUBLIC_KEY_BYTES } from "../ids/nid.ts";

const decoder = new TextDecoder();

/** Reads values one after the other. The byte strings that it returns are views of the input. */
export class SshReader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #what: string;
  #at = 0;

  /** @param what Name of the input, for error messages. */
  constructor(bytes: Uint8Array<ArrayBuffer>, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  /** Reads the next `length` bytes. @throws {KeyError} when fewer bytes are left. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#bytes.length - this.#at) throw new KeyError(`${this.#what} ends early`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** @throws {KeyError} when fewer than four bytes are left. */
  uint32(): number {
    const [a, b, c, d] = this.bytes(4);
    return (a! << 24 | b! << 16 | c! << 8 | d!) >>> 0;
  }

  /**
   * Reads the length of a byte string, and then the byte string.
   *
   * @throws {KeyError} when the length is greater than the number of remaining bytes.
   */
  string(): Uint8Array<ArrayBuffer> {
    return this.bytes(this.uint32());
  }

  /**
   * Reads a byte string as text. Invalid UTF-8 does not cause an error here, because it cannot match any
   * known name.
   */
  text(): string {
    return decoder.decode(this.string());
  }

  /** Returns the bytes that have not been read. */
  rest(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.#at);
  }
}

/** The only type of key that Radicle uses. */
export const KEY_TYPE = "ssh-ed25519";

/** Encodes a public key of 32 bytes (RFC 8709, 4): the type, then the key, each preceded by its length. */
export function encodePublicBlob(publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  return sshBytes(KEY_TYPE, publicKey);
}

/**
 * Decodes a public key. Returns `undefined` for keys of other types.
 *
 * @throws {KeyError} when the bytes are malformed.
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
