/** A query of the full-text index. It scans the texts in turns, and other queries have theirs between. */
import type { RepoId, Task } from "../../src/mod.ts";
import type { RankedText, ScanResult, SearchHit, SearchIndex, SearchPart } from "./search_index.ts";

/** Longest time of all scans of a query, in milliseconds. Texts that were not reached are left out. */
export const MAX_QUERY_MS = 2000;
/** How many of the best texts are ranked. Others are counted, but are on no page. */
export const MAX_RANKED = 1000;

/** A query of a client. */
export interface Query {
  readonly expression: string;
  readonly parts: readonly SearchPart[];
  readonly offset: number;
  readonly limit: number;
  readonly task: Task;
  /** Whether the client may read a repository now. */
  readonly isVisible: (rid: RepoId) => Promise<boolean>;
  /** Does work with the index when it is the turn of the query. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The result of a query. */
export interface QueryResult {
  readonly total: number;
  readonly hits: readonly SearchHit[];
  /** Whether all texts were scanned. */
  readonly isWhole: boolean;
}

/** Runs a query. */
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
    // Texts of hidden repositories may have taken the places of others.
    if (visible.length > 0 && visible.length < found.counts.size) found = await scans.at(part, visible);
    for (const rid of visible) total += found.counts.get(rid) ?? 0;
    const shown = new Set(visible);
    best = merged(best, found.best.filter(({ rid }) => shown.has(rid)));
  }
  const page = best.slice(offset, end);
  const hits = page.length === 0 ? [] : await inTurn(() => index.texts(page));
  return { total, hits, isWhole: scans.areWhole };
}

/** The scans of one query. */
class Scans {
  readonly #index: SearchIndex;
  readonly #query: Query;
  readonly #most: number;
  #leftMs = MAX_QUERY_MS;
  /** Whether there was time for all scans. */
  areWhole = true;

  /** @param most How many of the best texts are ranked. */
  constructor(index: SearchIndex, query: Query, most: number) {
    this.#index = index;
    this.#query = query;
    this.#most = most;
  }

  /** Scans through a part, for texts of some repositories or of all. */
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

/** Both lists in one order. They have at most {@link MAX_RANKED} texts each: less than a millisecond. */
function merged(some: readonly RankedText[], others: readonly RankedText[]): readonly RankedText[] {
  return [...some, ...others].sort(byRank);
}

/** The best first. Ids and keys are ASCII. */
function byRank(a: RankedText, b: RankedText): number {
  return a.rank - b.rank || compare(a.rid, b.rid) || compare(a.key, b.key);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
