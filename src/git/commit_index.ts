/**
 * A repository's commits in columns: what walks, statistics and "last commit of a path" need, without reading objects again. Commits never change,
 * so the index is only ever extended: asking for a commit loads those of its ancestors that are not there yet.
 */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes, oidToBytes } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { LruMap } from "../cache/lru_map.ts";
import { type CommitHeader, parseCommitHeader, readPerson } from "./commit.ts";
import { type CommitGraph, HistoryWalk } from "./history_walk.ts";

/** Commits that are asked of the storage at once. */
const BATCH = 256;
/** Loading lets other requests through after so many commits: some 20 ms. */
const COMMITS_PER_TURN = 2048;
/** Walks, sets of ancestors and counts that are remembered, by the commit they start from. */
const REMEMBERED_WALKS = 16;
const REMEMBERED_SETS = 128;

const State = { unread: 0, read: 1, unreadable: 2 } as const;

/** The commits of one repository. A commit is known by its row, a small number that stays the same. */
export class CommitIndex implements CommitGraph {
  readonly #rows = new Map<Oid, number>();
  readonly #oids: Oid[] = [];
  #states = new Uint8Array(1024);
  #times = new Float64Array(1024);
  #trees = new Uint8Array(1024 * OID_BYTES);
  #authors = new Uint32Array(1024);
  readonly #parents: (readonly number[])[] = [];
  readonly #authorIds = new Map<string, number>();
  /** Rows that are known by name only. */
  #unread: number[] = [];
  readonly #unreadable = new Set<number>();
  #loading: Promise<void> = Promise.resolve();
  readonly #walks = new LruMap<number, HistoryWalk>(REMEMBERED_WALKS);
  readonly #ancestors = new LruMap<number, Uint8Array>(REMEMBERED_SETS);
  readonly #counts = new LruMap<number, { commits: number; contributors: number }>(REMEMBERED_SETS);

  /** Number of commits known. */
  get size(): number {
    return this.#oids.length;
  }

  /** The row of a commit with all its ancestors loaded; `undefined` when there is no such commit or it cannot be read. */
  async load(repository: Repository, oid: Oid): Promise<number | undefined> {
    const known = this.#rows.get(oid);
    if (
      known === undefined || !this.isReadable(known) || this.#unread.length > 0 || this.#unreadable.size > 0
    ) {
      const loading = this.#loading.then(() => this.#extend(repository, oid));
      this.#loading = loading.catch(() => {});
      await loading;
    }
    const row = this.#rows.get(oid);
    return row !== undefined && this.isReadable(row) ? row : undefined;
  }

  /** The row of a commit that is already loaded. */
  rowOf(oid: Oid): number | undefined {
    return this.#rows.get(oid);
  }

  oidOf(row: number): Oid {
    return this.#oids[row]!;
  }

  treeOf(row: number): Oid {
    return oidFromBytes(this.#trees, row * OID_BYTES);
  }

  /** Committer time, seconds. */
  timeOf(row: number): number {
    return this.#times[row]!;
  }

  /** Rows of the parents, in the commit's order; some may be unreadable. */
  parentsOf(row: number): readonly number[] {
    return this.#parents[row]!;
  }

  /** Whether the commit was there and well-formed. */
  isReadable(row: number): boolean {
    return this.#states[row] === State.read;
  }

  /** The walk of history from a commit. */
  walk(row: number): HistoryWalk {
    return this.#walks.getOrMake(row, () => new HistoryWalk(this, row));
  }

  /** Whether `row` is `tip` or an ancestor of it. */
  contains(tip: number, row: number): boolean {
    const set = this.#ancestors.getOrMake(tip, () => this.#collectAncestors(tip));
    return ((set[row >> 3] ?? 0) >> (row & 7) & 1) === 1;
  }

  /** How many commits are reachable from a commit, and by how many different authors (2.5). */
  count(tip: number): { commits: number; contributors: number } {
    return this.#counts.getOrMake(tip, () => {
      const set = this.#collectAncestors(tip);
      const authors = new Set<number>();
      let commits = 0;
      for (let row = 0; row < set.length * 8; row++) {
        if ((set[row >> 3]! >> (row & 7) & 1) === 0) continue;
        commits++;
        authors.add(this.#authors[row]!);
      }
      return { commits, contributors: authors.size };
    });
  }

  #collectAncestors(tip: number): Uint8Array {
    const set = new Uint8Array((this.size + 7) >> 3);
    const stack = [tip];
    set[tip >> 3]! |= 1 << (tip & 7);
    for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
      for (const parent of this.#parents[row]!) {
        if ((set[parent >> 3]! >> (parent & 7) & 1) === 1 || !this.isReadable(parent)) continue;
        set[parent >> 3]! |= 1 << (parent & 7);
        stack.push(parent);
      }
    }
    return set;
  }

  async #extend(repository: Repository, oid: Oid): Promise<void> {
    this.#discover(oid);
    if (this.#unreadable.size > 0) this.#retryUnreadable();
    for (let loaded = 0; this.#unread.length > 0;) {
      const rows = this.#unread.slice(-BATCH);
      const headers = await readHeaders(repository, rows.map((row) => this.#oids[row]!));
      this.#unread.length -= rows.length;
      rows.forEach((row, i) => this.#record(row, headers[i]));
      loaded += rows.length;
      if (loaded >= COMMITS_PER_TURN) {
        loaded = 0;
        await new Promise((resume) => setTimeout(resume, 0));
      }
    }
  }

  /** A commit that was not there may have been fetched since. */
  #retryUnreadable(): void {
    this.#unread.push(...this.#unreadable);
    this.#unreadable.clear();
    this.#walks.clear();
    this.#ancestors.clear();
    this.#counts.clear();
  }

  #discover(oid: Oid): number {
    const known = this.#rows.get(oid);
    if (known !== undefined) return known;
    const row = this.#oids.push(oid) - 1;
    if (row >= this.#states.length) this.#grow();
    this.#rows.set(oid, row);
    this.#parents.push([]);
    this.#unread.push(row);
    return row;
  }

  #record(row: number, header: CommitHeader | undefined): void {
    if (header === undefined) {
      this.#states[row] = State.unreadable;
      this.#unreadable.add(row);
      return;
    }
    this.#times[row] = header.timeSeconds;
    this.#trees.set(oidToBytes(header.tree), row * OID_BYTES);
    this.#authors[row] = this.#authorId(header.authorLine);
    this.#parents[row] = header.parents.map((parent) => this.#discover(parent));
    this.#states[row] = State.read;
  }

  #authorId(line: string): number {
    let id = this.#authorIds.get(line);
    if (id === undefined) {
      const { name, email } = readPerson(line);
      const key = `${name} <${email}>`;
      id = this.#authorIds.get(key) ?? this.#authorIds.size;
      this.#authorIds.set(key, id);
      this.#authorIds.set(line, id);
    }
    return id;
  }

  #grow(): void {
    const grown = <T extends Uint8Array | Uint32Array | Float64Array>(old: T, bigger: T): T => {
      bigger.set(old);
      return bigger;
    };
    const length = this.#states.length * 2;
    this.#states = grown(this.#states, new Uint8Array(length));
    this.#times = grown(this.#times, new Float64Array(length));
    this.#trees = grown(this.#trees, new Uint8Array(length * OID_BYTES));
    this.#authors = grown(this.#authors, new Uint32Array(length));
  }
}

/** What can be read of these commits; a damaged one does not spoil the others. */
async function readHeaders(
  repository: Repository,
  oids: readonly Oid[],
): Promise<(CommitHeader | undefined)[]> {
  try {
    return (await repository.objects(oids)).map((object) =>
      object?.kind === "commit" ? parseCommitHeader(object.bytes) : undefined
    );
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    if (oids.length === 1) return [undefined];
    const headers: (CommitHeader | undefined)[] = [];
    for (const oid of oids) headers.push(...await readHeaders(repository, [oid]));
    return headers;
  }
}
