/** Parses and compares tree objects. */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../ids/oid.ts";
import type { Steps, Task } from "../scheduling/task.ts";

export const MODE = {
  tree: 0o040000,
  blob: 0o100644,
  blobExecutable: 0o100755,
  link: 0o120000,
  commit: 0o160000,
} as const;

export interface TreeEntry {
  /**
   * File mode. Old programs wrote modes that are not in {@link MODE}, so callers must compare the result of
   * {@link entryKind} instead.
   */
  readonly mode: number;
  /** The bytes of the name, which need not be UTF-8. A view into the bytes of the tree. */
  readonly name: Uint8Array;
  readonly oid: Oid;
}

/** Kind of an entry. A `commit` is a submodule. */
export type EntryKind = keyof typeof MODE;

const TYPE_MASK = 0o170000;
const SLASH = 0x2f;

/**
 * Returns the kind of an entry with this mode. As in git, a regular file with an unknown mode is executable
 * if its owner may execute the file.
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

/**
 * Moves through the entries of a tree in stored order, which is the order of names. A folder sorts as if its
 * name ended in `/`.
 */
export class TreeCursor {
  readonly bytes: Uint8Array;
  isDone = false;
  mode = 0;
  /** Offset of the start of the entry. */
  start = 0;
  nameStart = 0;
  /** Offset of the end of the name. The object id starts one byte later. */
  nameEnd = 0;
  /** Offset of the end of the entry. */
  end = 0;

  /** @throws {DamagedError} when the first entry is malformed. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.moveTo(0);
  }

  get kind(): EntryKind {
    return entryKind(this.mode);
  }

  get oid(): Oid {
    return oidFromBytes(this.bytes, this.nameEnd + 1);
  }

  hasIdOf({ bytes, nameEnd }: TreeCursor): boolean {
    for (let i = 1; i <= OID_BYTES; i++) {
      if (this.bytes[this.nameEnd + i] !== bytes[nameEnd + i]) return false;
    }
    return true;
  }

  isNamed(name: Uint8Array): boolean {
    const { bytes, nameStart, nameEnd } = this;
    if (nameEnd - nameStart !== name.length) return false;
    for (let i = 0; i < name.length; i++) if (bytes[nameStart + i] !== name[i]) return false;
    return true;
  }

  /**
   * Advances to the next entry.
   *
   * @throws {DamagedError} when the entry is malformed.
   */
  next(): void {
    this.moveTo(this.end);
  }

  /**
   * Moves to the entry that starts at an offset.
   *
   * @throws {DamagedError} when the entry is malformed.
   */
  moveTo(start: number): void {
    const { bytes } = this;
    this.start = start;
    this.isDone = start === bytes.length;
    if (this.isDone) return;
    let at = start;
    let mode = 0;
    for (; bytes[at] !== 0x20; at++) {
      const digit = bytes[at]! - 0x30;
      if (!(digit >= 0 && digit < 8) || mode > 0o777777) throw new DamagedError("A tree entry has no mode");
      mode = mode * 8 + digit;
    }
    this.mode = mode;
    this.nameStart = at + 1;
    this.nameEnd = bytes.indexOf(0, this.nameStart);
    this.end = this.nameEnd + 1 + OID_BYTES;
    if (this.nameEnd <= this.nameStart || this.end > bytes.length) {
      throw new DamagedError("A tree entry ends early");
    }
  }
}

/** Two entries of the same name that differ, or a single entry that is only in one tree. */
export interface EntryPair {
  readonly old?: TreeCursor;
  readonly new?: TreeCursor;
}

/**
 * Compares two trees entry by entry, and yields the pairs that differ. A pair is valid only until the next
 * pair. If an entry is a folder in one tree and a file in the other, two pairs are yielded. If a tree is not
 * sorted, pairs of equal entries may be yielded. Also yields `undefined` after each
 * {@link TREE_BYTES_AT_ONCE}, so that the caller can pause.
 *
 * @throws {DamagedError} when the bytes are not a tree.
 */
export function* differingEntries(
  old: Uint8Array,
  now: Uint8Array,
): Generator<EntryPair | undefined, void> {
  const a = new TreeCursor(old);
  const b = new TreeCursor(now);
  let pauseAt = TREE_BYTES_AT_ONCE;
  for (let start = 0;;) {
    // Most entries are equal. Equal entries are parsed in the old tree only.
    while (!a.isDone && isRepeated(a, now, start)) {
      start += a.end - a.start;
      a.next();
      if (a.start + start < pauseAt) continue;
      pauseAt = a.start + start + TREE_BYTES_AT_ONCE;
      yield undefined;
    }
    b.moveTo(start);
    if (a.isDone && b.isDone) return;
    const order = a.isDone ? 1 : b.isDone ? -1 : compareEntries(a, b);
    yield order === 0 ? { old: a, new: b } : order < 0 ? { old: a } : { new: b };
    pauseAt -= PAIR_COST;
    if (order >= 0) start = b.end;
    if (order <= 0) a.next();
    if (a.start + start < pauseAt) continue;
    pauseAt = a.start + start + TREE_BYTES_AT_ONCE;
    yield undefined;
  }
}

/** Checks whether the bytes of an entry are in another tree at `otherStart`. */
function isRepeated({ bytes, start, end }: TreeCursor, other: Uint8Array, otherStart: number): boolean {
  const shift = otherStart - start;
  if (end + shift > other.length) return false;
  // The comparison begins at the end, because most differing entries differ only in their ids.
  for (let i = end - 1; i >= start; i--) if (bytes[i] !== other[i + shift]) return false;
  return true;
}

/** Compares two entries in the order of a tree: by name, where names of folders end in a slash. */
function compareEntries(a: TreeCursor, b: TreeCursor): number {
  const length = Math.min(a.nameEnd - a.nameStart, b.nameEnd - b.nameStart);
  for (let i = 0; i <= length; i++) {
    const difference = byteOfName(a, i) - byteOfName(b, i);
    if (difference !== 0) return difference;
  }
  return a.nameEnd - a.nameStart - (b.nameEnd - b.nameStart);
}

/**
 * Returns a byte of the name of an entry. After the end of the name: a slash for folders, 0 for other
 * entries.
 */
function byteOfName(entry: TreeCursor, i: number): number {
  if (entry.nameStart + i < entry.nameEnd) return entry.bytes[entry.nameStart + i]!;
  return entry.kind === "tree" ? SLASH : 0;
}

/**
 * Parses the entries of a tree, in stored order.
 *
 * @throws {DamagedError} when the bytes are not a tree.
 */
export function parseTree(bytes: Uint8Array): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const cursor = new TreeCursor(bytes); !cursor.isDone; cursor.next()) {
    entries.push(entryOf(cursor));
  }
  return entries;
}

/** Compares the names of the entries at two offsets by their bytes. */
export function compareNames(bytes: Uint8Array, a: number, b: number): number {
  let i = bytes.indexOf(0x20, a) + 1;
  let j = bytes.indexOf(0x20, b) + 1;
  for (; bytes[i] === bytes[j] && bytes[i] !== 0; i++) j++;
  return bytes[i]! - bytes[j]!;
}

/**
 * Number of bytes of trees that are processed in one step: some 4,000 entries, in less than a millisecond.
 */
const TREE_BYTES_AT_ONCE = 2 ** 17;
/**
 * Work that a pair of different entries causes, in bytes of trees that could be compared in the same time.
 */
const PAIR_COST = 2 ** 8;

/**
 * Returns the given names that exist in a tree, in the given order. Needs one pass through the tree, and
 * yields in between.
 *
 * @throws {DamagedError} when the bytes are not a tree.
 */
export async function namesAmong(
  bytes: Uint8Array,
  names: readonly string[],
  task: Task,
): Promise<readonly string[]> {
  const wanted = names.map((name) => new TextEncoder().encode(name));
  const longest = Math.max(...wanted.map((name) => name.length));
  const found = new Set<string>();
  let pauseAt = TREE_BYTES_AT_ONCE;
  for (const cursor = new TreeCursor(bytes); !cursor.isDone; cursor.next()) {
    if (cursor.start >= pauseAt) {
      pauseAt = cursor.start + TREE_BYTES_AT_ONCE;
      await task.yield();
    }
    const length = cursor.nameEnd - cursor.nameStart;
    if (length > longest) continue;
    for (let i = 0; i < wanted.length; i++) {
      if (cursor.isNamed(wanted[i]!)) found.add(names[i]!);
    }
  }
  return names.filter((name) => found.has(name));
}

/**
 * Finds the entry with a name; `undefined` if the tree has no such entry. Returns a promise for a large tree,
 * and yields in between.
 *
 * @throws {DamagedError} when the bytes are not a tree.
 */
export function findEntry(
  bytes: Uint8Array,
  name: Uint8Array,
  task: Task,
): TreeEntry | undefined | Promise<TreeEntry | undefined> {
  return task.run(findEntryInSteps(bytes, name));
}

function* findEntryInSteps(bytes: Uint8Array, name: Uint8Array): Steps<TreeEntry | undefined> {
  let pauseAt = TREE_BYTES_AT_ONCE;
  for (const cursor = new TreeCursor(bytes); !cursor.isDone; cursor.next()) {
    if (cursor.isNamed(name)) return entryOf(cursor);
    if (cursor.end < pauseAt) continue;
    pauseAt = cursor.end + TREE_BYTES_AT_ONCE;
    yield;
  }
  return undefined;
}

function entryOf({ bytes, mode, nameStart, nameEnd, oid }: TreeCursor): TreeEntry {
  return { mode, name: bytes.subarray(nameStart, nameEnd), oid };
}
