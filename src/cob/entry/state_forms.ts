/**
 * Valibot schemas for the properties of states. The type of a state is derived from its schema, and the same
 * schema reads saved states. In JSON, maps are lists of pairs, sets are lists, and null means `undefined`.
 */
import * as v from "valibot";
import type { Did, NodeId } from "../../ids/nid.ts";
import { isOid, type Oid } from "../../ids/oid.ts";
import { Embed } from "./entry.ts";
import { Text } from "./fields.ts";

/** Pattern of canonical node ids. It checks only the characters, not the encoded key. */
const NID = /^z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;
const DID_PREFIX = "did:key:";

/** Schema of an object id of 40 digits. */
export const FullOid = v.custom<Oid>((value) => typeof value === "string" && isOid(value));
export const FullNid = v.custom<NodeId>((value) => typeof value === "string" && NID.test(value));
/** Schema of the DID of a node. Delegates and assignees are identified by DIDs. */
export const FullDid = v.custom<Did>((value) =>
  typeof value === "string" && value.startsWith(DID_PREFIX) && NID.test(value.slice(DID_PREFIX.length))
);
/** Schema of a whole number that is at least 0. */
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** Schema of a time, in whole seconds since the epoch. */
export const Seconds = v.pipe(v.number(), v.integer());

/** Creates the schema of a property that must be present, but may be `undefined`. */
export function orUndefined<T>(form: v.GenericSchema<unknown, T>) {
  return v.pipe(v.nullable(form), v.transform((value): T | undefined => value ?? undefined));
}

/** Creates the schema of a list. Its items are never changed in place. To change the list, replace it. */
export function listOf<T>(item: v.GenericSchema<unknown, T>) {
  return v.pipe(v.array(item), v.transform((items): readonly T[] => items));
}

/** Creates the schema of a list with at least one item. Everything else is the same as in {@link listOf}. */
export function someOf<T>(item: v.GenericSchema<unknown, T>) {
  return v.pipe(v.tupleWithRest([item], item), v.transform((items): readonly [T, ...T[]] => items));
}

/** Creates the schema of a map. Duplicate keys are refused. */
export function mapOf<K, V>(key: v.GenericSchema<unknown, K>, value: v.GenericSchema<unknown, V>) {
  return v.pipe(
    v.array(v.strictTuple([key, value])),
    v.check((pairs) => new Set(pairs.map(([key]) => key)).size === pairs.length, "Expected each key once"),
    v.transform((pairs): Map<K, V> => new Map(pairs as [K, V][])),
  );
}

/** Schema of a set of object ids. */
export const OidSet = v.pipe(v.array(FullOid), v.transform((ids): ReadonlySet<Oid> => new Set(ids)));

/** Schemas of the properties that issues and patches have in common. */
export const objectMembers = {
  id: FullOid,
  author: FullNid,
  /** Time when the object was created. */
  timeSeconds: Seconds,
  title: Text,
  /** In ascending order of their bytes, without duplicates. */
  labels: listOf(Text),
  /** Ids of the comments, revisions and reviews with cut texts; absent when no text of the object is cut. */
  truncated: v.exactOptional(OidSet),
};

/** Schemas of the properties of a version of a text, without the text. */
const versionMembers = {
  /**
   * Author of this version. It may differ from the author of the text, because delegates may edit comments of
   * other nodes.
   */
  author: FullNid,
  timeSeconds: Seconds,
  embeds: listOf(Embed),
};

/** Schema of a version of a comment or description. */
export const Edit = v.pipe(v.strictObject({ ...versionMembers, body: Text }), v.readonly());
/** Schema of a version of a review's summary. `body` is null for a review without a summary. */
export const Summary = v.pipe(v.strictObject({ ...versionMembers, body: v.nullable(Text) }), v.readonly());

export type Edit = v.InferOutput<typeof Edit>;
export type Summary = v.InferOutput<typeof Summary>;

/** Returns the JSON of a state or another value in the representation that its schema reads. */
export function toFormJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (member === undefined) return null;
    return member instanceof Map || member instanceof Set ? [...member] : member;
  });
}
