/** Targets of references: the entries that an evaluation starts from. */
import type { ResolvedRef } from "../../git/references.ts";
import { isOid, type Oid } from "../../ids/oid.ts";

/** The ids in ascending order, each once. */
export function ascending(ids: readonly Oid[]): readonly Oid[] {
  return ids.length === 1 ? ids : [...new Set(ids)].sort();
}

/** Whether two lists hold the same ids in the same order. */
export function isSameIds(a: readonly Oid[], b: readonly Oid[]): boolean {
  return a.length === b.length && a.every((oid, i) => oid === b[i]);
}

/** Targets of the references to each object, ascending; objects in ascending order of their ids. */
export function targetsByObject(
  refs: readonly ResolvedRef[],
  type: string,
  targetsOf: (ref: ResolvedRef) => readonly Oid[] = ({ oid }) => [oid],
): ReadonlyMap<Oid, readonly Oid[]> {
  const objects = new Map<Oid, Oid[]>();
  for (const ref of refs) {
    const { name } = ref;
    const id = name.slice(name.lastIndexOf("/") + 1);
    if (!isOid(id) || !name.endsWith(`/refs/cobs/${type}/${id}`)) continue;
    const targets = objects.get(id);
    if (targets === undefined) objects.set(id, [...targetsOf(ref)]);
    else targets.push(...targetsOf(ref));
  }
  return new Map([...objects.keys()].sort().map((id) => [id, ascending(objects.get(id)!)]));
}
