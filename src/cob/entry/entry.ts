/** One entry: a signed change of an object, with embedded content such as pictures (2.12). */
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import * as v from "valibot";
import type { EntrySignature } from "./entry_signature.ts";
import { Text } from "./fields.ts";

/** Largest sum of an entry's actions, in bytes: twice the largest request body. */
export const MAX_ACTION_BYTES = 8 * 1024 * 1024;

/** An entry whose actions are of type `A`. */
export interface Entry<A> {
  readonly id: Oid;
  /** Node id of the key that signed the entry. Names in the commit are ignored. */
  readonly author: NodeId;
  /**
   * Committer time in seconds since the epoch. A time before the epoch counts as an unsigned number of 64
   * bits, as in the real programs.
   */
  readonly timeSeconds: number;
  /** The exact time; present only if a double cannot represent it. */
  readonly exactSeconds?: bigint;
  /** Set if git (libgit2) cannot parse the commit. The real programs then follow no reference to it. */
  readonly isMalformed?: boolean;
  /** The entries of the object on which this entry builds. */
  readonly parents: readonly Oid[];
  /** The identity commit that the author saw; absent in entries of identities. */
  readonly resource: Oid | undefined;
  readonly signature: EntrySignature;
  /** Actions in order; `undefined` when one of them cannot be decoded. */
  readonly actions: readonly A[] | undefined;
  /** Size of the actions, in bytes. */
  readonly bytes: number;
  /** Set if the actions were left out to save memory. Read the entry again to get them. */
  readonly isBare?: true;
}

/** A reference to content: `git:<oid>` of a blob where programs wrote it, any text elsewhere. */
export const Embed = v.object({ name: Text, content: Text });

export type Embed = v.InferOutput<typeof Embed>;

/** Embeds of an action in which the member is required. */
export const Embeds = v.array(Embed);

/** Embeds of an action in which the member is optional. */
export const OptionalEmbeds = v.optional(Embeds, []);
