/** Query parameters (4.1): known names at most once, values checked with valibot, unknown names ignored. */
import * as v from "valibot";
import { ApiError } from "../errors.ts";

const MAX_UNSIGNED = 2n ** 64n - 1n;
const MAX_SIGNED = 2n ** 63n - 1n;
const integer = (pattern: RegExp, min: bigint, max: bigint) =>
  v.pipe(
    v.string(),
    v.regex(pattern),
    v.check((text) => BigInt(text.replace("+", "")) >= min && BigInt(text.replace("+", "")) <= max),
    v.transform(Number),
  );

/** An integer from 0 to 2^64 - 1, the range of the real service. */
export const UnsignedInteger = integer(/^\+?\d{1,20}$/, 0n, MAX_UNSIGNED);
/** An integer from -2^63 to 2^63 - 1. */
export const SignedInteger = integer(/^[+-]?\d{1,19}$/, -MAX_SIGNED - 1n, MAX_SIGNED);

/**
 * Reads the query of a URL and checks it against a schema of optional members.
 *
 * @throws {ApiError} `badParameter` when a known name occurs twice or its value does not match the schema.
 */
export function readQuery<Schema extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  url: URL,
  schema: Schema,
): v.InferOutput<Schema> {
  const given: Record<string, string> = {};
  for (const [name, value] of url.searchParams) {
    if (!Object.hasOwn(schema.entries, name)) continue;
    if (Object.hasOwn(given, name)) {
      throw new ApiError("badParameter", `Query parameter "${name}" is given twice`);
    }
    given[name] = value;
  }
  const parsed = v.safeParse(schema, given, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const name = String(parsed.issues[0].path?.[0].key ?? "");
  throw new ApiError(
    "badParameter",
    `Cannot read query parameter "${name}": unexpected value "${given[name] ?? ""}"`,
  );
}
