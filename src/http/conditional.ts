/** Asking again with what is known already: entity tags and `304 Not Modified` (RFC 9110, 8.8.3, 13.1.2, 15.4.5). */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Answer } from "./answer.ts";

/** Hexadecimal digits of a digest. */
const DIGEST_DIGITS = 32;

/** What a `304` repeats of the header fields of the answer that it stands for (RFC 9110, 15.4.5). */
const REPEATED = ["cache-control", "content-location", "etag", "expires", "vary"];

const ENTITY_TAG = /^[ \t,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/;

/** A short text that stands for a long one: 128 bits of SHA-256 in hexadecimal digits. */
export function digest(text: string): string {
  return new TextDigest().add(text).end();
}

/** A {@link digest} of a text that comes in pieces. */
export class TextDigest {
  readonly #hash = sha256.create();

  add(text: string): this {
    this.#hash.update(utf8ToBytes(text));
    return this;
  }

  end(): string {
    return bytesToHex(this.#hash.digest()).slice(0, DIGEST_DIGITS);
  }
}

/** A strong entity tag of everything that an answer depends on. */
export function entityTag(text: string): string {
  return `"${digest(text)}"`;
}

/** Whether a value of `If-None-Match` holds every tag, if there is an answer at all. */
export function isAnyTag(ifNoneMatch: string): boolean {
  return ifNoneMatch.trim() === "*";
}

/** Whether the list of tags in `If-None-Match` holds this one, compared weakly; what is no list of tags holds none. */
export function holdsTag(ifNoneMatch: string, etag: string | undefined): boolean {
  for (let rest = ifNoneMatch; rest !== "";) {
    const [all, tag] = ENTITY_TAG.exec(rest) ?? [];
    if (all === undefined) return false;
    if (tag === etag) return true;
    rest = rest.slice(all.length);
  }
  return false;
}

/** `304 Not Modified` in place of an answer with these header fields. */
export function notModified(headers: Answer["headers"]): Answer {
  const repeated = Object.entries(headers).filter(([name]) => REPEATED.includes(name));
  return { status: 304, headers: Object.fromEntries(repeated), body: undefined };
}
