/** Numbers of the authors of commits. Authors with the same displayed name and address are equal (2.5). */
import { sha1 } from "@noble/hashes/legacy.js";
import { SMALL_TABLES } from "../cache/caches.ts";
import { readPerson } from "./commit.ts";
import { OidTable } from "./oid_table.ts";

/** Maximum length of an author line that is cached. */
const SHORT_LINE = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Numbers authors in the order of their first commits. */
export class AuthorTable {
  /** Hashes of names and addresses, by author number. */
  readonly hashes: OidTable;
  readonly #byLine = new Map<string, number>();

  /** @param hashes Those of a saved table; none by default. */
  constructor(hashes: OidTable = new OidTable()) {
    this.hashes = hashes;
  }

  /** Approximate memory of the table, in bytes. */
  get memoryBytes(): number {
    return this.hashes.memoryBytes + SMALL_TABLES.authorLines.entryBytes * this.#byLine.size;
  }

  /** The number of the author that a line of a commit names. */
  numberOf(line: string): number {
    const cached = line.length <= SHORT_LINE ? this.#byLine.get(line) : undefined;
    if (cached !== undefined) return cached;
    const { name, email } = readPerson(line);
    const number = this.hashes.addBytes(sha1(encoder.encode(`${name} <${email}>`)));
    if (line.length <= SHORT_LINE) {
      if (this.#byLine.size >= SMALL_TABLES.authorLines.entries) this.#byLine.clear();
      this.#byLine.set(ownText(line), number);
    }
    return number;
  }
}

/** Copies a text, so that it does not retain a longer text of which it is a part. */
function ownText(text: string): string {
  return decoder.decode(encoder.encode(text));
}
