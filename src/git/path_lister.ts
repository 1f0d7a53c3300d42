/** Lists the changes of a commit: the hashes of all paths, files and folders, at which two trees differ. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { hashName, MAX_LISTED_PATHS, ROOT_HASH } from "./changed_paths.ts";
import { entryKind } from "./tree.ts";

/** Maximum depth of compared trees; deeper ones are considered an attack and have no list. */
export const MAX_LISTED_DEPTH = 100;

/** Maximum size of a tree compared in the background, in bytes; paths below a larger one have no list. */
export const MAX_LISTED_TREE_BYTES = 2 ** 19;

const EMPTY = new Uint8Array(0);

/** One entry of a tree's bytes. */
interface Entry {
  readonly mode: number;
  readonly oid: Oid;
}

/** Reads trees and compares them. */
export class PathLister {
  readonly #repository: Repository;
  /** Trees are cached: the trees of a commit are those of its child's parent. */
  readonly #trees: LruMap<Oid, Uint8Array>;
  #found: number[] = [];

  constructor(repository: Repository, memory: Memory = new Memory()) {
    this.#repository = repository;
    this.#trees = memory.map("comparedTrees", (bytes) => bytes.length + 100);
  }

  /**
   * Hashes of all paths at which the trees differ, possibly a few more. `undefined` when there are more than
   * {@link MAX_LISTED_PATHS}, or a tree cannot be read.
   *
   * @param before `undefined` for an empty tree.
   */
  async list(before: Oid | undefined, after: Oid): Promise<readonly number[] | undefined> {
    this.#found = [];
    try {
      await this.#compare(before, after, ROOT_HASH, 0);
    } catch (error) {
      if (error instanceof DamagedError) return undefined;
      throw error;
    }
    return this.#found;
  }

  async #compare(
    before: Oid | undefined,
    after: Oid | undefined,
    folder: number,
    depth: number,
  ): Promise<void> {
    if (depth > MAX_LISTED_DEPTH) throw new DamagedError("A tree is too deep");
    const a = await this.#read(before);
    const b = await this.#read(after);
    let [i, j] = [0, 0];
    // While the names are equal, entry by entry.
    while (i < a.length && j < b.length) {
      const [nameEndA, nameEndB] = [endOfName(a, i), endOfName(b, j)];
      const [endA, endB] = [nameEndA + 1 + OID_BYTES, nameEndB + 1 + OID_BYTES];
      if (!areEqual(a, i, endA, b, j, endB)) {
        const [nameA, nameB] = [startOfName(a, i), startOfName(b, j)];
        if (!areEqual(a, nameA, nameEndA, b, nameB, nameEndB)) break;
        const hash = this.#add(hashName(folder, b, nameB, nameEndB));
        await this.#descend(entryAt(a, i, nameEndA), entryAt(b, j, nameEndB), hash, depth);
      }
      [i, j] = [endA, endB];
    }
    const left = rest(a, i);
    for (const [name, entry] of rest(b, j)) {
      const old = left.get(name);
      left.delete(name);
      if (old?.oid !== entry.oid || old.mode !== entry.mode) {
        const hash = this.#add(hashText(folder, name));
        await this.#descend(old, entry, hash, depth);
      }
    }
    for (const [name, old] of left) {
      await this.#descend(old, undefined, this.#add(hashText(folder, name)), depth);
    }
  }

  /** Lists the paths below a changed entry, if it is or was a folder. */
  async #descend(
    before: Entry | undefined,
    after: Entry | undefined,
    hash: number,
    depth: number,
  ): Promise<void> {
    const [old, now] = [folderOf(before), folderOf(after)];
    if (old !== now) await this.#compare(old, now, hash, depth + 1);
  }

  #add(hash: number): number {
    if (this.#found.push(hash) > MAX_LISTED_PATHS) throw new DamagedError("A commit changes too many paths");
    return hash;
  }

  async #read(oid: Oid | undefined): Promise<Uint8Array> {
    if (oid === undefined) return EMPTY;
    const cached = this.#trees.get(oid);
    if (cached !== undefined) return cached;
    const answer = this.#repository.object(oid);
    const object = answer instanceof Promise ? await answer : answer;
    if (object?.kind !== "tree") throw new DamagedError(`There is no tree ${oid}`);
    if (object.bytes.length > MAX_LISTED_TREE_BYTES) throw new DamagedError("A tree is too large");
    this.#trees.set(oid, object.bytes);
    return object.bytes;
  }
}

function folderOf(entry: Entry | undefined): Oid | undefined {
  return entry !== undefined && entryKind(entry.mode) === "tree" ? entry.oid : undefined;
}

/** The entries from a position on, by name as Latin-1 text; of equal names the first counts. */
function rest(bytes: Uint8Array, from: number): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = from; at < bytes.length;) {
    const nameEnd = endOfName(bytes, at);
    let name = "";
    for (let i = startOfName(bytes, at); i < nameEnd; i++) name += String.fromCharCode(bytes[i]!);
    if (!entries.has(name)) entries.set(name, entryAt(bytes, at, nameEnd));
    at = nameEnd + 1 + OID_BYTES;
  }
  return entries;
}

function hashText(folder: number, name: string): number {
  const bytes = Uint8Array.from(name, (character) => character.charCodeAt(0));
  return hashName(folder, bytes, 0, bytes.length);
}

function startOfName(bytes: Uint8Array, at: number): number {
  const space = bytes.indexOf(0x20, at);
  if (space < 0) throw new DamagedError("A tree entry has no mode");
  return space + 1;
}

function endOfName(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(0, at);
  if (end < 0 || end + 1 + OID_BYTES > bytes.length) throw new DamagedError("A tree entry ends early");
  return end;
}

function entryAt(bytes: Uint8Array, at: number, nameEnd: number): Entry {
  let mode = 0;
  for (let i = at; bytes[i] !== 0x20 && i < nameEnd; i++) mode = mode * 8 + (bytes[i]! - 0x30);
  return { mode, oid: oidFromBytes(bytes, nameEnd + 1) };
}

function areEqual(
  a: Uint8Array,
  startA: number,
  endA: number,
  b: Uint8Array,
  startB: number,
  endB: number,
): boolean {
  if (endA - startA !== endB - startB) return false;
  // From the end: entries differ in their ids more often than in their names.
  for (let i = endA - 1, j = endB - 1; i >= startA; i--, j--) if (a[i] !== b[j]) return false;
  return true;
}
