/** Tree objects. */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../ids/oid.ts";
import { inTurns, type Steps, Turns } from "../time/turns.ts";

/** File modes that git writes. */
export const MODE = {
  tree: 0o040000,
  blob: 0o100644,
  blobExecutable: 0o100755,
  link: 0o120000,
  commit: 0o160000,
} as const;

/** One entry of a tree. */
export interface TreeEntry {
  /**
   * File mode. Use {@link entryKind} before comparing with {@link MODE}: old programs wrote further modes.
   */
  readonly mode: number;
  /** The name's bytes, which need not be UTF-8; a view into the tree's bytes. */
  readonly name: Uint8Array;
  readonly oid: Oid;
}

/** Kind of an entry; `commit` is a submodule. */
export type EntryKind = keyof typeof MODE;

const TYPE_MASK = 0o170000;

/**
 * The kind of a mode. As in git, an unknown mode of a regular file counts by its executable bit for the
 * owner.
 */
export function entryKind(mode: number): EntryKind {
  switch (mode & TYPE_MASK) {
    case MODE.tree:
      return "tree";
    case MODE.link:
      return "link";
    case MODE.commit:
      return "commit";
    default:
      return mode & 0o100 ? "blobExecutable" : "blob";
  }
}

/** Walks the entries of a tree in stored order: by name, folders as if their names ended in `/`. */
export class TreeCursor {
  readonly #bytes: Uint8Array;
  isDone = false;
  /** Position of the entry. */
  start = 0;
  mode = 0;
  nameStart = 0;
  /** Position of the end of the name; the id starts one byte later. */
  nameEnd = 0;
  #end = 0;

  /** @throws {DamagedError} when the first entry is malformed. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.next();
  }

  /**
   * Advances to the next entry.
   *
   * @throws {DamagedError} when it is malformed.
   */
  next(): void {
    const bytes = this.#bytes;
    let at = this.start = this.#end;
    this.isDone = at === bytes.length;
    if (this.isDone) return;
    let mode = 0;
    for (; bytes[at] !== 0x20; at++) {
      const digit = bytes[at]! - 0x30;
      if (!(digit >= 0 && digit < 8) || mode > 0o777777) throw new DamagedError("A tree entry has no mode");
      mode = mode * 8 + digit;
    }
    this.mode = mode;
    this.nameStart = at + 1;
    this.nameEnd = bytes.indexOf(0, this.nameStart);
    this.#end = this.nameEnd + 1 + OID_BYTES;
    if (this.nameEnd <= this.nameStart || this.#end > bytes.length) {
      throw new DamagedError("A tree entry ends early");
    }
  }
}

/**
 * Parses the entries of a tree, in stored order.
 *
 * @throws {DamagedError} when the bytes are not a tree.
 */
export function parseTree(bytes: Uint8Array): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const cursor = new TreeCursor(bytes); !cursor.isDone; cursor.next()) {
    const { mode, nameStart, nameEnd } = cursor;
    entries.push({ mode, name: bytes.subarray(nameStart, nameEnd), oid: oidFromBytes(bytes, nameEnd + 1) });
  }
  return entries;
}

/** Mode and name of the entry at a position found by {@link TreeCursor}. */
export function nameAt(bytes: Uint8Array, start: number): Omit<TreeEntry, "oid"> {
  let mode = 0;
  let at = start;
  for (; bytes[at] !== 0x20; at++) mode = mode * 8 + (bytes[at]! - 0x30);
  return { mode, name: bytes.subarray(at + 1, bytes.indexOf(0, at + 1)) };
}

/** Bytewise order of the names of the entries at two positions. */
export function compareNames(bytes: Uint8Array, a: number, b: number): number {
  let i = bytes.indexOf(0x20, a) + 1;
  let j = bytes.indexOf(0x20, b) + 1;
  for (; bytes[i] === bytes[j] && bytes[i] !== 0; i++) j++;
  return bytes[i]! - bytes[j]!;
}

/** Entries processed in one step: below a millisecond. */
export const ENTRIES_AT_ONCE = 4096;

/**
 * Selects the names that exist in a tree, in the given order, in one pass through the tree. Yields in
 * between.
 *
 * @throws {DamagedError} when the bytes are not a tree.
 */
export async function namesAmong(bytes: Uint8Array, names: readonly string[]): Promise<readonly string[]> {
  const turns = new Turns();
  const wanted = names.map((name) => new TextEncoder().encode(name));
  const longest = Math.max(...wanted.map((name) => name.length));
  const found = new Set<string>();
  for (let at = 0, count = 0; at < bytes.length;) {
    if (++count % ENTRIES_AT_ONCE === 0) await turns.next();
    const space = bytes.indexOf(0x20, at);
    const end = space < 0 ? -1 : bytes.indexOf(0, space + 1);
    if (end < 0 || end + 1 + OID_BYTES > bytes.length) throw new DamagedError("A tree entry ends early");
    const length = end - space - 1;
    if (length <= longest) {
      for (let i = 0; i < wanted.length; i++) {
        if (wanted[i]!.length === length && equalAt(bytes, space + 1, wanted[i]!)) found.add(names[i]!);
      }
    }
    at = end + 1 + OID_BYTES;
  }
  return names.filter((name) => found.has(name));
}

/**
 * Finds the entry with a name, without decoding the ids of other entries. Returns a promise for a large tree,
 * and yields in between.
 *
 * @throws {DamagedError} when the bytes are not a tree.
 */
export function findEntry(
  bytes: Uint8Array,
  name: Uint8Array,
): TreeEntry | undefined | Promise<TreeEntry | undefined> {
  const found = scanEntries(bytes, name, 0);
  return typeof found === "number" ? inTurns(goOnScanning(bytes, name, found)) : found;
}

function* goOnScanning(bytes: Uint8Array, name: Uint8Array, start: number): Steps<TreeEntry | undefined> {
  for (let at = start;;) {
    yield;
    const found = scanEntries(bytes, name, at);
    if (typeof found !== "number") return found;
    at = found;
  }
}

/**
 * Searches the next {@link ENTRIES_AT_ONCE} entries for a name. Returns the position after them if there are
 * more.
 */
function scanEntries(bytes: Uint8Array, name: Uint8Array, start: number): TreeEntry | number | undefined {
  for (let at = start, count = 0; at < bytes.length; count++) {
    if (count === ENTRIES_AT_ONCE) return at;
    const space = bytes.indexOf(0x20, at);
    const end = space < 0 ? -1 : bytes.indexOf(0, space + 1);
    if (end < 0 || end + 1 + OID_BYTES > bytes.length) throw new DamagedError("A tree entry ends early");
    if (end - space - 1 === name.length && equalAt(bytes, space + 1, name)) {
      let mode = 0;
      for (let i = at; i < space; i++) mode = mode * 8 + (bytes[i]! - 0x30);
      return { mode, name, oid: oidFromBytes(bytes, end + 1) };
    }
    at = end + 1 + OID_BYTES;
  }
  return undefined;
}

function equalAt(bytes: Uint8Array, offset: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[offset + i] !== wanted[i]) return false;
  return true;
}
