/**
 * Valibot schemas of members that actions of several types share. They check stored actions and request
 * bodies alike.
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
 * An object id of 1 to 40 digits of either case, short ones padded with zeros on the right, as libgit2 reads
 * them.
 */
export const OidText = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{1,40}$/, "Expected 1 to 40 hexadecimal digits"),
  v.transform((text) => text.toLowerCase().padEnd(40, "0") as Oid),
);

/** A member that an object may omit, but an array may not. In an array, null stands for it. */
export function nullIfMissing<S extends v.GenericSchema>(schema: S) {
  return v.pipe(v.nullish(schema, null), v.metadata(POSITIONAL));
}

/** A DID in any multibase spelling, transformed to the canonical one. */
export const DidText = v.pipe(
  v.string(),
  v.rawTransform<string, Did>(({ dataset, addIssue, NEVER }) => {
    const did = tryParseDid(dataset.value);
    if (did !== undefined) return did;
    addIssue({ message: "Expected did:key:z6Mk…" });
    return NEVER;
  }),
);

/** Order of the items of a set. As metadata of a schema it marks the output as a sorted set. */
export interface SetOrder<T> {
  readonly compare: (a: T, b: T) => number;
}

/** An array transformed to a set: ascending, without repetitions. */
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

/** A set of DIDs, ascending by key, which is ascending by text: all canonical ones are of one length. */
export const Assignees = sortedSet(DidText, compareUtf8);

/** Whether two lists hold the same texts in the same order; sets are in ascending order. */
export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function withoutRepetitions<T>(sorted: readonly T[], compare: (a: T, b: T) => number): T[] {
  return sorted.filter((item, i) => i === 0 || compare(sorted[i - 1]!, item) !== 0);
}
