/** Sorted references, by name and by pattern, and all references of a repository in memory. */
import { parseRefPattern, type RefPattern } from "../ids/refname.ts";
import type { Ref } from "../ports/storage.ts";
import { runSync, type Steps } from "../scheduling/task.ts";
import { compareUtf8 } from "../text/utf8.ts";

/** Most lists that are cached; one more clears them. */
export const MAX_CACHED_LISTS = 1000;
/** References selected in one step: below a millisecond. */
const SELECTED_AT_ONCE = 512;
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

/** Binary search of a name in sorted references. */
export function findRef(refs: readonly Ref[], name: string): Ref | undefined {
  const ref = refs[lowerBound(refs, name)];
  return ref?.name === name ? ref : undefined;
}

/** Selects references from sorted references, in the same order. */
export function* selectRefs(refs: readonly Ref[], { parts, isPrefix }: RefPattern): Steps<readonly Ref[]> {
  const selected: Ref[] = [];
  for (const ref of select(refs, "", isPrefix ? [...parts, ""] : parts)) {
    // Skipped references count, too.
    if (ref !== undefined) selected.push(ref);
    if (ref === undefined || selected.length % SELECTED_AT_ONCE === 0) yield;
  }
  return selected;
}

/** The byte after the slash: names that start with `a0` sort directly after those that start with `a/`. */
const AFTER_SLASH = "0";

/**
 * The sorted references whose names consist of `path` and the components after it. `*` is any one component;
 * an empty component at the end is any number of components.
 */
function* select(refs: readonly Ref[], path: string, parts: readonly string[]): Generator<Ref | undefined> {
  const star = parts.indexOf("*");
  if (star < 0) {
    const start = path + parts.join("/");
    const isPrefix = start.endsWith("/");
    for (let at = lowerBound(refs, start); refs[at]?.name.startsWith(start); at++) {
      if (!isPrefix && refs[at]!.name !== start) return;
      yield refs[at]!;
    }
    return;
  }
  const above = path + [...parts.slice(0, star), ""].join("/");
  const rest = parts.slice(star + 1);
  for (let at = lowerBound(refs, above); refs[at]?.name.startsWith(above);) {
    const ref = refs[at]!;
    const end = ref.name.indexOf("/", above.length);
    if (end < 0) {
      if (rest.length === 0) yield ref;
      at++;
    } else {
      yield undefined;
      if (rest.length > 0) yield* select(refs, ref.name.slice(0, end + 1), rest);
      at = lowerBound(refs, ref.name.slice(0, end) + AFTER_SLASH);
    }
  }
}

/** Position of the first reference whose name is not less than `name`. */
function lowerBound(refs: readonly Ref[], name: string): number {
  let [low, high] = [0, refs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareUtf8(refs[middle]!.name, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
