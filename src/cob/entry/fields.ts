/**
 * Valibot schemas of members that several types of actions share. The same schemas check stored actions and
 * request bodies.
 */
import * as v from "valibot";
import { type Did, tryParseDid } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { POSITIONAL } from "./stored_value.ts";

/** Text in well-formed Unicode. The real programs refuse lone surrogates, which JSON can encode. */
export const Text = v.pipe(
  v.string(),
  v.check((text) => text.isWellFormed(), "Expected well-formed Unicode"),
);

/**
 * An object id of 1 to 40 digits, upper or lower case. Short ids are padded with zeros on the right, as
 * libgit2 does.
 */
export const OidText = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{1,40}$/, "Expected 1 to 40 hexadecimal digits"),
  v.transform((text) => text.toLowerCase().padEnd(40, "0") as Oid),
);

/** A member that is optional in an object. In an array its place must be filled, if necessary with null. */
export function nullIfMissing<S extends v.GenericSchema>(schema: S) {
  return v.pipe(v.nullish(schema, null), v.metadata(POSITIONAL));
}

/** A DID in any multibase spelling, converted to the canonical spelling. */
export const DidText = v.pipe(
  v.string(),
  v.rawTransform<string, Did>(({ dataset, addIssue, NEVER }) => {
    const did = tryParseDid(dataset.value);
    if (did !== undefined) return did;
    addIssue({ message: "Expected did:key:z6Mk…" });
    return NEVER;
  }),
);

/**
 * Order of the items of a set. It is attached to a schema as metadata, and marks the output as a sorted set.
 */
export interface SetOrder<T> {
  readonly compare: (a: T, b: T) => number;
}

/** An array, converted to a set: ascending, without repetitions. */
export function sortedSet<S extends v.GenericSchema>(
  item: S,
  compare: (a: v.InferOutput<S>, b: v.InferOutput<S>) => number,
) {
  type Item = v.InferOutput<S>;
  return v.pipe(
    v.array(item),
    v.transform((items): Item[] => withoutRepetitions([...items as Item[]].sort(compare), compare)),
    v.metadata({ compare }),
  );
}

/** A set of texts, ascending by bytes. */
export const Labels = sortedSet(Text, compareUtf8);

/**
 * A set of DIDs, ascending by key. Canonical DIDs all have the same length, so this is also the order of
 * their texts.
 */
export const Assignees = sortedSet(DidText, compareUtf8);

/** Whether two lists contain the same texts in the same order. Sets are always in ascending order. */
export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function withoutRepetitions<T>(sorted: readonly T[], compare: (a: T, b: T) => number): T[] {
  return sorted.filter((item, i) => i === 0 || compare(sorted[i - 1]!, item) !== 0);
}
