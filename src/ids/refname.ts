/** Names of references, and names that stand for commits. */
import { UnreadableIdError } from "../errors.ts";
import { type Oid, parseOid } from "./oid.ts";

// deno-lint-ignore no-control-regex -- control characters are what the rule is about
const FORBIDDEN = /[\x00-\x20\x7f\\~^:?[*]|\.\.|@\{/;

/** Whether the text is a name that git accepts for a reference. It then also is a safe relative path. */
export function isRefname(name: string): boolean {
  if (name === "" || name === "@" || FORBIDDEN.test(name)) return false;
  return name.split("/").every((part) =>
    part !== "" && !part.startsWith(".") && !part.endsWith(".") && !part.endsWith(".lock")
  );
}

/**
 * A component that the real programs mistake for one with `@{`, because they join its end to its beginning.
 */
const ROUND = /(?:^|\/)\{(?:[^/]*)@(?:\/|$)/;

/**
 * Whether the real programs accept the text as a reference name inside JSON: {@link isRefname}, minus one
 * form of name.
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
 * A selection of references, as `Repository.refs` takes it: names below a prefix, or one name; `*` matches
 * any one component.
 */
export interface RefPattern {
  /** The components, `*` among them. */
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

/** A possible name of a reference, not yet found. The mark is for compilers; there is no such member. */
export type RefName = string & { readonly __refName: true };

/** An object id or a name; `isOid` tells which. */
export type Commitish = Oid | RefName;

const DIGITS = /^[0-9a-f]+$/i;

/** Whether a text is an object id in any case: hexadecimal digits alone are never a name. */
export function hasDigitsOnly(text: string): boolean {
  return DIGITS.test(text);
}

/**
 * Reads a text that stands for a commit. 1 to 40 hexadecimal digits are an id, as of {@link parseOid}.
 *
 * @throws {UnreadableIdError} for more digits, and for names that `git check-ref-format` refuses.
 */
export function parseCommitish(text: string): Commitish {
  if (hasDigitsOnly(text)) return parseOid(text);
  if (isRefname(text)) return text as RefName;
  throw new UnreadableIdError(
    `Cannot read commit "${text}": expected 1 to 40 hexadecimal digits, or the name of a reference`,
  );
}
