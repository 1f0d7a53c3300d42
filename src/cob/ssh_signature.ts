/** The container that carries an entry's signature: OpenSSH's armor (PROTOCOL.sshsig) around a plain Ed25519 signature. */
import { base64 } from "@scure/base";
import { SIGNATURE_BYTES } from "../identity/ed25519.ts";
import { PUBLIC_KEY_BYTES } from "../ids/nid.ts";

/** First line of the armor; signatures of other kinds begin otherwise. */
export const SSH_SIGNATURE_BEGIN = "-----BEGIN SSH SIGNATURE-----";
/** Last line of the armor. */
export const SSH_SIGNATURE_END = "-----END SSH SIGNATURE-----";

/** A signature and the key that it claims to be of. Nothing is verified yet. */
export interface SshSignature {
  /** 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** 64 bytes. */
  readonly signature: Uint8Array<ArrayBuffer>;
}

const MAGIC = "SSHSIG";
const VERSION = 1;
const ALGORITHM = "ssh-ed25519";
/** Longest armor that is looked at, in characters; real ones have about 300. */
export const MAX_ARMOR_LENGTH = 4096;

/** What written containers say besides; nobody looks at it. */
const NAMESPACE = "radicle";
const HASH = "sha256";
/** Characters in a line of written armor. */
const LINE_LENGTH = 70;

const latin1 = new TextDecoder("latin1");
const encoder = new TextEncoder();

/** Reads an armored signature; `undefined` when it is none of Ed25519. Namespace and hash name are not looked at, as in the real programs. */
export function parseSshSignature(armor: string): SshSignature | undefined {
  const lines = armor.trimEnd().split("\n");
  if (
    armor.length > MAX_ARMOR_LENGTH || lines[0] !== SSH_SIGNATURE_BEGIN || lines.at(-1) !== SSH_SIGNATURE_END
  ) {
    return undefined;
  }
  try {
    return readContainer(base64.decode(lines.slice(1, -1).join("")));
  } catch {
    return undefined;
  }
}

/** The armor around a signature, byte for byte as the real programs write it, without a line feed at the end. */
export function formatSshSignature({ publicKey, signature }: SshSignature): string {
  const tagged = (value: Uint8Array) => [...field(encoder.encode(ALGORITHM)), ...field(value)];
  const container = [
    ...encoder.encode(MAGIC),
    ...number(VERSION),
    ...field(tagged(publicKey)),
    ...field(encoder.encode(NAMESPACE)),
    ...field([]),
    ...field(encoder.encode(HASH)),
    ...field(tagged(signature)),
  ];
  const text = base64.encode(Uint8Array.from(container));
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += LINE_LENGTH) lines.push(text.slice(at, at + LINE_LENGTH));
  return [SSH_SIGNATURE_BEGIN, ...lines, SSH_SIGNATURE_END].join("\n");
}

function field(bytes: Iterable<number>): number[] {
  const content = [...bytes];
  return [...number(content.length), ...content];
}

function number(value: number): number[] {
  return [value >>> 24, value >>> 16 & 255, value >>> 8 & 255, value & 255];
}

function readContainer(bytes: Uint8Array): SshSignature | undefined {
  const reader = new Fields(bytes);
  if (latin1.decode(reader.bytes(MAGIC.length)) !== MAGIC || reader.number() !== VERSION) return undefined;
  const publicKey = readTagged(reader.field(), PUBLIC_KEY_BYTES);
  const [_namespace, _reserved, _hash] = [reader.field(), reader.field(), reader.field()];
  const signature = readTagged(reader.field(), SIGNATURE_BYTES);
  if (publicKey === undefined || signature === undefined || !reader.isAtEnd) return undefined;
  return { publicKey, signature };
}

/** A field that holds the algorithm's name and then `size` bytes. */
function readTagged(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> | undefined {
  const reader = new Fields(bytes);
  if (latin1.decode(reader.field()) !== ALGORITHM) return undefined;
  const value = reader.field();
  return value.length === size && reader.isAtEnd ? new Uint8Array(value) : undefined;
}

/** Reads fields with a length of four bytes, big-endian, before each. */
class Fields {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new RangeError("The container ends early");
    return this.#bytes.subarray(this.#at, this.#at += length);
  }

  number(): number {
    return this.bytes(4).reduce((number, byte) => number * 256 + byte, 0);
  }

  field(): Uint8Array {
    return this.bytes(this.number());
  }
}
