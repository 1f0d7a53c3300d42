/** Decodes stored actions (the steps of a change) in the same way as the Radicle programs. */
import * as v from "valibot";
import { sortInSteps } from "../../scheduling/sort_in_steps.ts";
import type { Steps } from "../../scheduling/task.ts";
import { OidText, type SetOrder } from "./fields.ts";
import type { Rules } from "../rules.ts";
import { toPlainForm } from "./serde_form.ts";
import { toStoredJson } from "./stored_json.ts";
import { JsonNode } from "../../text/json_index.ts";

/** Number of items of a set after which the computation yields. */
const STEP_ITEMS = 256;

const FULL = /^[0-9a-f]{40}$/;
/**
 * Matches object ids of 40 digits, as Rust parses them byte by byte. In each byte, a plus sign may replace
 * the first digit.
 */
const FULL_IN_BYTES = /^(?:[0-9a-fA-F]{2}|\+[0-9a-fA-F]){20}$/;
const SHORT = /^[0-9a-fA-F]{1,40}$/;

/**
 * Reads an object id in an action or a trailer. Depending on the generation of Radicle programs, the id has 1
 * to 40 digits, or exactly 40. Returns `undefined` for any other text.
 */
export function readStoredOid(text: string, { oids }: Pick<Rules, "oids">): string | undefined {
  if (FULL.test(text)) return text;
  if (oids === "short") return SHORT.test(text) ? text : undefined;
  return FULL_IN_BYTES.test(text) ? text.replaceAll("+", "0") : undefined;
}

/**
 * Decodes a stored value by a schema. Returns `undefined` if the Radicle programs would refuse the value.
 *
 * @param value A JSON node, or the plain data of an action that is not stored yet.
 * @param names Types of actions by number, if the Radicle programs accept numbers.
 */
export function* decodeStored<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  rules: Rules,
  names?: readonly string[],
): Steps<v.InferOutput<S> | undefined> {
  const stored = value instanceof JsonNode ? value : yield* toStoredJson(value);
  const plain = stored && (yield* toPlainForm(schema, stored, {
    oid: OidText,
    readOid: (text) => readStoredOid(text, rules),
    ...names && { names },
  }));
  if (plain === undefined) return undefined;
  const { success, output } = v.safeParse(schema, plain.value, { abortEarly: true });
  if (!success || plain.lists.size === 0) return success ? output : undefined;
  const lists: Record<string, readonly unknown[]> = {};
  for (const [name, { schema, items }] of plain.lists) {
    const { compare } = v.getMetadata(schema) as Partial<SetOrder<unknown>>;
    lists[name] = compare === undefined ? items : yield* toSet(items, compare);
  }
  return { ...output as object, ...lists } as v.InferOutput<S>;
}

function* toSet<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<readonly T[]> {
  const sorted = yield* sortInSteps(items, compare);
  const set: T[] = [];
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || compare(sorted[i - 1]!, sorted[i]!) !== 0) set.push(sorted[i]!);
    if (i % STEP_ITEMS === STEP_ITEMS - 1) yield undefined;
  }
  return set;
}
