/**
 * Type of an entry, which is a signed change of a collaborative object (such as an issue), stored as a
 * commit. An entry can embed content such as pictures (specification, 2.12).
 */
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import * as v from "valibot";
import type { EntrySignature } from "./entry_signature.ts";
import { Text } from "./fields.ts";

/** Maximum total size of an entry's actions, in bytes. A request body may have half of this size. */
export const MAX_ACTION_BYTES = 8 * 1024 * 1024;

/**
 * An entry whose actions have the type `A`. An action is one step of a change, such as an edit of a title.
 */
export interface Entry<A> {
  readonly id: Oid;
  /** Node id of the key that signed the entry. The names in the commit are ignored. */
  readonly author: NodeId;
  /**
   * Committer time in seconds since the epoch. A time before the epoch is read as an unsigned number of 64
   * bits, as in the Radicle programs.
   */
  readonly timeSeconds: number;
  /** Committer time in seconds. Present only if a double cannot represent the time exactly. */
  readonly exactSeconds?: bigint;
  /**
   * Set if git (libgit2) cannot parse the commit. The Radicle programs do not follow references to such a
   * commit.
   */
  readonly isMalformed?: boolean;
  /** Earlier entries of the same object on which this entry builds. */
  readonly parents: readonly Oid[];
  /** Commit of the repository's identity document that the author used; absent in entries of identities. */
  readonly resource: Oid | undefined;
  readonly signature: EntrySignature;
  /** Actions in the order in which they are applied; `undefined` when any action cannot be decoded. */
  readonly actions: readonly A[] | undefined;
  /** Total size of the actions, in bytes. */
  readonly bytes: number;
  /**
   * Set if `actions` is `undefined` in order to save memory. The caller must read the entry again to get the
   * actions.
   */
  readonly isBare?: true;
}

/**
 * Schema of embedded content. Radicle programs write `git:<oid>` with the id of a blob as `content`, but any
 * text is accepted.
 */
export const Embed = v.object({ name: Text, content: Text });

export type Embed = v.InferOutput<typeof Embed>;

export const Embeds = v.array(Embed);

export const OptionalEmbeds = v.optional(Embeds, []);
