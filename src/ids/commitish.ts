/** Texts that stand for a commit (2.1): an object id, or the name of a reference. */
import { ApiError } from "../errors.ts";
import { type Oid, parseOid } from "./oid.ts";
import { isRefname } from "./refname.ts";

/** A possible name of a reference, not yet found. The mark is for compilers; there is no such member. */
export type RefName = string & { readonly __refName: true };

/** An object id or a name; `isOid` tells which. */
export type Commitish = Oid | RefName;

/** Stands for bytes of a query that are not UTF-8. Choice: no name has it. */
const REPLACEMENT = "\ufffd";

const DIGITS = /^[0-9a-f]+$/i;

/** Whether a text is an object id in any case: hexadecimal digits alone are never a name. */
export function hasDigitsOnly(text: string): boolean {
  return DIGITS.test(text);
}

/**
 * Reads a text that stands for a commit. 1 to 40 hexadecimal digits are an id, as of {@link parseOid}.
 *
 * @throws {ApiError} `badParameter` for more digits, for names that `git check-ref-format` refuses, and for
 *   what is not UTF-8.
 */
export function parseCommitish(text: string): Commitish {
  if (hasDigitsOnly(text)) return parseOid(text);
  if (isRefname(text) && !text.includes(REPLACEMENT)) return text as RefName;
  throw new ApiError(
    "badParameter",
    `Cannot read commit "${text}": expected 1 to 40 hexadecimal digits, or the name of a reference`,
  );
}
