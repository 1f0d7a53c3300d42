/** Names of references, and texts that identify commits. */
import { UnreadableIdError } from "../errors.ts";
import { type Oid, parseOid } from "./oid.ts";

// deno-lint-ignore no-control-regex -- the rule concerns control characters
const FORBIDDEN = /[\x00-\x20\x7f\\~^:?[*]|\.\.|@\{/;

/**
 * Checks whether git accepts the text as the name of a reference. An accepted name is also a safe relative
 * path.
 */
export function isRefname(name: string): boolean {
  if (name === "" || name === "@" || FORBIDDEN.test(name)) return false;
  return name.split("/").every((part) =>
    part !== "" && !part.startsWith(".") && !part.endsWith(".") && !part.endsWith(".lock")
  );
}

/**
 * Matches a name with a component that begins with `{` and ends with `@`. The Radicle programs reject such a
 * component as if it contained `@{`.
 */
const ROUND = /(?:^|\/)\{(?:[^/]*)@(?:\/|$)/;

/**
 * Checks whether the Radicle programs accept the text as a reference name inside JSON: the names of
 * {@link isRefname}, except names that {@link ROUND} matches.
 */
export function isRefString(name: string): boolean {
  return isRefname(name) && !ROUND.test(name);
}

/**
 * Checks whether a reference may be stored under this name: `HEAD`, or a valid name below `refs/`. An
 * accepted name is a safe relative path.
 */
export function isStoredName(name: string): boolean {
  return name === "HEAD" || (name.startsWith("refs/") && isRefname(name));
}

/**
 * A parsed pattern that selects references: one name, or all names below a prefix. `*` matches any one
 * component.
 */
export interface RefPattern {
  /** The components of the name. `*` matches any component. */
  readonly parts: readonly string[];
  /**
   * Whether the pattern also selects names with further components (`true`), or only names with exactly these
   * components (`false`).
   */
  readonly isPrefix: boolean;
}

/** Parses a pattern; `undefined` when no reference can match. */
export function parseRefPattern(text: string): RefPattern | undefined {
  const isPrefix = text.endsWith("/");
  const parts = (isPrefix ? text.slice(0, -1) : text).split("/");
  const example = parts.map((part) => part === "*" ? "any" : part).join("/") + (isPrefix ? "/any" : "");
  if (!isStoredName(example)) return undefined;
  return { parts, isPrefix };
}

/** A possible name of a reference. The property `__refName` exists only for the compiler. */
export type RefName = string & { readonly __refName: true };

/** An object id or a name. `isOid` distinguishes the two. */
export type Commitish = Oid | RefName;

const DIGITS = /^[0-9a-f]+$/i;

/**
 * Checks whether a text consists only of hexadecimal digits. Such a text is always an object id, never a
 * name.
 */
export function hasDigitsOnly(text: string): boolean {
  return DIGITS.test(text);
}

/**
 * Parses a text that identifies a commit: an id of 1 to 40 hexadecimal digits ({@link parseOid}), or a name.
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
