/** Names in archives: which ones are refused, and which ones a file system takes for the same. */
import { NotFoundError } from "../../src/errors.ts";
import { IGNORED_CHARACTERS, isEntryName } from "../../src/git/encode.ts";
import type { TreeCursor } from "../../src/git/tree.ts";

/**
 * Names that lead elsewhere where a backslash is a slash: with a drive (`C:x`), a backslash in front, or `..`
 * at a backslash. Choice: all others stay that git takes with `core.protectNTFS` and `core.protectHFS`, also
 * names of devices (`NUL`, `aux.txt`) and of dots alone: they cannot harm.
 */
const LEADS_ELSEWHERE = /^[A-Za-z]:|^\\|^\.\.\\|\\\.\.(?:\\|$)/;
/** Characters that an error does not show as they are. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Characters of a name that an error shows. */
const SHOWN_LENGTH = 200;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The bytes of the name of the entry at a cursor. */
export function bytesOfName({ bytes, nameStart, nameEnd }: TreeCursor): Uint8Array {
  return bytes.subarray(nameStart, nameEnd);
}

/** The name of the entry at a cursor, as text: bytes that are not UTF-8 are replaced. */
export function nameOf(cursor: TreeCursor): string {
  return utf8.decode(bytesOfName(cursor));
}

/**
 * Refuses names that git refuses to check out, on whatever system, and names that lead elsewhere on some
 * system.
 *
 * @param name As {@link nameOf}.
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
 * A name as file systems of macOS and Windows compare it: without case, in one form of accents, without
 * characters that HFS+ ignores, dots and spaces at the end, and the stream of a file (`name:stream`).
 */
export function foldName(name: string): string {
  const [seen = ""] = name.replace(IGNORED_CHARACTERS, "").split(":", 1);
  let end = seen.length;
  while (end > 0 && (seen[end - 1] === "." || seen[end - 1] === " ")) end--;
  // Capital letters first for `ẞ`, small ones last: letters with one capital become equal.
  return seen.slice(0, end).toLowerCase().toUpperCase().toLowerCase().normalize("NFD");
}

/** The start of a name in quotes, with escapes for all that is not seen. */
export function showName(name: string): string {
  const shown = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
  const escaped = shown.replace(/["\\]/g, "\\$&")
    .replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`);
  return `"${escaped}"`;
}
