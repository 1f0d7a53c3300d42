/** The SSH signature of an entry: OpenSSH's armor (PROTOCOL.sshsig) around a plain Ed25519 signature. */
import { base64 } from "@scure/base";
import { joinBytes } from "../../bytes/bytes.ts";
import { sshBytes } from "../../bytes/ssh_bytes.ts";
import { SIGNATURE_BYTES } from "../../keys/ed25519.ts";
import { PUBLIC_KEY_BYTES } from "../../ids/nid.ts";

/** First line of the armor. Other kinds of signatures begin with another line. */
export const SSH_SIGNATURE_BEGIN = "-----BEGIN SSH SIGNATURE-----";
export const SSH_SIGNATURE_END = "-----END SSH SIGNATURE-----";

/** A signature and the key with which it was allegedly made. Neither has been verified. */
export interface SshSignature {
  /** The key, 32 bytes long. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** The signature, 64 bytes long. */
  readonly signature: Uint8Array<ArrayBuffer>;
}

const MAGIC = "SSHSIG";
/** Highest version that is accepted. This version is also written. */
const VERSION = 1;
const ALGORITHM = "ssh-ed25519";
/** Maximum length of the name of an algorithm, in bytes. */
const MAX_NAME_BYTES = 48;
/** Maximum length of a field, in bytes. */
const MAX_FIELD_BYTES = 0xfffff;

const NAMESPACE = "radicle";
/** Content of the reserved field, which has no use yet. */
const NO_TEXT = "";
const HASH = "sha256";
/** Accepted names of hashes. The hash itself is never computed. */
const HASHES = [HASH, "sha512"];
/**
 * Names of known signature algorithms except Ed25519 whose bytes the Radicle programs do not check, and names
 * of unknown algorithms.
 */
const OTHER_SIGNATURE = /^(?:rsa-sha2-(?:256|512)|[^@]+@[^@]+)$/;
/** Known algorithms whose signatures have another length or format. */
const KNOWN_OTHERS = ["sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"];
/** Number of characters in every line of the armor except the last line. */
const LINE_LENGTH = 70;
const LINE_END = /\r\n?|\n/y;
const TRAILING_LINE_END = /(?:\r\n|\r|\n)$/;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Reads an armored signature in the same way as the Radicle programs (with the Rust crates ssh-key and
 * pem-rfc7468). Returns `undefined` if the text is not a signature made with an Ed25519 key. Lines have
 * {@link LINE_LENGTH} characters, and end in CR, LF or both. The namespace in the container must not be
 * empty, and the hash must be known.
 */
export function parseSshSignature(armor: string): SshSignature | undefined {
  try {
    const text = readArmor(armor);
    return text === undefined ? undefined : readContainer(new Fields(base64.decode(text)));
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/**
 * Returns the armor around a signature, with the same bytes as the Radicle programs write. It does not end
 * with a line feed.
 */
export function formatSshSignature({ publicKey, signature }: SshSignature): string {
  const fields = sshBytes(
    ...[VERSION, sshBytes(ALGORITHM, publicKey), NAMESPACE, NO_TEXT, HASH, sshBytes(ALGORITHM, signature)],
  );
  const text = base64.encode(joinBytes([encoder.encode(MAGIC), fields]));
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += LINE_LENGTH) lines.push(text.slice(at, at + LINE_LENGTH));
  return [SSH_SIGNATURE_BEGIN, ...lines, SSH_SIGNATURE_END].join("\n");
}

/** Returns the base64 text between the first and the last line of an armor. */
function readArmor(armor: string): string | undefined {
  if (!armor.startsWith(`${SSH_SIGNATURE_BEGIN}\n`)) return undefined;
  const end = armor.replace(TRAILING_LINE_END, "");
  if (!end.endsWith(SSH_SIGNATURE_END)) return undefined;
  const body = end.slice(SSH_SIGNATURE_BEGIN.length + 1, -SSH_SIGNATURE_END.length);
  const text = body.replace(TRAILING_LINE_END, "");
  return text === body || text === "" ? undefined : joinLines(text);
}

function joinLines(text: string): string | undefined {
  const lines: string[] = [];
  let at = 0;
  while (at + LINE_LENGTH < text.length) {
    LINE_END.lastIndex = at + LINE_LENGTH;
    const length = LINE_END.exec(text)?.[0].length;
    if (length === undefined) return undefined;
    lines.push(text.slice(at, at + LINE_LENGTH));
    at += LINE_LENGTH + length;
  }
  const last = text.slice(at).replace(TRAILING_LINE_END, "");
  const joined = lines.join("") + last;
  // Padding is recognized only if no line follows.
  return last === "" && at < text.length && joined.endsWith("=") ? undefined : joined;
}

function readContainer(fields: Fields): SshSignature | undefined {
  if (strictUtf8.decode(fields.bytes(MAGIC.length)) !== MAGIC || fields.number() > VERSION) return undefined;
  const key = fields.nested();
  const keyName = key.text();
  const publicKey = key.field();
  const namespace = fields.field();
  const _reserved = fields.field();
  const hash = fields.text();
  const container = fields.nested();
  const name = container.text();
  const signature = container.field();
  strictUtf8.decode(namespace);
  const isSound = keyName === ALGORITHM && publicKey.length === PUBLIC_KEY_BYTES && namespace.length > 0 &&
    HASHES.includes(hash) && isSignatureName(name) && signature.length === SIGNATURE_BYTES && fields.isAtEnd;
  return isSound ? { publicKey: new Uint8Array(publicKey), signature: new Uint8Array(signature) } : undefined;
}

/** Checks whether a signature of this algorithm may have the bytes of an Ed25519 signature. */
function isSignatureName(name: string): boolean {
  return name === ALGORITHM ||
    OTHER_SIGNATURE.test(name) && !KNOWN_OTHERS.includes(name) && !/[^\0-\x7f]/.test(name);
}

/** Reads fields. Each field begins with its length in four bytes, big-endian. */
class Fields {
  readonly #bytes: Uint8Array;
  readonly #outer: Fields | undefined;
  #at = 0;
  /**
   * Number of bytes left to read. As in the Rust crate ssh-key, the length of a nested field is not enforced.
   * Some bytes of a nested field may be missing or unread. The next field begins where reading stopped.
   */
  #left: number;

  constructor(bytes: Uint8Array, outer?: Fields, left: number = bytes.length) {
    this.#bytes = bytes;
    this.#outer = outer;
    this.#left = left;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(length: number): Uint8Array {
    if (length > this.#left) throw new RangeError("The container ends early");
    this.#left -= length;
    if (this.#outer !== undefined) return this.#outer.bytes(length);
    return this.#bytes.subarray(this.#at, this.#at += length);
  }

  number(): number {
    return this.bytes(4).reduce((number, byte) => number * 256 + byte, 0);
  }

  field(): Uint8Array {
    return this.bytes(this.#length());
  }

  text(): string {
    const bytes = this.field();
    if (bytes.length > MAX_NAME_BYTES) throw new RangeError("The name is too long");
    return strictUtf8.decode(bytes);
  }

  /** Returns a reader of a field that contains fields. */
  nested(): Fields {
    return new Fields(this.#bytes, this, this.#length());
  }

  #length(): number {
    const length = this.number();
    if (length > MAX_FIELD_BYTES) throw new RangeError("The field is too long");
    return length;
  }
}
