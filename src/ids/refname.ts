/** Names of references, and texts that identify commits. */
import { UnreadableIdError } from "../errors.ts";
import { type Oid, parseOid } from "./oid.ts";

// deno-lint-ignore no-control-regex -- control characters are what the rule is about
const FORBIDDEN = /[\x00-\x20\x7f\\~^:?[*]|\.\.|@\{/;

/** Whether git accepts the text as the name of a reference. Such a name is also a safe relative path. */
export function isRefname(name: string): boolean {
  if (name === "" || name === "@" || FORBIDDEN.test(name)) return false;
  return name.split("/").every((part) =>
    part !== "" && !part.startsWith(".") && !part.endsWith(".") && !part.endsWith(".lock")
  );
}

/**
 * A component that the Radicle programs reject as if it contained `@{`: they also check the pair of its last
 * and its first character.
 */
const ROUND = /(?:^|\/)\{(?:[^/]*)@(?:\/|$)/;

/**
 * Whether the Radicle programs accept the text as a reference name inside JSON: the same as
 * {@link isRefname}, except for one form of name.
 */
export function isRefString(name: string): boolean {
  return isRefname(name) && !ROUND.test(name);
}

/**
 * Whether a reference may be stored under this name: `HEAD`, or a valid name below `refs/`. Such a name is a
 * safe relative path.
 */
export function isStoredName(name: string): boolean {
  return name === "HEAD" || (name.startsWith("refs/") && isRefname(name));
}

/**
 * A selection of references, as in `Repository.refs`: names below a prefix, or one name. `*` matches any one
 * component.
 */
export interface RefPattern {
  /** The components; `*` matches any one. */
  readonly parts: readonly string[];
  /** Whether names that continue after the components are selected, or only names that end there. */
  readonly isPrefix: boolean;
}

/** Parses a selection; `undefined` when no reference can match. */
export function parseRefPattern(text: string): RefPattern | undefined {
  const isPrefix = text.endsWith("/");
  const parts = (isPrefix ? text.slice(0, -1) : text).split("/");
  const example = parts.map((part) => part === "*" ? "any" : part).join("/") + (isPrefix ? "/any" : "");
  if (!isStoredName(example)) return undefined;
  return { parts, isPrefix };
}

/** A possible name of a reference, not yet resolved. The member `__refName` exists only for the compiler. */
export type RefName = string & { readonly __refName: true };

/** An object id or a name; `isOid` distinguishes them. */
export type Commitish = Oid | RefName;

const DIGITS = /^[0-9a-f]+$/i;

/** Whether a text consists only of hexadecimal digits: it then is an object id, never a name. */
export function hasDigitsOnly(text: string): boolean {
  return DIGITS.test(text);
}

/**
 * Parses a text that identifies a commit. 1 to 40 hexadecimal digits are an id, as for {@link parseOid}.
 *
 * @throws {UnreadableIdError} for more than 40 digits, and for names that `git check-ref-format` refuses.
 */
export function parseCommitish(text: string): Commitish {
  if (hasDigitsOnly(text)) return parseOid(text);
  if (isRefname(text)) return text as RefName;
  throw new UnreadableIdError(
    `Cannot read commit "${text}": expected 1 to 40 hexadecimal digits, or the name of a reference`,
  );
}
