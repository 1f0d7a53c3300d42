/**
 * Commits to which references lead and that are not published yet: their trees, times and parents in columns,
 * and the order of publication.
 */
import type { Task } from "../../scheduling/task.ts";
import { unlessDamaged } from "../../errors.ts";
import { parseCommitHeader } from "../../git/commit.ts";
import { OidTable, withRoom } from "../../git/oid_table.ts";
import { readBatches } from "../../git/objects.ts";
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";

/** Commits read from the storage in one batch. */
const BATCH = 256;
const FIRST_ROWS = 16;
/** Commits that are ordered between two pauses: below a millisecond. */
const ORDERED_AT_ONCE = 4096;

/** Tells whether an object is published already, with all objects to which it leads. */
export interface PublishedObjects {
  has(oid: Oid): boolean;
}

/** Selects the parents of a commit that belong to the walk. */
export type SelectParents = (bytes: Uint8Array, parents: readonly Oid[]) => readonly Oid[];

/** Commits in columns, by rows. */
export class WalkedCommits {
  readonly oids: OidTable = new OidTable();
  /** Commits that are absent, damaged or too large. */
  readonly unreadable: Set<Oid> = new Set();
  #trees = new Uint8Array(FIRST_ROWS * OID_BYTES);
  #times = new Float64Array(FIRST_ROWS);
  /** Where the parents of each row end in `#parents`. */
  #ends = new Uint32Array(FIRST_ROWS);
  #parents = new Uint32Array(FIRST_ROWS);
  /** Number of rows whose commits have been read. */
  #read = 0;

  /** The tree of a commit; `undefined` for an unreadable commit. */
  treeOf(row: number): Oid | undefined {
    return this.unreadable.has(this.oids.oidOf(row)) ? undefined : oidFromBytes(this.#trees, row * OID_BYTES);
  }

  /** Adds commits and all their ancestors, except those that are published. */
  async addAll(
    repository: Repository,
    tips: Iterable<Oid>,
    published: PublishedObjects,
    task: Task,
    select: SelectParents = (_, parents) => parents,
  ): Promise<void> {
    for (const tip of tips) if (!published.has(tip)) this.oids.add(tip);
    while (this.#read < this.oids.size) {
      const oids: Oid[] = [];
      const end = Math.min(this.oids.size, this.#read + BATCH);
      for (let row = this.#read; row < end; row++) oids.push(this.oids.oidOf(row));
      for await (const { at, objects } of readBatches(repository, oids)) {
        // An empty batch counts as one absent object.
        for (let i = 0; i < Math.max(objects.length, 1); i++) {
          const object = objects[i];
          const header = object?.kind === "commit"
            ? unlessDamaged(() => parseCommitHeader(object.bytes))
            : undefined;
          if (object === undefined || header === undefined) {
            this.unreadable.add(oids[at + i]!);
            this.#append(undefined, 0, []);
          } else {
            const parents = select(object.bytes, header.parents).filter((parent) => !published.has(parent));
            this.#append(header.tree, header.timeSeconds, parents);
          }
          await task.yield();
        }
      }
    }
  }

  #append(tree: Oid | undefined, timeSeconds: number, parents: readonly Oid[]): void {
    const row = this.#read++;
    this.#trees = withRoom(this.#trees, this.#read * OID_BYTES);
    this.#times = withRoom(this.#times, this.#read);
    this.#ends = withRoom(this.#ends, this.#read);
    if (tree !== undefined) writeOid(tree, this.#trees, row * OID_BYTES);
    this.#times[row] = timeSeconds;
    const start = row === 0 ? 0 : this.#ends[row - 1]!;
    const end = this.#ends[row] = start + parents.length;
    this.#parents = withRoom(this.#parents, end);
    for (let i = 0; i < parents.length; i++) this.#parents[start + i] = this.oids.add(parents[i]!);
  }

  /**
   * The rows, newest first: no commit comes after one of its parents, and otherwise their times count. Equal
   * commits have the same order in every process.
   */
  async newestFirst(task: Task): Promise<Uint32Array> {
    const { size } = this.oids;
    const times = await this.#timesAfterParents(task);
    const ids = this.oids.bytes;
    const order = Uint32Array.from({ length: size }, (_, row) => row);
    await task.yield();
    // Some hundred milliseconds for a million commits, once for their first publication.
    return order.sort((a, b) => times[b]! - times[a]! || compareIds(ids, a, b));
  }

  /** The times of commits, raised where a parent is not older. */
  async #timesAfterParents(task: Task): Promise<Float64Array> {
    const { size } = this.oids;
    const times = new Float64Array(size).fill(NaN);
    const stack: number[] = [];
    let count = 0;
    for (let start = 0; start < size; start++) {
      if (!Number.isNaN(times[start]!)) continue;
      stack.push(start);
      while (stack.length > 0) {
        if (++count % ORDERED_AT_ONCE === 0) await task.yield();
        const row = stack.at(-1)!;
        const length = stack.length;
        let time = this.#times[row]!;
        for (let i = row === 0 ? 0 : this.#ends[row - 1]!; i < this.#ends[row]!; i++) {
          const parent = this.#parents[i]!;
          if (Number.isNaN(times[parent]!)) stack.push(parent);
          else if (times[parent]! >= time) time = times[parent]! + 1;
        }
        if (stack.length > length) continue;
        times[row] = time;
        stack.pop();
      }
    }
    return times;
  }
}

function compareIds(ids: Uint8Array, a: number, b: number): number {
  for (let i = 0; i < OID_BYTES; i++) {
    const order = ids[a * OID_BYTES + i]! - ids[b * OID_BYTES + i]!;
    if (order !== 0) return order;
  }
  return 0;
}
