/**
 * Stores, for each commit, the paths that differ from the commit's first parent, as short hashes. A search
 * for the commits that changed a path can skip all commits whose hashes do not match. A hash collision only
 * causes an unnecessary comparison of trees, never a wrong result.
 */
import { DamagedError, ifReadable } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import type { Repository } from "../ports/storage.ts";
import { withRoom } from "./oid_table.ts";
import { differingEntries, type TreeCursor } from "./tree.ts";

/**
 * Maximum number of listed paths of a commit. If a commit changes more paths, such as a merge of a long
 * branch, its trees are compared on request.
 */
export const MAX_LISTED_PATHS = 512;

/**
 * Maximum number of cached hashes of one repository, of 4 bytes each. This suffices for some hundred thousand
 * commits. Paths of further commits are not listed.
 */
export const MAX_CACHED_HASHES = 2 ** 21;

/**
 * State of a commit's list of paths: `pending` is not listed yet, `listed` has a list, and `without` has no
 * list, because the commit changes too many paths or its trees cannot be read.
 */
export const Listing = { pending: 0, listed: 1, without: 2 } as const;
export type Listing = typeof Listing[keyof typeof Listing];

type SavedPaths = Pick<HistoryColumns, "listings" | "hashes" | "pathEnds">;

/** Hash of the root folder, from which the hashes of all paths are derived. */
export const ROOT_HASH = 0x811c9dc5;

/**
 * Returns the hash of a path: extends the hash of the parent folder by a name, which consists of the bytes
 * from `start` to `end`.
 */
export function hashName(folder: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = folder ^ 0x2f;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ hash >>> 15, 0x2c1b3c6d);
  return (hash ^ hash >>> 13) >>> 0;
}

/**
 * Returns the hash of a path. `names` are the names of the folders, from the root on, and the name of the
 * file.
 */
export function hashPath(names: readonly Uint8Array[]): number {
  return names.reduce((hash, name) => hashName(hash, name, 0, name.length), ROOT_HASH);
}

const NO_HASHES = new Uint32Array(0);
const FIRST_ROWS = 32;

/** The changed paths of the commits of a repository, by the rows of the commit graph. */
export class ChangedPaths {
  #listings = new Uint8Array(FIRST_ROWS);
  #starts = new Uint32Array(FIRST_ROWS);
  #ends = new Uint32Array(FIRST_ROWS);
  #hashes = new Uint32Array(FIRST_ROWS);
  #used = 0;
  #seen = 0;

  /** Number of commits that are no longer pending. */
  get seen(): number {
    return this.#seen;
  }

  /** Approximate memory of the lists, in bytes. */
  get memoryBytes(): number {
    return this.#listings.byteLength + this.#starts.byteLength + this.#ends.byteLength +
      this.#hashes.byteLength;
  }

  listingOf(row: number): Listing {
    return (this.#listings[row] ?? Listing.pending) as Listing;
  }

  /**
   * Returns the hashes of the paths that a commit changes; empty if they are not listed. The result becomes
   * invalid when paths are added.
   */
  hashesOf(row: number): Uint32Array {
    return this.listingOf(row) === Listing.listed
      ? this.#hashes.subarray(this.#starts[row], this.#ends[row])
      : NO_HASHES;
  }

  /** Returns `false` if a commit certainly does not change a path, otherwise `true`. */
  mayChange(row: number, hash: number): boolean {
    if (this.#listings[row] !== Listing.listed) return true;
    const hashes = this.#hashes;
    for (let at = this.#starts[row]!, end = this.#ends[row]!; at < end; at++) {
      if (hashes[at] === hash) return true;
    }
    return false;
  }

  /** Sets the paths that a commit changes; `undefined` when they are too many or cannot be listed. */
  set(row: number, hashes: readonly number[] | Uint32Array | undefined): void {
    this.#listings = withRoom(this.#listings, row + 1);
    if (this.#listings[row] === Listing.pending) this.#seen++;
    const end = this.#used + (hashes?.length ?? 0);
    if (hashes === undefined || hashes.length > MAX_LISTED_PATHS || end > MAX_CACHED_HASHES) {
      this.#listings[row] = Listing.without;
      return;
    }
    this.#starts = withRoom(this.#starts, row + 1);
    this.#ends = withRoom(this.#ends, row + 1);
    this.#hashes = withRoom(this.#hashes, end);
    this.#hashes.set(hashes, this.#used);
    this.#starts[row] = this.#used;
    this.#ends[row] = this.#used = end;
    this.#listings[row] = Listing.listed;
  }

  /** Adds saved hashes for the rows from `start` on. Hashes beyond {@link MAX_CACHED_HASHES} are left out. */
  append(start: number, { listings, hashes, pathEnds }: SavedPaths): void {
    const end = start + listings.length;
    const used = this.#used;
    this.#used = Math.min(used + hashes.length, MAX_CACHED_HASHES);
    this.#listings = withRoom(this.#listings, end);
    this.#starts = withRoom(this.#starts, end);
    this.#ends = withRoom(this.#ends, end);
    this.#hashes = withRoom(this.#hashes, this.#used);
    this.#hashes.set(hashes.subarray(0, this.#used - used), used);
    for (let i = 0; i < listings.length; i++) {
      this.#starts[start + i] = used + (i === 0 ? 0 : pathEnds[i - 1]!);
      this.#ends[start + i] = used + pathEnds[i]!;
      const isCut = this.#ends[start + i]! > this.#used;
      this.#listings[start + i] = isCut && listings[i] === Listing.listed ? Listing.without : listings[i]!;
      if (listings[i] !== Listing.pending) this.#seen++;
    }
  }

  /** Copies the hashes of the first `size` rows for saving. */
  save(size: number): SavedPaths {
    const hashes = new Uint32Array(this.#used);
    const pathEnds = new Uint32Array(size);
    let used = 0;
    for (let row = 0; row < size; row++) {
      if (this.listingOf(row) === Listing.listed) {
        const list = this.#hashes.subarray(this.#starts[row], this.#ends[row]);
        hashes.set(list, used);
        used += list.length;
      }
      pathEnds[row] = used;
    }
    const listings = new Uint8Array(size);
    listings.set(this.#listings.subarray(0, size));
    return { listings, hashes: hashes.subarray(0, used), pathEnds };
  }
}

/**
 * Maximum depth of compared trees. A commit that changes a deeper tree counts as an attack, and its paths are
 * not listed.
 */
export const MAX_LISTED_DEPTH = 100;

/** Maximum size of a compared tree, in bytes. If a commit changes a larger tree, its paths are not listed. */
export const MAX_LISTED_TREE_BYTES = 2 ** 19;

const EMPTY = new Uint8Array(0);

/** Lists the paths of files and folders at which two trees differ. */
export class PathLister {
  readonly #repository: Repository;
  #found: number[] = [];

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /**
   * Returns the hashes of all paths at which the trees differ, and possibly hashes of other paths. Returns
   * `undefined` when more than {@link MAX_LISTED_PATHS} paths differ, or a tree cannot be read.
   *
   * @param before The old tree; `undefined` for an empty tree.
   */
  async list(before: Oid | undefined, after: Oid): Promise<readonly number[] | undefined> {
    const found: number[] = this.#found = [];
    return await ifReadable(() => this.#compare(before, after, ROOT_HASH, 0).then(() => found));
  }

  async #compare(
    before: Oid | undefined,
    after: Oid | undefined,
    folder: number,
    depth: number,
  ): Promise<void> {
    if (depth > MAX_LISTED_DEPTH) throw new DamagedError("A tree is too deep");
    for (const pair of differingEntries(await this.#read(before), await this.#read(after))) {
      if (pair === undefined) continue;
      const { bytes, nameStart, nameEnd } = (pair.new ?? pair.old)!;
      const hash = this.#add(hashName(folder, bytes, nameStart, nameEnd));
      const old = folderOf(pair.old);
      const now = folderOf(pair.new);
      if (old !== now) await this.#compare(old, now, hash, depth + 1);
    }
  }

  #add(hash: number): number {
    if (this.#found.push(hash) > MAX_LISTED_PATHS) throw new DamagedError("A commit changes too many paths");
    return hash;
  }

  async #read(oid: Oid | undefined): Promise<Uint8Array> {
    if (oid === undefined) return EMPTY;
    const answer = this.#repository.object(oid, { limitBytes: MAX_LISTED_TREE_BYTES });
    const object = answer instanceof Promise ? await answer : answer;
    if (object?.kind !== "tree") throw new DamagedError(`There is no tree ${oid}`);
    // The storage of a host may ignore `limitBytes`.
    if (object.bytes.length > MAX_LISTED_TREE_BYTES) throw new DamagedError("A tree is too large");
    return object.bytes;
  }
}

function folderOf(entry: TreeCursor | undefined): Oid | undefined {
  return entry?.kind === "tree" ? entry.oid : undefined;
}
