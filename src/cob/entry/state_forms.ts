/**
 * Forms of the members of states, as valibot schemas: a state has its type from its form, by which it is also
 * read where it was saved. In JSON maps are lists of pairs, sets are lists, and null stands for `undefined`.
 */
import * as v from "valibot";
import type { Did, NodeId } from "../../ids/nid.ts";
import { isOid, type Oid } from "../../ids/oid.ts";
import { Embed } from "./entry.ts";
import { Text } from "./fields.ts";

/** Canonical node ids, by their letters alone. */
const NID = /^z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;
const DID_PREFIX = "did:key:";

/** A full object id. */
export const FullOid = v.custom<Oid>((value) => typeof value === "string" && isOid(value));
/** A node id. */
export const FullNid = v.custom<NodeId>((value) => typeof value === "string" && NID.test(value));
/** The id of a node as a delegate or assignee. */
export const FullDid = v.custom<Did>((value) =>
  typeof value === "string" && value.startsWith(DID_PREFIX) && NID.test(value.slice(DID_PREFIX.length))
);
/** A whole number, from 0 on. */
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** A time, in whole seconds since the epoch. */
export const Seconds = v.pipe(v.number(), v.integer());

/** A member that is there, but may be `undefined`. */
export function orUndefined<T>(form: v.GenericSchema<unknown, T>) {
  return v.pipe(v.nullable(form), v.transform((value): T | undefined => value ?? undefined));
}

/** A list, which is replaced and never changed in place. */
export function listOf<T>(item: v.GenericSchema<unknown, T>) {
  return v.pipe(v.array(item), v.transform((items): readonly T[] => items));
}

/** As {@link listOf}, with one item at least. */
export function someOf<T>(item: v.GenericSchema<unknown, T>) {
  return v.pipe(v.tupleWithRest([item], item), v.transform((items): readonly [T, ...T[]] => items));
}

/** A map; a repeated key is refused. */
export function mapOf<K, V>(key: v.GenericSchema<unknown, K>, value: v.GenericSchema<unknown, V>) {
  return v.pipe(
    v.array(v.strictTuple([key, value])),
    v.check((pairs) => new Set(pairs.map(([key]) => key)).size === pairs.length, "Expected each key once"),
    v.transform((pairs): Map<K, V> => new Map(pairs as [K, V][])),
  );
}

/** A set of object ids. */
export const OidSet = v.pipe(v.array(FullOid), v.transform((ids): ReadonlySet<Oid> => new Set(ids)));

/** Members of issues and patches. */
export const objectMembers = {
  id: FullOid,
  author: FullNid,
  /** Time of opening. */
  timeSeconds: Seconds,
  title: Text,
  /** Ascending by bytes, no repetitions. */
  labels: listOf(Text),
  /** Comments, revisions and reviews with cut texts; absent when all of the object is whole. */
  truncated: v.exactOptional(OidSet),
};

/** Members of a version of a text, besides the text. */
const versionMembers = {
  /** Author of the version. Delegates may edit comments of other nodes. */
  author: FullNid,
  timeSeconds: Seconds,
  embeds: listOf(Embed),
};

/** A version of a comment or description. */
export const Edit = v.pipe(v.strictObject({ ...versionMembers, body: Text }), v.readonly());
/** A version of a review's summary; `body` is null for a review without a summary. */
export const Summary = v.pipe(v.strictObject({ ...versionMembers, body: v.nullable(Text) }), v.readonly());

export type Edit = v.InferOutput<typeof Edit>;
export type Summary = v.InferOutput<typeof Summary>;

/** The JSON of a state or another value, as its form reads it. */
export function toFormJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (member === undefined) return null;
    return member instanceof Map || member instanceof Set ? [...member] : member;
  });
}
