/**
 * The tables of a commit graph, and where they come from: commits, their authors, the paths that they change,
 * and parents that are missing.
 */
import type { MadeHistory } from "../ports/made_history.ts";
import { ChangedPaths } from "./changed_paths.ts";
import { CommitColumns } from "./commit_columns.ts";
import { grownLength, OidTable } from "./oid_table.ts";
import { sha1 } from "@noble/hashes/legacy.js";
import { SMALL_TABLES } from "../cache/caches.ts";
import { readPerson } from "./commit.ts";
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";

/** The tables of a commit graph that are saved. */
export interface IndexTables {
  readonly commits: CommitColumns;
  /** Hashes of the authors' names and addresses, by author number. */
  readonly authors: OidTable;
  readonly paths: ChangedPaths;
  readonly missing: MissingParents;
}

/** The tables of one repository's commits, which only grow. */
export interface CommitTables {
  readonly commits: CommitColumns;
  readonly authors: AuthorTable;
  /** The paths that commits change, as far as they are listed. */
  readonly paths: ChangedPaths;
  readonly missing: MissingParents;
}

/** Tables without commits. */
export function emptyTables(): CommitTables {
  return {
    commits: new CommitColumns(),
    authors: new AuthorTable(),
    paths: new ChangedPaths(),
    missing: new MissingParents(),
  };
}

/** Tables as they were saved. */
export function savedTables({ authors, ...tables }: IndexTables): CommitTables {
  return { ...tables, authors: new AuthorTable(authors) };
}

/** Tables that another thread has made; they are used from here on. */
export function adoptTables({ commits, authors, missing }: MadeHistory): CommitTables {
  return {
    commits: CommitColumns.adopt(commits),
    authors: new AuthorTable(OidTable.adopt(authors)),
    paths: new ChangedPaths(),
    missing: MissingParents.from(missing, missing.isCutOff),
  };
}

/** Tables as they are saved; they change with the graph. */
export function toIndexTables({ authors, ...tables }: CommitTables): IndexTables {
  return { ...tables, authors: authors.hashes };
}

/** Maximum length of an author line that is cached. */
const SHORT_LINE = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Numbers authors in the order of their first commits. Authors with the same displayed name and address are
 * equal (2.5).
 */
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

/**
 * Maximum number of cached missing parents of a repository, 24 bytes each. A sound repository has none;
 * further ones are never looked up again.
 */
export const MAX_MISSING_PARENTS = 65_536;

const FIRST_ENTRIES = 16;

/** Missing parents in their saved form. */
export interface SavedMissing {
  /** 20 bytes each. */
  readonly oids: Uint8Array;
  /** Their indexes among the parents of all commits. */
  readonly places: Uint32Array;
}

/** A bounded list of missing parents, and the places that wait for them, unordered. */
export class MissingParents {
  #oids: Uint8Array = new Uint8Array(FIRST_ENTRIES * OID_BYTES);
  #places: Uint32Array = new Uint32Array(FIRST_ENTRIES);
  #size = 0;
  #isCutOff = false;
  #next = 0;

  get size(): number {
    return this.#size;
  }

  /** Approximate memory of the list, in bytes. */
  get memoryBytes(): number {
    return this.#oids.byteLength + this.#places.byteLength;
  }

  /** Whether more than {@link MAX_MISSING_PARENTS} parents were missing. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** Adds a parent and its index among the parents of all commits. */
  add(oid: Oid, place: number): void {
    if (this.#size === MAX_MISSING_PARENTS) {
      this.#isCutOff = true;
      return;
    }
    if (this.#size === this.#places.length) {
      const length = Math.min(grownLength(this.#size, this.#size + 1), MAX_MISSING_PARENTS);
      const [oids, places] = [this.#oids, this.#places];
      this.#oids = new Uint8Array(length * OID_BYTES);
      this.#oids.set(oids);
      this.#places = new Uint32Array(length);
      this.#places.set(places);
    }
    writeOid(oid, this.#oids, this.#size * OID_BYTES);
    this.#places[this.#size++] = place;
  }

  /** The next parent in round-robin order; `undefined` when there is none. */
  look(): { readonly oid: Oid; readonly place: number } | undefined {
    if (this.#size === 0) return undefined;
    if (this.#next >= this.#size) this.#next = 0;
    const at = this.#next++;
    return { oid: oidFromBytes(this.#oids, at * OID_BYTES), place: this.#places[at]! };
  }

  /** Removes the parent that {@link look} returned last. */
  drop(): void {
    const [at, last] = [--this.#next, --this.#size];
    this.#oids.copyWithin(at * OID_BYTES, last * OID_BYTES, (last + 1) * OID_BYTES);
    this.#places[at] = this.#places[last]!;
  }

  /** Views of the whole list, to be copied at once: they change with the list. */
  save(): SavedMissing {
    return {
      oids: this.#oids.subarray(0, this.#size * OID_BYTES),
      places: this.#places.subarray(0, this.#size),
    };
  }

  /**
   * Restores a saved list.
   *
   * @param isCutOff Whether more parents were missing.
   */
  static from({ oids, places }: SavedMissing, isCutOff = false): MissingParents {
    const missing = new MissingParents();
    missing.#isCutOff = isCutOff;
    places.forEach((place, i) => missing.add(oidFromBytes(oids, i * OID_BYTES), place));
    return missing;
  }
}
