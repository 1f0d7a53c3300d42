/**
 * Valibot schemas for the properties of states. A state is the result of evaluating an issue, a patch or
 * another object. The type of each state is derived from its schema, and the schema reads states that are
 * saved as JSON. In this JSON, maps are arrays of pairs, sets are arrays, and null means `undefined`.
 */
import * as v from "valibot";
import type { Did, NodeId } from "../../ids/nid.ts";
import { isOid, type Oid } from "../../ids/oid.ts";
import { Embed } from "./entry.ts";
import { Text } from "./fields.ts";

/** Matches canonical node ids. Only the characters are checked, not the encoded key. */
const NID = /^z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;
const DID_PREFIX = "did:key:";

/** Schema of an object id of 40 digits. */
export const FullOid = v.custom<Oid>((value) => typeof value === "string" && isOid(value));
export const FullNid = v.custom<NodeId>((value) => typeof value === "string" && NID.test(value));
/** Schema of the DID of a node. Delegates and assignees are identified by DIDs. */
export const FullDid = v.custom<Did>((value) =>
  typeof value === "string" && value.startsWith(DID_PREFIX) && NID.test(value.slice(DID_PREFIX.length))
);
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** Schema of a time, in whole seconds since the epoch. */
export const Seconds = v.pipe(v.number(), v.integer());

/** Creates the schema of a property that must be present, but may be `undefined`. */
export function orUndefined<T>(form: v.GenericSchema<unknown, T>) {
  return v.pipe(v.nullable(form), v.transform((value): T | undefined => value ?? undefined));
}

/** Creates the schema of an immutable array. To change an item, replace the array. */
export function listOf<T>(item: v.GenericSchema<unknown, T>) {
  return v.pipe(v.array(item), v.transform((items): readonly T[] => items));
}

/** Creates the schema of an immutable array with at least one item. */
export function someOf<T>(item: v.GenericSchema<unknown, T>) {
  return v.pipe(v.tupleWithRest([item], item), v.transform((items): readonly [T, ...T[]] => items));
}

/** Creates the schema of a map, which is stored as an array of pairs. Duplicate keys are refused. */
export function mapOf<K, V>(key: v.GenericSchema<unknown, K>, value: v.GenericSchema<unknown, V>) {
  return v.pipe(
    v.array(v.strictTuple([key, value])),
    v.check((pairs) => new Set(pairs.map(([key]) => key)).size === pairs.length, "Expected each key once"),
    v.transform((pairs): Map<K, V> => new Map(pairs as [K, V][])),
  );
}

export const OidSet = v.pipe(v.array(FullOid), v.transform((ids): ReadonlySet<Oid> => new Set(ids)));

export const objectMembers = {
  id: FullOid,
  author: FullNid,
  /** Time when the object was created. */
  timeSeconds: Seconds,
  title: Text,
  /** Labels in ascending order of their UTF-8 bytes, without duplicates. */
  labels: listOf(Text),
  /**
   * Ids of the comments, revisions and reviews whose texts are cut; absent when no text of the object is cut.
   */
  truncated: v.exactOptional(OidSet),
};

/** Properties of one version of a text (see {@link Edit} and {@link Summary}), without the text. */
const versionMembers = {
  /**
   * Author of this version. Delegates may edit comments of other nodes, so the author of the first version
   * can be another node.
   */
  author: FullNid,
  timeSeconds: Seconds,
  embeds: listOf(Embed),
};

/** Schema of one version of a comment or description. Each edit adds a version. */
export const Edit = v.pipe(v.strictObject({ ...versionMembers, body: Text }), v.readonly());
/** Schema of one version of a review's summary. `body` is null for a review without a summary. */
export const Summary = v.pipe(v.strictObject({ ...versionMembers, body: v.nullable(Text) }), v.readonly());

export type Edit = v.InferOutput<typeof Edit>;
export type Summary = v.InferOutput<typeof Summary>;

/** Returns a state as JSON that its schema can read. */
export function toFormJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (member === undefined) return null;
    return member instanceof Map || member instanceof Set ? [...member] : member;
  });
}
