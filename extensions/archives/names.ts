/** Refuses dangerous names of entries in archives, and finds names that file systems treat as equal. */
import { IGNORED_CHARACTERS, isEntryName, NotFoundError, type TreeCursor } from "../../src/mod.ts";

/**
 * Names that lead out of the folder on systems where a backslash separates folders: names that begin with a
 * drive (`C:x`) or a backslash, or contain `..` next to a backslash. Choice: Every other name that git
 * accepts with `core.protectNTFS` and `core.protectHFS` is allowed, including names of devices (`NUL`,
 * `aux.txt`).
 */
const LEADS_ELSEWHERE = /^[A-Za-z]:|^\\|^\.\.\\|\\\.\.(?:\\|$)/;
/** Invisible characters, which error messages show as escapes. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Maximum length of a name in an error message, in characters. */
const SHOWN_LENGTH = 200;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export function bytesOfName({ bytes, nameStart, nameEnd }: TreeCursor): Uint8Array {
  return bytes.subarray(nameStart, nameEnd);
}

/** Returns the name of the entry at a cursor as text. Bytes that are not UTF-8 are replaced. */
export function nameOf(cursor: TreeCursor): string {
  return utf8.decode(bytesOfName(cursor));
}

/**
 * Refuses a name that git does not check out on some system, or that leads out of the folder on some system.
 *
 * @param name Result of {@link nameOf}.
 * @throws {NotFoundError} when the name is refused.
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
 * Returns the part of a name that the file systems of macOS and Windows compare. Letters that differ only in
 * case or in the encoding of their accents become equal. Characters that HFS+ ignores, dots and spaces at the
 * end, and the name of a file's stream (`name:stream`) are removed.
 */
export function foldName(name: string): string {
  const [seen = ""] = name.replace(IGNORED_CHARACTERS, "").split(":", 1);
  let end = seen.length;
  while (end > 0 && (seen[end - 1] === "." || seen[end - 1] === " ")) end--;
  // The letter `ẞ` needs `toUpperCase` after `toLowerCase`. `toLowerCase` comes last, so that letters with
  // the same capital letter become equal.
  return seen.slice(0, end).toLowerCase().toUpperCase().toLowerCase().normalize("NFD");
}

/** Returns the start of a name in quotes, with escapes for invisible characters. */
export function showName(name: string): string {
  const shown = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
  const escaped = shown.replace(/["\\]/g, "\\$&")
    .replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`);
  return `"${escaped}"`;
}
