/**
 * Reads commits from the storage into the tables of a commit graph: the requested commits, and all their
 * ancestors that are not in the tables. A commit may be missing or damaged. Missing parents are looked up
 * again when the storage has changed.
 */
import type { Oid } from "../ids/oid.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import type { Steps, Task } from "../scheduling/task.ts";
import { type CommitHeader, parseCommitHeaderInSteps } from "./commit.ts";
import { ABSENT } from "./commit_columns.ts";
import {
  type CommitTables,
  MAX_MISSING_PARENTS,
  MISSING_PARENT_BYTES,
  type ParentPlaces,
} from "./commit_tables.ts";
import { OidTable } from "./oid_table.ts";
import { NONE_SHALLOW } from "./shallow.ts";
import { ifReadable, isUnreadable } from "../errors.ts";
import { readSome } from "./objects.ts";

/** Maximum number of commits that are read from the storage in one batch. */
const BATCH = 256;
/** Number of parents that are processed in one step, which takes less than a millisecond. */
const PARENTS_AT_ONCE = 2048;

/**
 * Maximum number of missing parents that are looked up again when the objects of the storage have changed.
 */
const MISSING_ASKED_AGAIN = 4096;
/**
 * Maximum number of missing parents that are looked up again at each load, if the storage has no
 * `objectsVersion`.
 */
export const MISSING_ASKED_EACH_TIME = 16;
/**
 * When the missing parents that were found have this total size, in bytes, no more missing parents are looked
 * up until the next change of the storage.
 */
const BYTES_ASKED_AGAIN = 16 * 2 ** 20;

/** Maximum number of unreadable objects that a graph caches, of 40 bytes each. */
const MAX_UNREADABLE = 4096;

/** Reads commits into tables. Calls must not overlap. */
export class CommitReader {
  readonly tables: CommitTables;
  #unread: Oid[] = [];
  /** For each requested commit, the indexes in the column of parents that refer to it. */
  readonly #waiting = new Map<Oid, ParentPlaces>();
  #unreadable = new OidTable();
  /** The `objectsVersion` of the storage at the last lookup of missing parents. */
  #objectsVersion: number | undefined;

  /** Shallow commits of the storage, which are read without their parents. */
  #shallow: ReadonlySet<Oid> = NONE_SHALLOW;
  /** Number of indexes in the column of parents that refer to missing parents. */
  #missingPlaces = 0;
  /**
   * Whether a missing parent was not stored, because {@link MAX_MISSING_PARENTS} was reached. Such a parent
   * is not looked up again.
   */
  #hasForgotten = false;

  /** @param tables Tables to which commits are added. The missing parents of these tables are requested. */
  constructor(tables: CommitTables) {
    this.tables = tables;
    for (const [oid, places] of [...tables.missing]) {
      this.#missingPlaces += places.length;
      this.#request(oid);
    }
  }

  /** Whether all parents of the commits read so far have rows, and no commit is shallow. */
  get hasAllParents(): boolean {
    return this.tables.missing.size === 0 && !this.#hasForgotten && this.#shallow.size === 0;
  }

  /** Whether all requested commits have been read. If not, a load is running or has failed. */
  get isIdle(): boolean {
    return this.#unread.length === 0;
  }

  /** Approximate memory of the tables, in bytes. */
  get memoryBytes(): number {
    const { commits, authors, paths } = this.tables;
    return commits.memoryBytes + authors.memoryBytes + paths.memoryBytes +
      MISSING_PARENT_BYTES * this.#missingPlaces + this.#unreadable.memoryBytes;
  }

  /** Requests a commit without a row, unless it is known to be unreadable. */
  request(oid: Oid): void {
    const { commits } = this.tables;
    if (commits.rowOf(oid) === undefined && this.#unreadable.rowOf(oid) === undefined) this.#request(oid);
  }

  /** Reads a batch of the requested commits, starting with the latest request, and requests their parents. */
  async readSome(repository: Repository, task: Task): Promise<void> {
    const oids = this.#unread.slice(-BATCH);
    const objects = await readSome(repository, oids);
    this.#unread.splice(-oids.length, objects.length);
    for (const [i, object] of objects.entries()) {
      const placed = task.run(this.#place(repository, oids[i]!, object));
      if (placed !== undefined) await placed;
    }
  }

  dropRequests(): void {
    this.#unread = [];
    this.#waiting.clear();
  }

  /** Requests missing parents that the storage may have received since the last call. */
  async requestMissing(repository: Repository, task: Task): Promise<void> {
    this.#shallow = await repository.shallowCommits?.() ?? NONE_SHALLOW;
    const version = await repository.objectsVersion?.();
    const isSame = version !== undefined && version === this.#objectsVersion;
    this.#objectsVersion = version;
    if (isSame) return;
    if (this.#unreadable.size > 0) this.#unreadable = new OidTable();
    const { missing } = this.tables;
    const limit = version === undefined ? MISSING_ASKED_EACH_TIME : MISSING_ASKED_AGAIN;
    let bytes = 0;
    let left = Math.min(limit, missing.size);
    for (const [oid, places] of missing) {
      if (left-- === 0 || bytes >= BYTES_ASKED_AGAIN) break;
      const header = await ifReadable(() => repository.header(oid));
      if (header?.kind === "commit") {
        this.#request(oid);
        bytes += header.size;
      } else {
        // The parent is moved to the end, so that the next call looks up other missing parents first.
        missing.delete(oid);
        missing.set(oid, places);
      }
      await task.yield();
    }
  }

  /** Adds a requested commit to the tables, or stores that the commit is missing. */
  *#place(repository: Repository, oid: Oid, object: GitObject | undefined): Steps<void> {
    let header: CommitHeader | undefined;
    try {
      if (object?.kind === "commit") header = yield* parseCommitHeaderInSteps(object.bytes);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    } finally {
      object?.release?.();
    }
    const places = this.#waiting.get(oid) ?? [];
    this.#waiting.delete(oid);
    const { commits, authors } = this.tables;
    if (header === undefined) {
      if (places.length === 0) yield this.#markUnreadable(repository, oid);
      else this.#noteMissing(oid, places);
      return;
    }
    const { tree, timeSeconds, authorLine } = header;
    const oids = this.#shallow.has(oid) ? [] : header.parents;
    const parents = new Uint32Array(oids.length);
    for (let i = 0; i < parents.length; i++) {
      parents[i] = this.#rowOrRequest(oids[i]!, i);
      if (i % PARENTS_AT_ONCE === PARENTS_AT_ONCE - 1) yield;
    }
    const row = commits.add(oid, { tree, timeSeconds, author: authors.numberOf(authorLine), parents });
    for (const place of places) commits.setParent(place, row);
  }

  /**
   * Requests a commit. Returns the indexes in the column of parents that refer to the commit. The caller may
   * add an index.
   */
  #request(oid: Oid): ParentPlaces {
    let places = this.#waiting.get(oid);
    if (places === undefined) {
      const { missing } = this.tables;
      this.#waiting.set(oid, places = missing.get(oid) ?? []);
      this.#missingPlaces -= places.length;
      missing.delete(oid);
      this.#unread.push(oid);
    }
    return places;
  }

  #noteMissing(oid: Oid, places: ParentPlaces): void {
    if (this.#missingPlaces + places.length > MAX_MISSING_PARENTS) {
      this.#hasForgotten = true;
      return;
    }
    this.tables.missing.set(oid, places);
    this.#missingPlaces += places.length;
  }

  /**
   * Marks an existing object as unreadable until the objects of the storage change, because it is damaged,
   * too large, or not a commit. A missing object is not marked, so it is looked up each time.
   */
  async #markUnreadable(repository: Repository, oid: Oid): Promise<void> {
    if (this.#objectsVersion === undefined) return;
    if (await ifReadable(async () => await repository.header(oid) === undefined)) return;
    if (this.#unreadable.size >= MAX_UNREADABLE) this.#unreadable = new OidTable();
    this.#unreadable.add(oid);
  }

  /** Returns the row of a parent of the next commit. Requests a parent without a row. */
  #rowOrRequest(parent: Oid, number: number): number {
    const { commits } = this.tables;
    const row = commits.rowOf(parent);
    if (row === undefined) this.#request(parent).push(commits.parentsBefore(commits.size) + number);
    return row ?? ABSENT;
  }
}
