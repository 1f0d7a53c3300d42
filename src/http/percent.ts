/** Percent-encoding of path parameters (RFC 3986, 2.1). */
import { ApiError } from "../errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes a path parameter. A percent sign without two hexadecimal digits after it is literal.
 *
 * @param name Name of the parameter, for the error message.
 * @throws {ApiError} `badParameter` when the decoded bytes are not UTF-8.
 */
export function decodePercent(text: string, name: string): string {
  if (!text.includes("%")) return text;
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
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    throw new ApiError("badParameter", `Invalid UTF-8 in \`${name}\``);
  }
}
