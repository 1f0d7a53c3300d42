/** All references of a repository in memory, by name and by prefix. */
import { firstWhere } from "../bytes/search.ts";
import { parseRefPattern } from "../ids/refname.ts";
import type { Ref } from "../ports/storage.ts";
import { compareUtf8 } from "../text/utf8.ts";

/** Most lists that are cached; one more clears them. */
export const MAX_CACHED_LISTS = 1000;
/** Bytes of a reference in memory, approximately. */
const REF_BYTES = 300;

/** References in bytewise order of their names. */
export class RefTable {
  readonly #refs: readonly Ref[];
  readonly #byName: ReadonlyMap<string, Ref>;
  readonly #lists = new Map<string, readonly Ref[]>();
  #listed = 0;

  constructor(refs: readonly Ref[]) {
    this.#refs = refs;
    this.#byName = new Map(refs.map((ref) => [ref.name, ref]));
  }

  /** Bytes in memory, approximately. */
  get weight(): number {
    return REF_BYTES * this.#refs.length + 8 * this.#listed + 200 * this.#lists.size;
  }

  get(name: string): Ref | undefined {
    return this.#byName.get(name);
  }

  /** References that `prefix` selects, as `Repository.refs` describes; the same array for the same prefix. */
  list(prefix: string): readonly Ref[] {
    const cached = this.#lists.get(prefix);
    if (cached !== undefined) return cached;
    const list = this.#select(prefix);
    if (this.#lists.size >= MAX_CACHED_LISTS) {
      this.#lists.clear();
      this.#listed = 0;
    }
    this.#lists.set(prefix, list);
    this.#listed += list.length;
    return list;
  }

  #select(prefix: string): readonly Ref[] {
    const pattern = parseRefPattern(prefix);
    if (pattern === undefined) return [];
    const literal = prefix.split("*", 1)[0]!;
    const refs = this.#refs;
    const selected: Ref[] = [];
    let at = firstWhere(refs.length, (at) => compareUtf8(refs[at]!.name, literal) >= 0);
    for (; at < refs.length && refs[at]!.name.startsWith(literal); at++) {
      if (pattern.matches(refs[at]!.name)) selected.push(refs[at]!);
    }
    return selected;
  }
}
