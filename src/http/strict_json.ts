/**
 * Parses request bodies as JSON (RFC 8259) with the restrictions of I-JSON (RFC 7493), so that every accepted
 * text has exactly one meaning. `JSON.parse` does not suffice: it takes the last of duplicate members and
 * accepts lone surrogates, so the checked value could differ from the stored one.
 */
import { ApiError } from "../errors.ts";
import { JsonSyntaxError } from "../text/json_index.ts";
import { type JsonBuilder, readJsonInSteps } from "../text/json_reader.ts";
import type { Steps } from "../scheduling/task.ts";

/** Deepest nesting of arrays and objects; the bodies of the API need four levels. */
export const MAX_JSON_DEPTH = 128;
/** Most values in one text, nested values included. A small value takes far more memory than its text. */
export const MAX_JSON_VALUES = 100_000;

/** Longest member name that an error message quotes, in characters. */
const MAX_SHOWN_NAME = 64;

/**
 * Parses a JSON text in steps. The objects of the result have no prototype, so a missing member is
 * `undefined` even if its name is that of a method, such as `toString`.
 *
 * @throws {ApiError} `badRequest` for a syntax error, text after the value, a lone surrogate, a number out of
 *   range, more than {@link MAX_JSON_DEPTH} levels or {@link MAX_JSON_VALUES} values; `unprocessable` for
 *   duplicate members of an object.
 */
export function* parseStrictJson(text: string): Steps<unknown> {
  const builder = new StrictBuilder();
  const value = yield* read(text, builder);
  // Reported after the syntax errors: a text that is not JSON is a `badRequest`.
  if (builder.twice === undefined) return value;
  const name = builder.twice.slice(0, MAX_SHOWN_NAME);
  throw new ApiError("unprocessable", `Request body has the member "${name}" twice in one object`);
}

/** Builds plain values. */
class StrictBuilder implements JsonBuilder<unknown> {
  /** Name of the first duplicate member. */
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

function* read(text: string, builder: StrictBuilder): Steps<unknown> {
  try {
    return yield* readJsonInSteps(text, builder, { maxDepth: MAX_JSON_DEPTH, maxValues: MAX_JSON_VALUES });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ApiError("badRequest", `Cannot read the request body as JSON: ${error.message}`);
  }
}
