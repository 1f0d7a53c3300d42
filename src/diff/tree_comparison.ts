/** Which files differ between two trees: equal folders are skipped by their ids, so the cost follows the size of the change. */
import { DamagedError, TooLargeError } from "../errors.ts";
import { BATCH_BYTES } from "../git/objects.ts";
import { type EntryKind, entryKind } from "../git/tree.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../ids/oid.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import { Turns } from "../time/turns.ts";

/** A file on one side of a comparison. */
export interface FileSide {
  readonly oid: Oid;
  /** Never `tree`; `commit` is a submodule. */
  readonly mode: EntryKind;
}

/** A path whose file differs: only `new` when it was added, only `old` when it was deleted, else both. */
export interface Change {
  /** Path below the root; need not be UTF-8. */
  readonly path: Uint8Array;
  readonly old?: FileSide;
  readonly new?: FileSide;
}

/** Differing files in one comparison. More are taken for an attack: few trees that name each other can stand for billions of files. */
export const MAX_CHANGES = 200_000;
/** Bytes in a path, as Linux has it; this also limits how deep folders nest. */
export const MAX_PATH_BYTES = 4096;
/** Bytes of trees read and paths made in one comparison, {@link MIN_TREE_COST} for each tree at least. */
export const MAX_COMPARED_BYTES = 256 * 1024 * 1024;
/** What even an empty tree counts. */
export const MIN_TREE_COST = 1024;

/** Entries of a folder that are compared between two looks at the clock. */
const ENTRIES_PER_STEP = 4096;

/** Pairs of folders read at a time. */
const PAIRS_PER_READ = 16;

const NO_BYTES = new Uint8Array();
const SLASH = 0x2f;

/** A folder that differs; absent on a side where it does not exist. */
interface FolderPair {
  /** Empty, or ending in a slash. */
  readonly path: Uint8Array;
  readonly old: Oid | undefined;
  readonly new: Oid | undefined;
}

/**
 * The files that differ, in the order of the bytes of their paths. An absent tree is an empty one. A file that became a link, a submodule or a
 * folder, or the reverse, is a deletion followed by an addition, as libgit2 shows it.
 *
 * @throws {DamagedError} when a tree is missing or broken.
 * @throws {TooLargeError} when a limit is exceeded.
 */
export async function compareTrees(
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid | undefined,
): Promise<Change[]> {
  const comparison = new Comparison();
  const { folders, changes } = comparison;
  if (oldTree !== newTree) folders.push({ path: NO_BYTES, old: oldTree, new: newTree });
  while (folders.length > 0) {
    const pairs = folders.splice(-PAIRS_PER_READ);
    const oids = pairs.flatMap((pair) => [pair.old, pair.new]).filter((oid) => oid !== undefined);
    const objects = await repository.objects(oids, { batchBytes: BATCH_BYTES });
    let next = 0;
    const read = async (oid: Oid | undefined): Promise<Uint8Array> => {
      if (oid === undefined) return NO_BYTES;
      const object = objects[next++];
      return (object?.kind === "tree" ? object : await readTree(repository, oid)).bytes;
    };
    for (const [i, pair] of pairs.entries()) {
      // The batch may have been cut short.
      if (next > 0 && next >= objects.length) {
        folders.push(...pairs.slice(i));
        break;
      }
      await comparison.compareFolder(pair.path, await read(pair.old), await read(pair.new));
    }
  }
  return changes.sort((a, b) => compareBytes(a.path, b.path));
}

/** A tree that could not be read with others. */
async function readTree(repository: Repository, oid: Oid): Promise<GitObject> {
  const object = await repository.object(oid);
  if (object?.kind !== "tree") throw new DamagedError(`Tree ${oid} is missing or no tree`);
  return object;
}

/** What has been found, what is left to look at, and what it has cost. */
class Comparison {
  readonly changes: Change[] = [];
  readonly folders: FolderPair[] = [];
  readonly #turns = new Turns();
  #spentBytes = 0;

  /** Lets others through where there are very many entries. */
  async compareFolder(path: Uint8Array, oldBytes: Uint8Array, newBytes: Uint8Array): Promise<void> {
    this.#spend(Math.max(oldBytes.length + newBytes.length, MIN_TREE_COST));
    const [a, b] = [new TreeCursor(oldBytes), new TreeCursor(newBytes)];
    for (let left = ENTRIES_PER_STEP; !a.isDone || !b.isDone; left--) {
      if (left === 0) {
        left = ENTRIES_PER_STEP;
        await this.#turns.next();
      }
      const order = a.isDone ? 1 : b.isDone ? -1 : compareEntries(a, b);
      if (order !== 0) {
        const cursor = order < 0 ? a : b;
        this.#add(this.#join(path, cursor), order < 0 ? cursor : undefined, order < 0 ? undefined : cursor);
      } else if (a.kind !== b.kind || !hasSameId(a, b)) {
        this.#add(this.#join(path, a), a, b);
      }
      if (order <= 0) a.next();
      if (order >= 0) b.next();
    }
  }

  #add(path: Uint8Array, old: TreeCursor | undefined, now: TreeCursor | undefined): void {
    if (old !== undefined && now !== undefined && typeOf(old.kind) !== typeOf(now.kind)) {
      this.#add(path, old, undefined);
      this.#add(path, undefined, now);
    } else if ((old ?? now)?.kind === "tree") {
      this.folders.push({ path, old: old?.oid, new: now?.oid });
    } else {
      if (this.changes.length === MAX_CHANGES) {
        throw new TooLargeError(`Trees differ in more than ${MAX_CHANGES} files`);
      }
      this.changes.push({
        path,
        ...(old && { old: { oid: old.oid, mode: old.kind } }),
        ...(now && { new: { oid: now.oid, mode: now.kind } }),
      });
    }
  }

  /** The path of an entry; that of a folder ends in a slash. */
  #join(path: Uint8Array, { bytes, nameStart, nameEnd, kind }: TreeCursor): Uint8Array {
    const length = path.length + nameEnd - nameStart;
    if (length > MAX_PATH_BYTES) throw new TooLargeError(`A path has more than ${MAX_PATH_BYTES} bytes`);
    this.#spend(length);
    const joined = new Uint8Array(kind === "tree" ? length + 1 : length);
    joined.set(path);
    joined.set(bytes.subarray(nameStart, nameEnd), path.length);
    if (kind === "tree") joined[length] = SLASH;
    return joined;
  }

  #spend(bytes: number): void {
    this.#spentBytes += bytes;
    if (this.#spentBytes > MAX_COMPARED_BYTES) throw new TooLargeError("Trees are too large to be compared");
  }
}

/** Walks the entries of a tree in place: most are equal on both sides, and nothing is made of those. */
class TreeCursor {
  readonly bytes: Uint8Array;
  isDone = false;
  kind: EntryKind = "blob";
  nameStart = 0;
  /** Where the name ends; the id starts one byte later. */
  nameEnd = 0;
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.next();
  }

  get oid(): Oid {
    return oidFromBytes(this.bytes, this.nameEnd + 1);
  }

  next(): void {
    const { bytes } = this;
    let at = this.#end;
    this.isDone = at === bytes.length;
    if (this.isDone) return;
    let mode = 0;
    for (; bytes[at] !== 0x20; at++) {
      const digit = bytes[at]! - 0x30;
      if (!(digit >= 0 && digit < 8) || mode > 0o777777) throw new DamagedError("A tree entry has no mode");
      mode = mode * 8 + digit;
    }
    this.kind = entryKind(mode);
    this.nameStart = at + 1;
    this.nameEnd = bytes.indexOf(0, this.nameStart);
    this.#end = this.nameEnd + 1 + OID_BYTES;
    if (this.nameEnd <= this.nameStart || this.#end > bytes.length) {
      throw new DamagedError("A tree entry ends early");
    }
  }
}

/** Which kinds can take each other's place without being a deletion and an addition. */
function typeOf(kind: EntryKind): EntryKind {
  return kind === "blobExecutable" ? "blob" : kind;
}

/** Order of entries in a tree, which is the order of paths: folders sort as if their names ended in a slash. */
function compareEntries(a: TreeCursor, b: TreeCursor): number {
  const length = Math.min(a.nameEnd - a.nameStart, b.nameEnd - b.nameStart);
  for (let i = 0; i <= length; i++) {
    const difference = byteOfName(a, i) - byteOfName(b, i);
    if (difference !== 0) return difference;
  }
  return a.nameEnd - a.nameStart - (b.nameEnd - b.nameStart);
}

function byteOfName({ bytes, nameStart, nameEnd, kind }: TreeCursor, i: number): number {
  return nameStart + i < nameEnd ? bytes[nameStart + i]! : kind === "tree" ? SLASH : 0;
}

function hasSameId(a: TreeCursor, b: TreeCursor): boolean {
  for (let i = 1; i <= OID_BYTES; i++) {
    if (a.bytes[a.nameEnd + i] !== b.bytes[b.nameEnd + i]) return false;
  }
  return true;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
