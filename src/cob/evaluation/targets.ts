/** Targets of references: the entries that an evaluation starts from. */
import type { Oid } from "../../ids/oid.ts";

/** The ids in ascending order, each once. */
export function ascending(ids: readonly Oid[]): readonly Oid[] {
  return ids.length === 1 ? ids : [...new Set(ids)].sort();
}

/** Whether two lists hold the same ids in the same order. */
export function isSameIds(a: readonly Oid[], b: readonly Oid[]): boolean {
  return a.length === b.length && a.every((oid, i) => oid === b[i]);
}
