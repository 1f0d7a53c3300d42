/** Alternates: further `objects` directories from which a repository reads objects (gitrepository-layout). */
import type { FileSystem } from "../../ports/file_system.ts";

/** Maximum depth of indirect alternates, as in git. */
export const MAX_ALTERNATES_DEPTH = 5;

/** Maximum number of alternates of a repository. */
export const MAX_ALTERNATES = 100;

/** Maximum size of `info/alternates`, in bytes. */
const MAX_LIST_BYTES = 2 ** 20;

/**
 * Returns the paths of all direct and indirect alternates of `directory`, without duplicates and without
 * `directory` itself.
 */
export function readAlternates(fileSystem: FileSystem, directory: string): readonly string[] {
  const seen = new Set([normalize(directory)]);
  let level = [...seen];
  for (let depth = 0; depth < MAX_ALTERNATES_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const borrower of level) {
      for (const path of listed(fileSystem, borrower)) {
        if (seen.has(path) || seen.size > MAX_ALTERNATES) continue;
        seen.add(path);
        next.push(path);
      }
    }
    level = next;
  }
  return [...seen].slice(1);
}

function listed(fileSystem: FileSystem, directory: string): string[] {
  const file = directory + "/info/alternates";
  const stat = fileSystem.stat(file);
  const bytes = stat && stat.size <= MAX_LIST_BYTES && fileSystem.read(file);
  if (!bytes) return [];
  const isAbsolute = directory.startsWith("/") ? /^\// : /^([A-Za-z]:)?[/\\]/;
  return parseAlternates(bytes).map((path) =>
    normalize(isAbsolute.test(path) ? path : `${directory}/${path}`)
  );
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const HASH = 0x23;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Parses one path per line. A path may be in quotes, with the escape sequences of C. A line that starts with
 * `#` is a comment.
 */
function parseAlternates(bytes: Uint8Array): readonly string[] {
  const paths: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const quoted = bytes[at] === QUOTE ? unquote(bytes, at) : undefined;
    const lineEnd = quoted?.end ?? bytes.indexOf(LINE_FEED, at);
    const end = lineEnd < 0 ? bytes.length : lineEnd;
    const path = bytes[at] === HASH ? "" : utf8.decode(quoted?.bytes ?? bytes.subarray(at, end));
    if (path !== "") paths.push(path);
    // As in git, any character after a quoted path ends the line.
    at = end + 1;
  }
  return paths;
}

/** The byte that an escape sequence represents, by the character after the backslash. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': QUOTE, "\\": BACKSLASH })
    .map(([character, byte]) => [character.charCodeAt(0), byte!]),
);

/** Returns the quoted path and the offset after its closing quote; `undefined` when the path is malformed. */
function unquote(
  bytes: Uint8Array,
  quote: number,
): { readonly bytes: Uint8Array; readonly end: number } | undefined {
  const path: number[] = [];
  for (let at = quote + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return { bytes: Uint8Array.from(path), end: at + 1 };
    if (byte !== BACKSLASH) {
      path.push(byte);
      continue;
    }
    const escape = ESCAPES.get(bytes[++at]!);
    const octal = escape ?? octalByte(bytes.subarray(at, at + 3));
    if (octal === undefined) return undefined;
    path.push(octal);
    if (escape === undefined) at += 2;
  }
  return undefined;
}

/** Returns the byte that three octal digits represent; `undefined` for any other text. */
function octalByte(digits: Uint8Array): number | undefined {
  const text = String.fromCharCode(...digits);
  return /^[0-3][0-7]{2}$/.test(text) ? parseInt(text, 8) : undefined;
}

/** Resolves `.` and `..`, so that each directory has only one path. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
