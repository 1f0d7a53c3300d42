/**
 * Parses and writes the SSH signature of an entry: a plain Ed25519 signature in OpenSSH's armored container
 * (PROTOCOL.sshsig).
 */
import { base64 } from "@scure/base";
import { joinBytes } from "../../bytes/bytes.ts";
import { sshBytes } from "../../bytes/ssh_bytes.ts";
import { SIGNATURE_BYTES } from "../../keys/ed25519.ts";
import { PUBLIC_KEY_BYTES } from "../../ids/nid.ts";

/** First line of the armor. The armor of other kinds of signatures begins with another line. */
export const SSH_SIGNATURE_BEGIN = "-----BEGIN SSH SIGNATURE-----";
export const SSH_SIGNATURE_END = "-----END SSH SIGNATURE-----";

/** A signature and the key with which it was allegedly made. Parsing does not verify the signature. */
export interface SshSignature {
  /** Ed25519 public key of 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Ed25519 signature of 64 bytes. */
  readonly signature: Uint8Array<ArrayBuffer>;
}

const MAGIC = "SSHSIG";
/** Highest version of the container that is accepted. Containers are written with this version. */
const VERSION = 1;
const ALGORITHM = "ssh-ed25519";
const MAX_NAME_BYTES = 48;
const MAX_FIELD_BYTES = 0xfffff;

const NAMESPACE = "radicle";
/** Content of the field that PROTOCOL.sshsig reserves for later use. */
const NO_TEXT = "";
const HASH = "sha256";
/** Accepted names of hashes. The hash itself is never computed. */
const HASHES = [HASH, "sha512"];
/**
 * Other accepted names of signature algorithms. The Radicle programs do not check whether the signature fits
 * these names.
 */
const OTHER_SIGNATURE = /^(?:rsa-sha2-(?:256|512)|[^@]+@[^@]+)$/;
/**
 * Algorithms that match {@link OTHER_SIGNATURE}, but whose signatures have another length or format than
 * Ed25519.
 */
const KNOWN_OTHERS = ["sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"];
/** Number of characters in every line of the armor except the last line. */
const LINE_LENGTH = 70;
const LINE_END = /\r\n?|\n/y;
const TRAILING_LINE_END = /(?:\r\n|\r|\n)$/;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Parses an armored signature in the same way as the Radicle programs (with the Rust crates ssh-key and
 * pem-rfc7468). Returns `undefined` if the text is not a signature made with an Ed25519 key.
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
 * Returns the armor around a signature, with the same bytes as the Radicle programs write. The text does not
 * end with a line feed.
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

/**
 * Returns the base64 text between the first and the last line of an armor, or `undefined` if the armor is
 * invalid.
 */
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
  // As in pem-rfc7468, padding is accepted only at the end of the last line.
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

/** Checks whether the Radicle programs accept an Ed25519 signature under the name of this algorithm. */
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
   * Number of bytes left to read. As in the Rust crate ssh-key, a nested field may have more or fewer bytes
   * than its contents. The next field begins where reading stopped.
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

  nested(): Fields {
    return new Fields(this.#bytes, this, this.#length());
  }

  #length(): number {
    const length = this.number();
    if (length > MAX_FIELD_BYTES) throw new RangeError("The field is too long");
    return length;
  }
}
