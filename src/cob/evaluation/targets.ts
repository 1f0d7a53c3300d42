/**
 * Finds the targets of the references to an issue or a patch, with which its evaluation starts. A pinned
 * entry counts as a second target of a reference.
 */
import type { ResolvedRef } from "../../git/references.ts";
import { isOid, type Oid } from "../../ids/oid.ts";
import { sortInSteps } from "../../scheduling/sort_in_steps.ts";
import type { Task } from "../../scheduling/task.ts";
import type { RepoId } from "../../ids/rid.ts";

/** Number of references processed in one step, which takes less than a millisecond. */
export const REFS_AT_ONCE = 2048;

export function ascending(ids: readonly Oid[]): readonly Oid[] {
  return ids.length === 1 ? ids : [...new Set(ids)].sort();
}

/**
 * Returns the targets of the references to each object, in ascending order. The objects are in ascending
 * order of their ids.
 */
export async function targetsByObject(
  refs: readonly ResolvedRef[],
  type: string,
  task: Task,
  targetsOf: (ref: ResolvedRef) => readonly Oid[] = ({ oid }) => [oid],
): Promise<ReadonlyMap<Oid, readonly Oid[]>> {
  const objects = new Map<Oid, Oid[]>();
  for (const [i, ref] of refs.entries()) {
    if (i % REFS_AT_ONCE === REFS_AT_ONCE - 1) await task.yield();
    const { name } = ref;
    const id = name.slice(name.lastIndexOf("/") + 1);
    if (!isOid(id) || !name.endsWith(`/refs/cobs/${type}/${id}`)) continue;
    const targets = objects.get(id);
    if (targets === undefined) objects.set(id, [...targetsOf(ref)]);
    else targets.push(...targetsOf(ref));
  }
  const found = new Map<Oid, readonly Oid[]>();
  for (const id of await task.run(sortInSteps([...objects.keys()], compareIds))) {
    if (found.size % REFS_AT_ONCE === REFS_AT_ONCE - 1) await task.yield();
    found.set(id, ascending(objects.get(id)!));
  }
  return found;
}

function compareIds(a: Oid, b: Oid): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Pinned entries. An entry (a signed change) is pinned for some seconds after this service has written it.
 */
export class PinnedEntries {
  readonly #pins = new Map<string, Oid>();

  /** Makes `entry` an additional target of the reference `name` while that reference exists. */
  pin(rid: RepoId, name: string, entry: Oid): void {
    this.#pins.set(`${rid} ${name}`, entry);
  }

  unpin(rid: RepoId, name: string): void {
    this.#pins.delete(`${rid} ${name}`);
  }

  get(rid: RepoId, name: string): Oid | undefined {
    return this.#pins.size === 0 ? undefined : this.#pins.get(`${rid} ${name}`);
  }

  /** Returns the target of a reference, and the pinned entry if it differs from the target. */
  targetsOf(rid: RepoId, { name, oid }: ResolvedRef): readonly Oid[] {
    const pinned = this.get(rid, name);
    return pinned === undefined || pinned === oid ? [oid] : [oid, pinned];
  }

  /** Checks whether any of the references has a pinned entry that differs from its target. */
  changesTargets(rid: RepoId, refs: readonly ResolvedRef[]): boolean {
    return this.#pins.size > 0 && refs.some(({ name, oid }) => (this.get(rid, name) ?? oid) !== oid);
  }
}
