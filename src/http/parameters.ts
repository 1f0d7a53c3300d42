/**
 * Reads percent-encoded parameters of paths (RFC 3986, 2.1) and queries (4.1). In a query, a known name may
 * occur only once, and unknown names are ignored.
 */
import { HttpError } from "./errors.ts";
import * as v from "valibot";
import { parseInteger } from "../text/integers.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossyUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes a parameter of a path. A percent sign without two hexadecimal digits is not changed.
 *
 * @param name Name of the parameter, for the error message.
 * @throws {HttpError} `badParameter` when the decoded bytes are not UTF-8.
 */
export function decodePercent(text: string, name: string): string {
  if (!text.includes("%")) return text;
  try {
    return utf8.decode(decodeBytes(text));
  } catch {
    throw new HttpError("badParameter", `Invalid UTF-8 in \`${name}\``);
  }
}

/** Decodes percent escapes to bytes. All other characters must be US-ASCII. */
function decodeBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const escape = /^%([0-9a-fA-F]{2})/.exec(text.slice(at, at + 3))?.[1];
    if (escape === undefined) {
      bytes.push(text.charCodeAt(at));
    } else {
      bytes.push(parseInt(escape, 16));
      at += 2;
    }
  }
  return Uint8Array.from(bytes);
}

const MAX_UNSIGNED = 2n ** 64n - 1n;
const MAX_SIGNED = 2n ** 63n - 1n;
const integer = <T>(pattern: RegExp, min: bigint, max: bigint, read: (text: string) => T) =>
  v.pipe(
    v.string(),
    v.regex(pattern),
    v.check((text) => BigInt(text.replace("+", "")) >= min && BigInt(text.replace("+", "")) <= max),
    v.transform(read),
  );

/**
 * Schema of an integer from 0 to 2^64 - 1, the range of `radicle-httpd`. Large integers are rounded to a
 * JavaScript number.
 */
export const UnsignedInteger = integer(/^\+?\d{1,20}$/, 0n, MAX_UNSIGNED, Number);
/** Schema of an integer from -2^63 to 2^63 - 1. */
export const SignedInteger = integer(/^[+-]?\d{1,19}$/, -MAX_SIGNED - 1n, MAX_SIGNED, parseInteger);

/**
 * Reads the query of a URL and checks it against a schema of optional members.
 *
 * @throws {HttpError} `badParameter` when a known name occurs twice, or its value is not UTF-8 or does not
 * match the schema.
 */
export function readQuery<Schema extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  url: URL,
  schema: Schema,
): v.InferOutput<Schema> {
  const given: Record<string, string> = {};
  for (const [encodedName, encodedValue] of queryParameters(url)) {
    const name = lossyUtf8.decode(decodeBytes(encodedName));
    if (!Object.hasOwn(schema.entries, name)) continue;
    if (Object.hasOwn(given, name)) {
      throw new HttpError("badParameter", `Query parameter "${name}" is given twice`);
    }
    given[name] = decodePercent(encodedValue, name);
  }
  const parsed = v.safeParse(schema, given, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const name = String(parsed.issues[0].path?.[0].key ?? "");
  throw new HttpError(
    "badParameter",
    `Cannot read query parameter "${name}": unexpected value "${given[name] ?? ""}"`,
  );
}

/**
 * Yields the names and values of a query, still percent-encoded (URL Standard,
 * application/x-www-form-urlencoded).
 */
function* queryParameters({ search }: URL): Generator<readonly [name: string, value: string]> {
  for (const parameter of search.slice(1).replaceAll("+", "%20").split("&")) {
    const end = parameter.indexOf("=");
    if (end >= 0) yield [parameter.slice(0, end), parameter.slice(end + 1)];
    else if (parameter !== "") yield [parameter, ""];
  }
}
