/**
 * Encodes git objects and computes their ids. An encoded commit has exactly the bytes that the Radicle
 * programs would write.
 */
import { sha1 } from "@noble/hashes/legacy.js";
import { type Oid, oidFromBytes, oidToBytes } from "../ids/oid.ts";
import type { GitObject, ObjectKind } from "../ports/storage.ts";
import { trimWhiteSpace } from "../text/white_space.ts";
import type { Person } from "./commit.ts";
import { joinBytes } from "../bytes/bytes.ts";
import { MODE, type TreeEntry } from "./tree.ts";

/**
 * Encodes the header of an object, `<kind> <size>\0`. The id of an object is the hash of the header and the
 * content. A loose object also begins with the header.
 */
export function encodeObjectHeader(kind: ObjectKind, size: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${kind} ${size}\0`);
}

export function hashObject(kind: ObjectKind, bytes: Uint8Array): Oid {
  return oidFromBytes(sha1.create().update(encodeObjectHeader(kind, bytes.length)).update(bytes).digest());
}

/**
 * Ids of the objects in batches, because hashing an object a second time would double the time of a write.
 */
const knownIds = new WeakMap<GitObject, Oid>();

/** Returns the id of an object. The id is cached if the object was added to a batch. */
export function oidOf(object: GitObject): Oid {
  return knownIds.get(object) ?? hashObject(object.kind, object.bytes);
}

/** Objects that are written together. An object can refer to earlier objects of the batch. */
export class ObjectBatch {
  readonly #objects: GitObject[] = [];

  get objects(): readonly GitObject[] {
    return this.#objects;
  }

  /** Adds an object and returns its id. The bytes must not change afterwards. */
  add(kind: ObjectKind, bytes: Uint8Array): Oid {
    const object: GitObject = { kind, bytes };
    const oid = hashObject(kind, bytes);
    this.#objects.push(object);
    knownIds.set(object, oid);
    return oid;
  }
}

/** A line `token: value` at the end of a commit message. */
export interface CommitTrailer {
  readonly token: string;
  readonly value: string;
}

/** The parts of a commit. Author and committer are the same. */
export interface CommitDraft {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Person;
  /** Time in whole seconds since the Unix epoch. */
  readonly timeSeconds: number;
  /** UTC offset in hours and minutes. By default `+0000`. */
  readonly zone?: string;
  /** An armored signature for the header line `gpgsig`. White space at its end is removed. */
  readonly signature?: string;
  /** The message, which is written trimmed and with a final line feed. */
  readonly message: string;
  /** Trailers, which are written after the message and an empty line. */
  readonly trailers?: readonly CommitTrailer[];
}

// deno-lint-ignore no-control-regex -- control characters are what the rule is about
const UNFIT_FOR_LINE = /[\x00\n]/;
const UNFIT_FOR_PERSON = /[<>]/;
const ZONE = /^[+-]\d{4}$/;

/**
 * Encodes a commit.
 *
 * @throws {TypeError} when a part could not be parsed again: a line feed or NUL in a text of a single line,
 *   `<` or `>` in a name or address, a NUL in the message, or a time that is not a whole number.
 */
export function encodeCommit(draft: CommitDraft): Uint8Array<ArrayBuffer> {
  const { tree, parents, author, timeSeconds, zone = "+0000", signature, message, trailers = [] } = draft;
  if (!Number.isSafeInteger(timeSeconds) || !ZONE.test(zone)) {
    throw new TypeError(`A commit cannot have the time "${timeSeconds} ${zone}"`);
  }
  for (const part of [author.name, author.email]) {
    if (UNFIT_FOR_PERSON.test(part)) throw new TypeError(`"${part}" cannot be a person's name or address`);
  }
  if (message.includes("\0") || signature?.includes("\0")) throw new TypeError("A commit cannot hold NUL");
  const person = `${author.name} <${author.email}> ${timeSeconds} ${zone}`;
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${person}`,
    `committer ${person}`,
    ...(signature === undefined ? [] : [`gpgsig ${signature.trimEnd().replaceAll("\n", "\n ")}`]),
    "",
    trimWhiteSpace(message),
    ...(trailers.length > 0 ? ["", ...trailers.map(({ token, value }) => `${token}: ${value}`)] : []),
    "",
  ];
  for (const part of [person, ...trailers.flatMap(({ token, value }) => [token, value])]) {
    if (UNFIT_FOR_LINE.test(part)) throw new TypeError(`"${part}" cannot be in one line of a commit`);
  }
  return new TextEncoder().encode(lines.join("\n"));
}

const MODES: ReadonlySet<number> = new Set(Object.values(MODE));
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Characters that HFS+ ignores in file names (TN1150). */
export const IGNORED_CHARACTERS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** Names that the file systems of macOS or Windows treat as `.git`. */
const DOT_GIT = /^(\.git|git~1)[ .]*(:.*)?$/is;

/**
 * Checks whether git accepts a name in a tree: it is not empty, not `.` or `..`, contains neither `/` nor
 * NUL, and no file system treats it as `.git` (the checks of `git fsck --strict`).
 */
export function isEntryName(name: Uint8Array | string): boolean {
  const text = typeof name === "string" ? name : utf8.decode(name);
  return !["", ".", ".."].includes(text) && !/[/\0]/.test(text) &&
    text.replace(IGNORED_CHARACTERS, "").split("\\").every((part) => !DOT_GIT.test(part));
}

/**
 * Encodes a tree. The entries may be in any order.
 *
 * @throws {TypeError} when a name is invalid ({@link isEntryName}) or occurs twice, or a mode is not in
 *   {@link MODE}.
 */
export function encodeTree(entries: Iterable<TreeEntry>): Uint8Array<ArrayBuffer> {
  const sorted = Array.from(entries, (entry) => ({ ...entry, key: sortKey(entry) }))
    .sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  const names = new Set<string>();
  for (const { mode, name } of sorted) {
    const key = name.join();
    if (!isEntryName(name) || names.has(key) || !MODES.has(mode)) {
      throw new TypeError(`A tree cannot have the entry ${mode.toString(8)} "${utf8.decode(name)}"`);
    }
    names.add(key);
  }
  const encoder = new TextEncoder();
  const parts = sorted.flatMap(({ mode, name, oid }) => [
    encoder.encode(`${mode.toString(8)} `),
    name,
    Uint8Array.of(0),
    oidToBytes(oid),
  ]);
  return joinBytes(parts);
}

/**
 * Returns a key by which names sort as in git. The key has one character for each byte, and ends in `/` for
 * folders.
 */
function sortKey({ mode, name }: TreeEntry): string {
  return String.fromCharCode(...name) + (mode === MODE.tree ? "/" : "");
}
