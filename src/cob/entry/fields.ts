/**
 * Valibot schemas of properties that several types of actions (such as a comment or an edit of a title)
 * share. These schemas check stored actions and request bodies.
 */
import * as v from "valibot";
import { type Did, tryParseDid } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { POSITIONAL } from "./stored_value.ts";

/** Schema of well-formed Unicode text. The Radicle programs refuse lone surrogates, which JSON can encode. */
export const Text = v.pipe(
  v.string(),
  v.check((text) => text.isWellFormed(), "Expected well-formed Unicode"),
);

/**
 * Schema of an object id of 1 to 40 digits, in upper or lower case. Short ids are padded with zeros on the
 * right, as in libgit2.
 */
export const OidText = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{1,40}$/, "Expected 1 to 40 hexadecimal digits"),
  v.transform((text) => text.toLowerCase().padEnd(40, "0") as Oid),
);

/**
 * Creates the schema of a property that is optional in an object. If the Radicle programs write the object as
 * an array, the value must be present, but may be null.
 */
export function nullIfMissing<S extends v.GenericSchema>(schema: S) {
  return v.pipe(v.nullish(schema, null), v.metadata(POSITIONAL));
}

/** Schema of a DID in any multibase encoding, converted to the canonical encoding. */
export const DidText = v.pipe(
  v.string(),
  v.rawTransform<string, Did>(({ dataset, addIssue, NEVER }) => {
    const did = tryParseDid(dataset.value);
    if (did !== undefined) return did;
    addIssue({ message: "Expected did:key:z6Mk…" });
    return NEVER;
  }),
);

/** Order of the items of a set. A schema with this metadata outputs its items sorted. */
export interface SetOrder<T> {
  readonly compare: (a: T, b: T) => number;
}

/** Creates the schema of an array whose output is a set: in ascending order, without duplicates. */
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

export const Labels = sortedSet(Text, compareUtf8);

/**
 * Schema of a set of DIDs, in ascending order of their keys. All canonical DIDs have the same length, so the
 * order of the texts is the order of the keys.
 */
export const Assignees = sortedSet(DidText, compareUtf8);

/** Checks whether two arrays contain the same texts in the same order. */
export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function withoutRepetitions<T>(sorted: readonly T[], compare: (a: T, b: T) => number): T[] {
  return sorted.filter((item, i) => i === 0 || compare(sorted[i - 1]!, item) !== 0);
}
