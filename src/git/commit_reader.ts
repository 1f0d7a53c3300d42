/**
 * Reads commits from the storage into the tables of a commit graph: requested ones, and all their ancestors
 * that the tables do not have. They may be absent, damaged, or objects of another kind. Missing parents are
 * looked up again when the storage has changed.
 */
import { SMALL_TABLES } from "../cache/caches.ts";
import type { Oid } from "../ids/oid.ts";
import type { Awaitable, GitObject, Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { type CommitHeader, parseCommitHeader, parseLargeCommitHeader, SLOW_COMMIT_BYTES } from "./commit.ts";
import { ABSENT } from "./commit_columns.ts";
import type { CommitTables } from "./commit_tables.ts";
import { OidTable } from "./oid_table.ts";
import { DamagedError } from "../errors.ts";
import { readBatches } from "./objects.ts";

/** Commits read from the storage in one batch. */
const BATCH = 256;
/** Parents looked up between checks of the time slice: below a millisecond. */
const PARENTS_AT_ONCE = 2048;

/** Most missing parents that are looked up again when the storage's objects have changed. */
export const MISSING_ASKED_AGAIN = 4096;
/** Most missing parents that are looked up again at each load, if the storage has no `objectsVersion`. */
export const MISSING_ASKED_EACH_TIME = 16;
/** Bytes of formerly missing parents after which no more are looked up, until the next change. */
const BYTES_ASKED_AGAIN = 16 * 2 ** 20;

/** Reads into the same tables at each call; not to be called concurrently. */
export class CommitReader {
  readonly tables: CommitTables;
  /** Commits to be read. */
  #unread: Oid[] = [];
  /** For each commit to be read, the places of parents that refer to it. */
  readonly #waiting = new Map<Oid, number[]>();
  /** Requested objects that are present and unreadable. */
  #unreadable = new OidTable();
  /** The storage's objects version at the last look-up of missing parents. */
  #objectsVersion: number | undefined;
  /** Whether missing parents come from elsewhere, and have not been looked up yet. */
  #isFromElsewhere: boolean;

  /** @param isFromElsewhere Whether others than this reader have filled the tables, at some time before. */
  constructor(tables: CommitTables, isFromElsewhere: boolean) {
    this.tables = tables;
    this.#isFromElsewhere = isFromElsewhere;
  }

  /** Whether all requested commits have been read. If not, a load runs, or one has failed. */
  get isIdle(): boolean {
    return this.#unread.length === 0;
  }

  /** Approximate memory of the tables, in bytes. */
  get memoryBytes(): number {
    const { commits, authors, paths, missing } = this.tables;
    return [commits, authors, paths, missing, this.#unreadable]
      .reduce((sum, table) => sum + table.memoryBytes, 0);
  }

  /** Whether the storage may have missing parents now. */
  async mayHaveMissing(repository: Repository): Promise<boolean> {
    if (this.tables.missing.size === 0) return false;
    const version = await repository.objectsVersion?.();
    return version === undefined || version !== this.#objectsVersion;
  }

  /** Requests a commit that is not known, unless it is known to be unreadable. */
  request(oid: Oid): void {
    const { commits } = this.tables;
    if (commits.rowOf(oid) === undefined && this.#unreadable.rowOf(oid) === undefined) this.#request(oid);
  }

  /** Reads some of the requested commits, and requests their parents. */
  readSome(repository: Repository, task: Task): Promise<void> | undefined {
    return this.#unread.length === 1 ? this.#readOne(repository, task) : this.#readBatch(repository, task);
  }

  /** Drops all requests. */
  dropRequests(): void {
    this.#unread = [];
    this.#waiting.clear();
  }

  /**
   * Looks up some of the missing parents again, if the storage may have them now, and requests those that it
   * has. Returns whether one was found.
   */
  async readMissing(repository: Repository, task: Task): Promise<boolean> {
    const version = await repository.objectsVersion?.();
    const isSame = version !== undefined && version === this.#objectsVersion;
    this.#objectsVersion = version;
    if (isSame) return false;
    if (this.#unreadable.size > 0) this.#unreadable = new OidTable();
    // Any number of objects may have come since the tables were saved.
    const limit = this.#isFromElsewhere
      ? Infinity
      : version === undefined
      ? MISSING_ASKED_EACH_TIME
      : MISSING_ASKED_AGAIN;
    this.#isFromElsewhere = false;
    let areFound = false;
    let bytes = 0;
    for (
      let left = Math.min(limit, this.tables.missing.size);
      left > 0 && bytes < BYTES_ASKED_AGAIN;
      left--
    ) {
      const { oid, place } = this.tables.missing.look()!;
      const row = this.tables.commits.rowOf(oid);
      const size = row === undefined ? await commitSize(repository, oid) : undefined;
      if (row !== undefined || size !== undefined) {
        this.tables.missing.drop();
        if (row !== undefined) this.tables.commits.setParent(place, row);
        else this.#request(oid).push(place);
        bytes += size ?? 0;
        areFound = true;
      }
      await task.yield();
    }
    return areFound;
  }

  /**
   * Reads the only requested commit, and requests its parents. Most commits of most histories are read here,
   * one after the other, so nothing is awaited where nothing has to be.
   */
  #readOne(repository: Repository, task: Task): Promise<void> | undefined {
    const oid = this.#unread[0]!;
    const header = readCommitHeader(repository, oid, task);
    if (header instanceof Promise) {
      return header.then((header) => {
        this.#unread.pop();
        return this.#place(repository, oid, header, task);
      });
    }
    this.#unread.pop();
    return this.#place(repository, oid, header, task);
  }

  /** Reads the last of the requested commits, and requests their parents. */
  async #readBatch(repository: Repository, task: Task): Promise<void> {
    const oids = this.#unread.slice(-BATCH);
    const headers = await readCommitHeaders(repository, oids, task);
    this.#unread.length -= oids.length;
    for (let i = 0; i < oids.length; i++) {
      const placed = this.#place(repository, oids[i]!, headers[i], task);
      if (placed !== undefined) await placed;
    }
  }

  /** Adds a commit that was requested, or notes that it is missing. */
  #place(
    repository: Repository,
    oid: Oid,
    header: CommitHeader | undefined,
    task: Task,
  ): Promise<void> | undefined {
    const places = this.#waiting.get(oid) ?? [];
    this.#waiting.delete(oid);
    if (header === undefined) {
      for (const place of places) this.tables.missing.add(oid, place);
      return places.length === 0 ? this.#markUnreadable(repository, oid) : undefined;
    }
    const setParents = (row: number) => {
      for (const place of places) this.tables.commits.setParent(place, row);
    };
    if (header.parents.length >= PARENTS_AT_ONCE) {
      return this.#addSlowly(oid, header, task).then(setParents);
    }
    const rows = new Uint32Array(header.parents.length);
    for (let i = 0; i < rows.length; i++) rows[i] = this.#rowOrRequest(header.parents[i]!, i);
    setParents(this.#addRow(oid, header, rows));
  }

  /** Requests a commit. Returns the places of parents that refer to it, for the caller to extend. */
  #request(oid: Oid): number[] {
    let places = this.#waiting.get(oid);
    if (places === undefined) {
      this.#waiting.set(oid, places = []);
      this.#unread.push(oid);
    }
    return places;
  }

  /**
   * Marks an object as unreadable until the storage's objects change, if it is present: damaged, too large,
   * or not a commit. An absent object is looked up each time. Without an objects version nothing is marked.
   */
  async #markUnreadable(repository: Repository, oid: Oid): Promise<void> {
    if (this.#objectsVersion === undefined || !await isPresent(repository, oid)) return;
    if (this.#unreadable.size >= SMALL_TABLES.unreadableCommits.entries) this.#unreadable = new OidTable();
    this.#unreadable.add(oid);
  }

  /** Adds a commit with many parents. */
  async #addSlowly(oid: Oid, header: CommitHeader, task: Task): Promise<number> {
    const { parents } = header;
    const rows = new Uint32Array(parents.length);
    for (let i = 0; i < parents.length; i++) {
      rows[i] = this.#rowOrRequest(parents[i]!, i);
      if (i % PARENTS_AT_ONCE === PARENTS_AT_ONCE - 1) await task.yield();
    }
    return this.#addRow(oid, header, rows);
  }

  /** The row of a parent of the next commit; an unknown parent is requested. */
  #rowOrRequest(parent: Oid, number: number): number {
    const row = this.tables.commits.rowOf(parent);
    if (row === undefined) this.#request(parent).push(this.tables.commits.parentsUsed + number);
    return row ?? ABSENT;
  }

  #addRow(oid: Oid, { tree, timeSeconds, authorLine }: CommitHeader, parents: Uint32Array): number {
    const author = this.tables.authors.numberOf(authorLine);
    return this.tables.commits.add(oid, { tree, timeSeconds, author, parents });
  }
}

/** Reads the header of a commit, at once if the storage does; `undefined` when the commit is unreadable. */
export function readCommitHeader(
  repository: Repository,
  oid: Oid,
  task: Task,
): Awaitable<CommitHeader | undefined> {
  try {
    const found = repository.objects([oid]);
    if (!(found instanceof Promise)) return headerOf(found[0], task);
    return found.then(([object]) => headerOf(object, task), noneIfDamaged);
  } catch (error) {
    return noneIfDamaged(error);
  }
}

/** Reads the headers of commits. An unreadable commit is `undefined` and does not affect the others. */
export async function readCommitHeaders(
  repository: Repository,
  oids: readonly Oid[],
  task: Task,
): Promise<readonly (CommitHeader | undefined)[]> {
  const headers: (CommitHeader | undefined)[] = [];
  for await (const { objects } of readBatches(repository, oids)) {
    for (const object of objects) {
      const header = headerOf(object, task);
      headers.push(header instanceof Promise ? await header : header);
    }
  }
  return headers;
}

/** The header of an object, which is released; `undefined` when it is no commit. */
function headerOf(object: GitObject | undefined, task: Task): Awaitable<CommitHeader | undefined> {
  if (object === undefined) return undefined;
  if (object.bytes.length > SLOW_COMMIT_BYTES) return largeHeaderOf(object, task);
  const header = object.kind === "commit" ? tryHeader(object.bytes) : undefined;
  object.release?.();
  return header;
}

async function largeHeaderOf(object: GitObject, task: Task): Promise<CommitHeader | undefined> {
  try {
    if (object.kind !== "commit") return undefined;
    return await task.run(parseLargeCommitHeader(object.bytes));
  } catch (error) {
    return noneIfDamaged(error);
  } finally {
    object.release?.();
  }
}

/** Size of a commit in bytes; `undefined` when it is absent, damaged, or not a commit. */
export async function commitSize(repository: Repository, oid: Oid): Promise<number | undefined> {
  try {
    const header = await repository.header(oid);
    return header?.kind === "commit" ? header.size : undefined;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return undefined;
  }
}

/** Whether an object is present, even if it is damaged. */
export async function isPresent(repository: Repository, oid: Oid): Promise<boolean> {
  try {
    return await repository.header(oid) !== undefined;
  } catch (error) {
    if (error instanceof DamagedError) return true;
    throw error;
  }
}

function tryHeader(bytes: Uint8Array): CommitHeader | undefined {
  try {
    return parseCommitHeader(bytes);
  } catch (error) {
    return noneIfDamaged(error);
  }
}

function noneIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedError)) throw error;
}
