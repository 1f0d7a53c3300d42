/** Decodes stored actions as the real programs do. */
import * as v from "valibot";
import type { Steps } from "../../async/time_slices.ts";
import { OidText, type SetOrder } from "./fields.ts";
import type { Rules } from "../rules.ts";
import { type LongArray, toPlainForm } from "./serde_form.ts";

/** Items of a set merged in one step. */
const STEP_ITEMS = 1024;

/**
 * Object ids of exactly 40 digits. In each byte, a plus sign may take the place of the first digit, as Rust
 * parses numbers.
 */
const FULL = /^[0-9a-f]{40}$/;
const FULL_IN_BYTES = /^(?:[0-9a-fA-F]{2}|\+[0-9a-fA-F]){20}$/;
const SHORT = /^[0-9a-fA-F]{1,40}$/;

/**
 * Reads an object id of 1 to 40 digits of either case, as a generation does in actions and trailers;
 * `undefined` for any other text.
 */
export function readStoredOid(text: string, { oids }: Pick<Rules, "oids">): string | undefined {
  if (FULL.test(text)) return text;
  if (oids === "short") return SHORT.test(text) ? text : undefined;
  return FULL_IN_BYTES.test(text) ? text.replaceAll("+", "0") : undefined;
}

/**
 * Decodes a stored value by a schema; `undefined` when the real programs would refuse the value.
 *
 * @param names Types of actions by number, if the real programs accept numbers.
 */
export function* decodeStored<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  rules: Rules,
  names?: readonly string[],
): Steps<v.InferOutput<S> | undefined> {
  const plain = yield* toPlainForm(schema, value, {
    oid: OidText,
    readOid: (text) => readStoredOid(text, rules),
    ...names && { names },
  });
  if (plain === undefined) return undefined;
  const { success, output } = v.safeParse(schema, plain.value, { abortEarly: true });
  if (!success || plain.slices.size === 0) return success ? output : undefined;
  const long: Record<string, readonly unknown[]> = {};
  for (const [name, array] of plain.slices) long[name] = yield* join(array);
  return { ...output as object, ...long } as v.InferOutput<S>;
}

/** Joins the slices of a long array: into a set, if its schema makes sets. */
function* join({ schema, outputs }: LongArray): Steps<readonly unknown[]> {
  const { compare } = v.getMetadata(schema) as Partial<SetOrder<unknown>>;
  if (compare === undefined) {
    const all: unknown[] = [];
    for (const output of outputs) {
      all.push(...output);
      yield undefined;
    }
    return all;
  }
  let sets = outputs;
  while (sets.length > 1) {
    const merged: (readonly unknown[])[] = [];
    for (let i = 0; i < sets.length; i += 2) {
      merged.push(yield* mergeSets(sets[i]!, sets[i + 1] ?? [], compare));
      yield undefined;
    }
    sets = merged;
  }
  return sets[0]!;
}

function* mergeSets<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const order = j === b.length ? -1 : i === a.length ? 1 : compare(a[i]!, b[j]!);
    merged.push(order > 0 ? b[j]! : a[i]!);
    if (order <= 0) i++;
    if (order >= 0) j++;
    if (merged.length % STEP_ITEMS === 0) yield undefined;
  }
  return merged;
}
