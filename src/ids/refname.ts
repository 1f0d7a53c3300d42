/** Reference names (2.1), as `git check-ref-format` allows them, one-level names included. */

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
  matches(name: string): boolean;
}

/** Parses a selection; `undefined` when no reference can match. */
export function parseRefPattern(text: string): RefPattern | undefined {
  const isPrefix = text.endsWith("/");
  const parts = (isPrefix ? text.slice(0, -1) : text).split("/");
  const example = parts.map((part) => part === "*" ? "any" : part).join("/") + (isPrefix ? "/any" : "");
  if (!isStoredName(example)) return undefined;
  if (!parts.includes("*")) {
    const matches = (name: string) => isPrefix ? name.startsWith(text) : name === text;
    return { parts, isPrefix, matches };
  }
  const matches = (name: string) => {
    const names = name.split("/");
    return (isPrefix ? names.length > parts.length : names.length === parts.length) &&
      parts.every((part, i) => part === "*" || part === names[i]);
  };
  return { parts, isPrefix, matches };
}
