/**
 * Pins entries: a pinned entry counts as a second target of a reference. `rad` may overwrite a reference that
 * was changed a moment ago; the pinned entry then stays part of its object until it is joined with the entry
 * of `rad`.
 */
import type { ResolvedRef } from "../../git/references.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";

/** Pinned entries, of which there are few at a time. */
export class PinnedEntries {
  /** By repository and reference. */
  readonly #pins = new Map<string, Oid>();

  /** Treats `entry` as an extra target of the reference `name`, as long as that reference exists. */
  pin(rid: RepoId, name: string, entry: Oid): void {
    this.#pins.set(`${rid} ${name}`, entry);
  }

  /** Removes the pin of a reference. */
  unpin(rid: RepoId, name: string): void {
    this.#pins.delete(`${rid} ${name}`);
  }

  /** The entry pinned to a reference. */
  get(rid: RepoId, name: string): Oid | undefined {
    return this.#pins.size === 0 ? undefined : this.#pins.get(`${rid} ${name}`);
  }

  /** The target of a reference, and the entry pinned to it if that is another one. */
  targetsOf(rid: RepoId, { name, oid }: ResolvedRef): readonly Oid[] {
    const pinned = this.get(rid, name);
    return pinned === undefined || pinned === oid ? [oid] : [oid, pinned];
  }

  /** Whether some reference has an extra target. */
  changesTargets(rid: RepoId, refs: readonly ResolvedRef[]): boolean {
    return this.#pins.size > 0 && refs.some(({ name, oid }) => (this.get(rid, name) ?? oid) !== oid);
  }
}
