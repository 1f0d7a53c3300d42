/**
 * JSON without ambiguity (RFC 8259, with the restrictions of I-JSON, RFC 7493): every text has one meaning or none. JSON.parse does not do:
 * it keeps the last of several equal members and lets lone surrogates pass, so what was checked might not be what is stored.
 */
import { ApiError } from "../errors.ts";
import { JsonSyntaxError } from "../text/json_index.ts";
import { type JsonBuilder, readJson } from "../text/json_reader.ts";

/** Deepest nesting of arrays and objects; the bodies of the API need four. */
export const MAX_JSON_DEPTH = 128;
/** Most values in one text, members and items included: small ones take far more memory than their text. */
export const MAX_JSON_VALUES = 100_000;

/** Longest member name that an error repeats. */
const MAX_SHOWN_NAME = 64;

/**
 * The value of a JSON text. Its objects have no prototype: a missing member is `undefined`, whatever its name.
 *
 * @throws {ApiError} `badRequest` for what is not JSON, text after the value, lone surrogates, numbers out of range, more than
 * {@link MAX_JSON_DEPTH} levels or {@link MAX_JSON_VALUES} values; `unprocessable` for JSON with two equal members in one object.
 */
export function parseStrictJson(text: string): unknown {
  const builder = new StrictBuilder();
  const value = read(text, builder);
  // Not before the end: a text that breaks off later is no JSON at all.
  if (builder.twice === undefined) return value;
  const name = builder.twice.slice(0, MAX_SHOWN_NAME);
  throw new ApiError("unprocessable", `Request body has the member "${name}" twice in one object`);
}

/** Makes plain values. */
class StrictBuilder implements JsonBuilder<unknown> {
  /** A member that was in one object twice. */
  twice: string | undefined;

  literal(value: boolean | null): boolean | null {
    return value;
  }

  number(digits: string): number {
    return Number(digits);
  }

  string(text: string): string {
    return text;
  }

  array(items: unknown[]): readonly unknown[] {
    return items;
  }

  object(members: [string, unknown][]): Record<string, unknown> {
    const object: Record<string, unknown> = Object.create(null);
    for (const [name, value] of members) {
      if (name in object) this.twice ??= name;
      object[name] = value;
    }
    return object;
  }
}

function read(text: string, builder: StrictBuilder): unknown {
  try {
    return readJson(text, builder, { maxDepth: MAX_JSON_DEPTH, maxValues: MAX_JSON_VALUES });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ApiError("badRequest", `Cannot read the request body as JSON: ${error.message}`);
  }
}
