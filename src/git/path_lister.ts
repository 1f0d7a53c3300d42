/** Lists the changes of a commit: the hashes of all paths, files and folders, at which two trees differ. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { hashName, MAX_LISTED_PATHS, ROOT_HASH } from "./changed_paths.ts";
import { differingEntries, type TreeCursor } from "./tree.ts";

/** Maximum depth of compared trees; deeper ones are considered an attack and have no list. */
export const MAX_LISTED_DEPTH = 100;

/** Maximum size of a tree compared in the background, in bytes; paths below a larger one have no list. */
export const MAX_LISTED_TREE_BYTES = 2 ** 19;

const EMPTY = new Uint8Array(0);

/** Reads trees and compares them. */
export class PathLister {
  readonly #repository: Repository;
  /** Trees are cached: the trees of a commit are needed again as the trees of its child's parent. */
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
    for (const pair of differingEntries(await this.#read(before), await this.#read(after))) {
      if (pair === undefined) continue;
      const { bytes, nameStart, nameEnd } = (pair.new ?? pair.old)!;
      const hash = this.#add(hashName(folder, bytes, nameStart, nameEnd));
      const [old, now] = [folderOf(pair.old), folderOf(pair.new)];
      if (old !== now) await this.#compare(old, now, hash, depth + 1);
    }
  }

  #add(hash: number): number {
    if (this.#found.push(hash) > MAX_LISTED_PATHS) throw new DamagedError("A commit changes too many paths");
    return hash;
  }

  async #read(oid: Oid | undefined): Promise<Uint8Array> {
    if (oid === undefined) return EMPTY;
    const cached = this.#trees.get(oid);
    if (cached !== undefined) return cached;
    const answer = this.#repository.object(oid, { limitBytes: MAX_LISTED_TREE_BYTES });
    const object = answer instanceof Promise ? await answer : answer;
    if (object?.kind !== "tree") throw new DamagedError(`There is no tree ${oid}`);
    // A host's storage may not support limits.
    if (object.bytes.length > MAX_LISTED_TREE_BYTES) throw new DamagedError("A tree is too large");
    this.#trees.set(oid, object.bytes);
    return object.bytes;
  }
}

function folderOf(entry: TreeCursor | undefined): Oid | undefined {
  return entry?.kind === "tree" ? entry.oid : undefined;
}
