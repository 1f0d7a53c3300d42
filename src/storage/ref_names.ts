/** Which names references have in a storage, and in which order they are listed. */
import { isRefname } from "../ids/refname.ts";

/** Whether a reference may be kept under this name: `HEAD`, or a valid name below `refs/`. Such a name is a safe relative path. */
export function isStoredName(name: string): boolean {
  return name === "HEAD" || (name.startsWith("refs/") && isRefname(name));
}

/**
 * Whether names can begin with this prefix: `refs/`, or a folder below it.
 *
 * @throws {TypeError} when the prefix does not end in `/`.
 */
export function isStoredPrefix(prefix: string): boolean {
  if (!prefix.endsWith("/")) {
    throw new TypeError(`Cannot list references below "${prefix}": expected a final /`);
  }
  return prefix === "refs/" || isStoredName(prefix.slice(0, -1));
}

/** Orders names by the bytes of their UTF-8, as git does: not quite the order of JavaScript's UTF-16 units. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters after U+FFFF, but their numbers come before U+E000. */
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x2800 : unit;
}
