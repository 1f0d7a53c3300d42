/** Decodes stored actions as the real programs do. */
import * as v from "valibot";
import type { Steps } from "../../scheduling/task.ts";
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

/** Joins the slices of a long array, which is empty then: into a set, if its schema makes sets. */
function* join({ schema, outputs }: LongArray): Steps<readonly unknown[]> {
  const { compare } = v.getMetadata(schema) as Partial<SetOrder<unknown>>;
  const all = new Array<unknown>(outputs.reduce((sum, { length }) => sum + length, 0));
  const ends: number[] = [];
  let at = 0;
  for (const output of outputs.splice(0)) {
    for (const item of output) all[at++] = item;
    ends.push(at);
    yield undefined;
  }
  return compare === undefined ? all : yield* mergeSets(all, ends, compare);
}

/**
 * Merges sets that follow each other in a list.
 *
 * @param list Overwritten: two lists take turns, as new ones for each pair of sets would be much garbage.
 * @param ends The end of each set in the list.
 */
function* mergeSets<T>(
  list: T[],
  ends: readonly number[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  let [from, to] = [list, ends.length > 1 ? new Array<T>(list.length) : []];
  while (ends.length > 1) {
    const merged: number[] = [];
    let at = 0;
    for (let set = 0; set < ends.length; set += 2) {
      const middle = ends[set]!;
      const end = ends[set + 1] ?? middle;
      for (let i = set === 0 ? 0 : ends[set - 1]!, j = middle; i < middle || j < end;) {
        const order = j === end ? -1 : i === middle ? 1 : compare(from[i]!, from[j]!);
        to[at++] = order > 0 ? from[j]! : from[i]!;
        if (order <= 0) i++;
        if (order >= 0) j++;
        if (at % STEP_ITEMS === 0) yield undefined;
      }
      merged.push(at);
      yield undefined;
    }
    [from, to, ends] = [to, from, merged];
  }
  from.length = ends[0]!;
  return from;
}
