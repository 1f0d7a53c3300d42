/** An objects database in memory, for tests. */
import {
  type CobCache,
  CobCacheError,
  type CobCacheObstacle,
  type RowForm,
} from "../../src/ports/cob_cache.ts";

/** A database, and what a test may know of it and do to it. */
export interface CachedRows extends CobCache {
  form: RowForm;
  /** By id. */
  readonly rows: Map<string, string>;
  /** What stands in the way of the next calls, in order. */
  readonly obstacles: (CobCacheObstacle | undefined)[];
  readonly calls: { read: number; replace: number; findBehind: number };
}

/** A database without rows. */
export function createCachedRows(obstacles: CachedRows["obstacles"] = []): CachedRows {
  const rows = new Map<string, string>();
  const calls = { read: 0, replace: 0, findBehind: 0 };
  const begin = (call: keyof typeof calls) => {
    calls[call]++;
    const obstacle = obstacles.shift();
    if (obstacle !== undefined) throw new CobCacheError(obstacle, `it is ${obstacle}`);
  };
  return {
    form: "newest",
    rows,
    obstacles,
    calls,
    read({ id }) {
      begin("read");
      return { form: this.form, text: rows.get(id) };
    },
    replace({ id }, before, text) {
      begin("replace");
      if (rows.get(id) !== before.text) return false;
      rows.set(id, text);
      return true;
    },
    findBehind(_rid, _type, entries) {
      begin("findBehind");
      return [...entries].filter(([id, entry]) => !rows.get(id)?.includes(entry)).map(([id]) => id);
    },
  };
}
