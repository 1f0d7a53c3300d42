/** One entry: a signed change of an object, with embedded content such as pictures (2.12). */
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import * as v from "valibot";
import type { EntrySignature } from "./entry_signature.ts";
import { Text } from "./fields.ts";

/** Maximum total size of an entry's actions, in bytes. It is twice the maximum size of a request body. */
export const MAX_ACTION_BYTES = 8 * 1024 * 1024;

/** An entry whose actions are of type `A`. */
export interface Entry<A> {
  readonly id: Oid;
  /** Node id of the key that signed the entry. The names in the commit are ignored. */
  readonly author: NodeId;
  /**
   * Committer time in seconds since the epoch. A time before the epoch is treated as an unsigned number of 64
   * bits, as in the Radicle programs.
   */
  readonly timeSeconds: number;
  /** The exact time; present only if a double cannot represent it. */
  readonly exactSeconds?: bigint;
  /**
   * Set if git (libgit2) cannot parse the commit. The Radicle programs do not follow references to such a
   * commit.
   */
  readonly isMalformed?: boolean;
  /** The entries of the object on which this entry builds. */
  readonly parents: readonly Oid[];
  /** The commit of the identity that was in force for the author; absent in entries of identities. */
  readonly resource: Oid | undefined;
  readonly signature: EntrySignature;
  /** Actions in order; `undefined` when any action cannot be decoded. */
  readonly actions: readonly A[] | undefined;
  /** Total size of the actions, in bytes. */
  readonly bytes: number;
  /** Set if the actions were left out to save memory. Read the entry again to get them. */
  readonly isBare?: true;
}

/**
 * Schema of a reference to content. Programs write `git:<oid>` of a blob as `content`, but any text is
 * accepted.
 */
export const Embed = v.object({ name: Text, content: Text });

export type Embed = v.InferOutput<typeof Embed>;

/** Schema of the embeds of an action that requires them. */
export const Embeds = v.array(Embed);

/** Schema of the embeds of an action in which they are optional. */
export const OptionalEmbeds = v.optional(Embeds, []);
