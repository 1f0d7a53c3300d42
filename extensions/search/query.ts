/**
 * Runs a query of the full-text index. A query scans the texts in several steps, and other queries run
 * between two steps.
 */
import type { RepoId, Task } from "../../src/mod.ts";
import type { RankedText, ScanResult, SearchHit, SearchIndex, SearchPart } from "./search_index.ts";

/**
 * Maximum total time of all scans of a query, in milliseconds. The result leaves out texts that are not
 * scanned within this time.
 */
export const MAX_QUERY_MS = 2000;
/**
 * Maximum number of the best texts of a query. All other found texts are counted, but are not on any page.
 */
export const MAX_RANKED = 1000;

export interface Query {
  readonly expression: string;
  readonly parts: readonly SearchPart[];
  readonly offset: number;
  readonly limit: number;
  readonly task: Task;
  /** Checks whether the client may read a repository now. */
  readonly isVisible: (rid: RepoId) => Promise<boolean>;
  /** Runs work on the index when it is the turn of the query. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface QueryResult {
  readonly total: number;
  readonly hits: readonly SearchHit[];
  /** Whether all texts were scanned. */
  readonly isWhole: boolean;
}

export async function runQuery(index: SearchIndex, query: Query): Promise<QueryResult> {
  const { parts, offset, limit, task, isVisible, inTurn } = query;
  const end = Math.min(offset + limit, MAX_RANKED);
  const scans = new Scans(index, query, end);
  let total = 0;
  let best: readonly RankedText[] = [];
  for (const part of parts) {
    let found = await scans.at(part);
    const visible: RepoId[] = [];
    for (const rid of found.counts.keys()) {
      if (await isVisible(rid)) visible.push(rid);
      await task.yield();
    }
    // The best texts of the first scan may belong to hidden repositories. Only the visible repositories are
    // scanned again.
    if (visible.length > 0 && visible.length < found.counts.size) found = await scans.at(part, visible);
    for (const rid of visible) total += found.counts.get(rid) ?? 0;
    const shown = new Set(visible);
    best = merged(best, found.best.filter(({ rid }) => shown.has(rid)));
  }
  const page = best.slice(offset, end);
  const hits = page.length === 0 ? [] : await inTurn(() => index.texts(page));
  return { total, hits, isWhole: scans.areWhole };
}

class Scans {
  readonly #index: SearchIndex;
  readonly #query: Query;
  readonly #most: number;
  #leftMs = MAX_QUERY_MS;
  /** Whether there was enough time for all scans. */
  areWhole = true;

  /** @param most Maximum number of the best texts that are ranked. */
  constructor(index: SearchIndex, query: Query, most: number) {
    this.#index = index;
    this.#query = query;
    this.#most = most;
  }

  /** Scans all texts of a part, or the texts of the given repositories. */
  async at(part: SearchPart, rids?: readonly RepoId[]): Promise<Pick<ScanResult, "counts" | "best">> {
    const { expression, inTurn } = this.#query;
    const counts = new Map<RepoId, number>();
    let best: readonly RankedText[] = [];
    for (let from: number | undefined = 0; from !== undefined;) {
      if (this.#leftMs <= 0) {
        this.areWhole = false;
        break;
      }
      const scan = { part, expression, from, rids, most: this.#most };
      const result: ScanResult = await inTurn(() => this.#index.scan(scan));
      this.#leftMs -= result.tookMs;
      for (const [rid, count] of result.counts) counts.set(rid, (counts.get(rid) ?? 0) + count);
      best = merged(best, result.best).slice(0, this.#most);
      from = result.next;
    }
    return { counts, best };
  }
}

/**
 * Merges two lists of at most {@link MAX_RANKED} texts, the best first. Merging takes less than a
 * millisecond.
 */
function merged(some: readonly RankedText[], others: readonly RankedText[]): readonly RankedText[] {
  return [...some, ...others].sort(byRank);
}

/** Sorts the better rank first, then by id and key, which are ASCII. */
function byRank(a: RankedText, b: RankedText): number {
  return a.rank - b.rank || compare(a.rid, b.rid) || compare(a.key, b.key);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
