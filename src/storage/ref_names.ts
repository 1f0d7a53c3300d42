/** Which names references have in a storage, and how some of them are selected. */
import { isRefname } from "../ids/refname.ts";

/** Whether a reference may be kept under this name: `HEAD`, or a valid name below `refs/`. Such a name is a safe relative path. */
export function isStoredName(name: string): boolean {
  return name === "HEAD" || (name.startsWith("refs/") && isRefname(name));
}

/** A selection of references, as `Repository.refs` takes it: names below a prefix, or one name; `*` stands for any one component. */
export interface RefPattern {
  /** The components, `*` among them. */
  readonly parts: readonly string[];
  /** Whether names are selected that go on after the components; else only those that end there. */
  readonly isPrefix: boolean;
  matches(name: string): boolean;
}

/** Reads a selection; `undefined` when no reference can have such a name. */
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
