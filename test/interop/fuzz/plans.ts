/** What an object is to be made of, before it has ids: small enough to print, easy to make smaller. */

/** The objects of which there are rows. */
export type RowKind = "issue" | "patch";
/** The objects that are planned: issues, patches, identities. */
export type PlanKind = RowKind | "id";

/** One entry. */
export interface EntryPlan {
  /** Whose key signs it, a number of {@link KEYS}. */
  readonly writer: number;
  /** Entries that it stands on, by their numbers; `missing` is a commit that is not there, `foreign` one that is no entry. */
  readonly parents: readonly (number | "missing" | "foreign")[];
  readonly seconds: number;
  /**
   * The actions as JSON, with names in place of ids: `@e3` the entry 3, `@c1` the commit 1, `@k2` the DID of the key 2, `@n2` its node id,
   * `@blob` and `@tree` an object of that kind, `@missing` nothing, `@i4` the document 4 of identities, `@s2:4` its signature by the key 2.
   */
  readonly actions: readonly string[];
  /** Name of the identity document that its author saw; absent for none. */
  readonly document?: string;
  /** Number of the identity document that comes with it. */
  readonly embed?: number;
  /** Names of what is odd about its commit, its tree or its signature. */
  readonly oddities?: readonly string[];
}

/** One object; its first entry opens it. */
export interface ObjectPlan {
  readonly kind: PlanKind;
  /** Part of the first entry's message, so that objects that begin alike are not the same. */
  readonly nonce: number;
  readonly entries: readonly EntryPlan[];
  /** Entries that no reference leads to, nor to anything on top of them. */
  readonly unreferenced?: readonly number[];
}

/** Seeds of the keys that sign entries, 32 times the same byte each; the first one is that of the home and a delegate of all documents but few. */
export const KEYS = ["d7", "e1", "e2", "e3", "e4", "e5", "e6", "e8", "e9", "ea"] as const;

/** The entries that no other one stands on. */
export function openEnds(entries: readonly EntryPlan[]): number[] {
  const covered = new Set(entries.flatMap(({ parents }) => parents));
  return entries.map((_, i) => i).filter((i) => !covered.has(i));
}

/**
 * Where references lead: each writer's to the last entry of its own, then those of others to every end that is left. None leads to an odd entry: a
 * reference to what libgit2 takes for no commit makes `rad` give up the whole repository.
 */
export function planTips({ entries, unreferenced = [] }: ObjectPlan): Map<number, number> {
  const hidden = new Set(unreferenced);
  for (const [i, { parents }] of entries.entries()) {
    if (parents.some((parent) => typeof parent === "number" && hidden.has(parent))) hidden.add(i);
  }
  const planned = new Map<number, number>();
  for (const [i, { writer, oddities }] of entries.entries()) {
    if (oddities === undefined && !hidden.has(i)) planned.set(writer, i);
  }
  const reached = new Set(planned.values());
  const parents = entries.map((entry, i) => hidden.has(i) ? { ...entry, parents: [] } : entry);
  for (const end of openEnds(parents)) {
    if (reached.has(end) || hidden.has(end) || entries[end]!.oddities !== undefined) continue;
    const free = KEYS.findIndex((_, key) => !planned.has(key));
    if (free < 0) break;
    planned.set(free, end);
  }
  return planned;
}
