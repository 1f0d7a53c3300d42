/** Names in archives: which names are refused, and which names a file system takes for the same. */
import { IGNORED_CHARACTERS, isEntryName, NotFoundError, type TreeCursor } from "../../src/mod.ts";

/**
 * Names that lead elsewhere on systems where a backslash is a slash: with a drive (`C:x`), a backslash at the
 * start, or `..` next to a backslash. Choice: every other name stays that git accepts with `core.protectNTFS`
 * and `core.protectHFS`, also names of devices (`NUL`, `aux.txt`) and names of dots alone: they cannot do
 * harm.
 */
const LEADS_ELSEWHERE = /^[A-Za-z]:|^\\|^\.\.\\|\\\.\.(?:\\|$)/;
/** Invisible characters, which errors show as escapes. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Longest part of a name that an error shows, in characters. */
const SHOWN_LENGTH = 200;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export function bytesOfName({ bytes, nameStart, nameEnd }: TreeCursor): Uint8Array {
  return bytes.subarray(nameStart, nameEnd);
}

/** The name of the entry at a cursor, as text. Bytes that are not UTF-8 are replaced. */
export function nameOf(cursor: TreeCursor): string {
  return utf8.decode(bytesOfName(cursor));
}

/**
 * Refuses names that git refuses to check out on any system, and names that lead elsewhere on some system.
 *
 * @param name Text as {@link nameOf} returns it.
 *
 * @throws {NotFoundError}
 */
export function checkName(name: string): void {
  if (!isEntryName(name)) {
    throw new NotFoundError(`Repository data is damaged: a tree has the name ${showName(name)}`);
  }
  if (LEADS_ELSEWHERE.test(name)) {
    throw new NotFoundError(
      `An archive cannot have the name ${showName(name)}: it may lead elsewhere`,
    );
  }
}

/**
 * Reduces a name to what file systems of macOS and Windows compare: without case, with one form of accents,
 * without the characters that HFS+ ignores, dots and spaces at the end, and the stream of a file
 * (`name:stream`).
 */
export function foldName(name: string): string {
  const [seen = ""] = name.replace(IGNORED_CHARACTERS, "").split(":", 1);
  let end = seen.length;
  while (end > 0 && (seen[end - 1] === "." || seen[end - 1] === " ")) end--;
  // `ẞ` needs capital letters first. Small letters come last, so that letters which share a capital become
  // equal.
  return seen.slice(0, end).toLowerCase().toUpperCase().toLowerCase().normalize("NFD");
}

/** The start of a name in quotes, with escapes for invisible characters. */
export function showName(name: string): string {
  const shown = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
  const escaped = shown.replace(/["\\]/g, "\\$&")
    .replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`);
  return `"${escaped}"`;
}
