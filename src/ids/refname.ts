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
