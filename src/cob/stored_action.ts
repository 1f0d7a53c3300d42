/** Actions as entries hold them, decoded as the real programs do. */
import * as v from "valibot";
import { OidText } from "./fields.ts";
import type { Rules } from "./rules.ts";
import { toPlainForm } from "./serde_form.ts";

/** Object ids of exactly 40 digits; a sign may take the place of the first digit of each byte (as Rust reads numbers). */
const FULL = /^[0-9a-f]{40}$/;
const FULL_IN_BYTES = /^(?:[0-9a-fA-F]{2}|\+[0-9a-fA-F]){20}$/;
const SHORT = /^[0-9a-fA-F]{1,40}$/;

/** An object id as a generation reads it in actions and trailers, in 1 to 40 digits of either case; `undefined` when it is none. */
export function readStoredOid(text: string, { oids }: Pick<Rules, "oids">): string | undefined {
  if (FULL.test(text)) return text;
  if (oids === "short") return SHORT.test(text) ? text : undefined;
  return FULL_IN_BYTES.test(text) ? text.replaceAll("+", "0") : undefined;
}

/**
 * The action of a schema that a stored value is; `undefined` when the real programs would not take it for one.
 *
 * @param names Types of actions by number, where the real programs take numbers for them.
 */
export function decodeStored<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  rules: Rules,
  names?: readonly string[],
): v.InferOutput<S> | undefined {
  const plain = toPlainForm(schema, value, {
    oid: OidText,
    readOid: (text) => readStoredOid(text, rules),
    ...names && { names },
  });
  if (plain === undefined) return undefined;
  const { success, output } = v.safeParse(schema, plain, { abortEarly: true });
  return success ? output : undefined;
}
