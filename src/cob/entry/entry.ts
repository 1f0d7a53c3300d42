/** Entry: one signed change of an object. */
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";

/** Largest sum of an entry's actions, in bytes: twice the largest request that could have made them. */
export const MAX_ACTION_BYTES = 8 * 1024 * 1024;

/** An entry whose actions are of type `A`. */
export interface Entry<A> {
  readonly id: Oid;
  /** The node whose key signed it; names in the commit are never looked at. */
  readonly author: NodeId;
  /** Committer time, seconds since the epoch; one before the epoch counts as an unsigned number of 64 bits (as in the real programs). */
  readonly timeSeconds: number;
  /** The time where a double does not hold it. */
  readonly exactSeconds?: bigint;
  /** Set where git (libgit2) does not take it for a commit: then the real programs follow no reference to it. */
  readonly isMalformed?: boolean;
  /** The entries of the object that it was written on top of. */
  readonly parents: readonly Oid[];
  /** The identity commit that its author saw; only identity entries have none. */
  readonly resource: Oid | undefined;
  /** Whether the signature is that of the author; verified while others are read already. Never rejects. */
  readonly isAuthentic: Promise<boolean>;
  /** What it does, in order; `undefined` when one of the actions cannot be understood. */
  readonly actions: readonly A[] | undefined;
  /** Size of its actions. */
  readonly bytes: number;
  /** Set where the actions were left out to save memory: they are to be read again. */
  readonly isBare?: true;
}
