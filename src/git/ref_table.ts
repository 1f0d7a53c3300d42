/** All references of a repository in memory, by name and by prefix. */
import { parseRefPattern } from "../ids/refname.ts";
import type { Ref } from "../ports/storage.ts";
import { runSync } from "../scheduling/task.ts";
import { findRef, selectRefs } from "./references.ts";

/** Most lists that are cached; one more clears them. */
export const MAX_CACHED_LISTS = 1000;
/** Bytes of a reference in memory, approximately. */
const REF_BYTES = 300;

/** References in bytewise order of their names. */
export class RefTable {
  readonly #refs: readonly Ref[];
  readonly #lists = new Map<string, readonly Ref[]>();
  #listed = 0;

  constructor(refs: readonly Ref[]) {
    this.#refs = refs;
  }

  /** Bytes in memory, approximately. */
  get weight(): number {
    return REF_BYTES * this.#refs.length + 8 * this.#listed + 200 * this.#lists.size;
  }

  get(name: string): Ref | undefined {
    return findRef(this.#refs, name);
  }

  /** References that `prefix` selects, as `Repository.refs` describes; the same array for the same prefix. */
  list(prefix: string): readonly Ref[] {
    const cached = this.#lists.get(prefix);
    if (cached !== undefined) return cached;
    const pattern = parseRefPattern(prefix);
    const list = pattern === undefined ? [] : runSync(selectRefs(this.#refs, pattern));
    if (this.#lists.size >= MAX_CACHED_LISTS) {
      this.#lists.clear();
      this.#listed = 0;
    }
    this.#lists.set(prefix, list);
    this.#listed += list.length;
    return list;
  }
}
