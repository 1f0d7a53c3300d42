/**
 * Walks from references to all unpublished commits that can be reached. It collects the trees, times and
 * parents of the commits, and determines the order of publication.
 */
import {
  CommitColumns,
  CommitQueue,
  ifReadable,
  type Oid,
  OID_BYTES,
  OidTable,
  parseCommitHeader,
  readBatches,
  type Repository,
  type Task,
} from "../../../src/mod.ts";

/** Number of commits that are read from the storage in one batch. */
const BATCH = 256;
/** Number of commits that are ordered between two pauses. This takes less than a millisecond. */
const ORDERED_AT_ONCE = 512;
/** The tree id that is stored for an unreadable commit. */
const NO_TREE = new Uint8Array(OID_BYTES);

/**
 * The set of objects that are already published. If an object is in the set, every object to which it leads
 * is also published.
 */
export interface PublishedObjects {
  has(oid: Oid): boolean;
}

/** The empty set of published objects. */
export const NO_OBJECTS: PublishedObjects = { has: () => false };

/** Selects the parents of a commit that the walk follows. */
export type SelectParents = (bytes: Uint8Array, parents: readonly Oid[]) => readonly Oid[];

/** The commits of a walk as numbered rows in columns. */
export class WalkedCommits {
  /** All commits that were found, in the order in which they are read. The index of a commit is its row. */
  readonly oids: OidTable = new OidTable();
  /** Objects that should be commits, but are missing, damaged, too large or of another kind. */
  readonly unreadable: Set<Oid> = new Set();
  /** The data of the commits that have been read, by the same rows. */
  readonly #commits = new CommitColumns();
  /** Rows of the commits to which references point. */
  readonly #tips: number[] = [];

  /** Returns the tree of a commit, or `undefined` for an unreadable commit. */
  treeOf(row: number): Oid | undefined {
    return this.unreadable.has(this.oids.oidOf(row)) ? undefined : this.#commits.treeOf(row);
  }

  /** Adds commits and all their ancestors, except for published commits. */
  async addAll(
    repository: Repository,
    tips: Iterable<Oid>,
    published: PublishedObjects,
    task: Task,
    select: SelectParents = (_, parents) => parents,
  ): Promise<void> {
    for (const tip of tips) if (!published.has(tip)) this.#tips.push(this.oids.add(tip));
    while (this.#commits.size < this.oids.size) {
      const first = this.#commits.size;
      const length = Math.min(BATCH, this.oids.size - first);
      const oids = Array.from({ length }, (_, i) => this.oids.oidOf(first + i));
      for await (const { at, objects } of readBatches(repository, oids)) {
        // If a batch is empty, its first object is treated as missing.
        for (let i = 0; i < Math.max(objects.length, 1); i++) {
          const oid = oids[at + i]!;
          const object = objects[i];
          const header = object?.kind === "commit"
            ? ifReadable(() => parseCommitHeader(object.bytes))
            : undefined;
          if (header === undefined) this.unreadable.add(oid);
          const parents = header === undefined ? [] : select(object!.bytes, header.parents);
          this.#commits.add(oid, {
            tree: header?.tree ?? NO_TREE,
            timeSeconds: header?.timeSeconds ?? 0,
            author: 0,
            parents: parents.filter((parent) => !published.has(parent)).map((parent) =>
              this.oids.add(parent)
            ),
          });
          await task.yield();
        }
      }
    }
  }

  /**
   * Returns the rows in the order of publication, newest commits first. The same commits have the same order
   * in every process.
   */
  async newestFirst(task: Task): Promise<Uint32Array> {
    const queue = new CommitQueue(this.#commits);
    for (const tip of this.#tips) queue.push(tip);
    const order = new Uint32Array(this.oids.size);
    for (let count = 0; queue.length > 0; count++) {
      const row = order[count] = queue.pop();
      for (let i = 0; i < this.#commits.parentCount(row); i++) queue.push(this.#commits.parentOf(row, i));
      if (count % ORDERED_AT_ONCE === 0) await task.yield();
    }
    return order;
  }
}
