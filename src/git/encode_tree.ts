/** Encoder of tree objects, as git writes them. */
import { joinBytes } from "../bytes/join.ts";
import { oidToBytes } from "../ids/oid.ts";
import { MODE, type TreeEntry } from "./tree.ts";

const SLASH = 0x2f;
const MODES: ReadonlySet<number> = new Set(Object.values(MODE));
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Characters that HFS+ ignores in names (TN1150). */
export const IGNORED_CHARACTERS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** Names that the file systems of macOS or Windows take for `.git`. */
const DOT_GIT = /^(\.git|git~1)[ .]*(:.*)?$/is;

/**
 * Whether git accepts a name in a tree: not empty, not `.` or `..`, without `/` and NUL, and not a name that
 * a file system may take for `.git` (the checks of `git fsck --strict`).
 */
export function isEntryName(name: Uint8Array | string): boolean {
  const text = typeof name === "string" ? name : utf8.decode(name);
  return !["", ".", ".."].includes(text) && !/[/\0]/.test(text) &&
    text.replace(IGNORED_CHARACTERS, "").split("\\").every((part) => !DOT_GIT.test(part));
}

/**
 * Encodes a tree; the entries may come in any order.
 *
 * @throws {TypeError} when a name is invalid ({@link isEntryName}) or occurs twice, or a mode is not in
 *   {@link MODE}.
 */
export function encodeTree(entries: Iterable<TreeEntry>): Uint8Array<ArrayBuffer> {
  const sorted = [...entries].sort(compareEntries);
  const names = new Set<string>();
  for (const { mode, name } of sorted) {
    const key = name.join();
    if (!isEntryName(name) || names.has(key) || !MODES.has(mode)) {
      throw new TypeError(`A tree cannot have the entry ${mode.toString(8)} "${utf8.decode(name)}"`);
    }
    names.add(key);
  }
  const encoder = new TextEncoder();
  const parts = sorted.flatMap(({ mode, name, oid }) => [
    encoder.encode(`${mode.toString(8)} `),
    name,
    Uint8Array.of(0),
    oidToBytes(oid),
  ]);
  return joinBytes(parts);
}

/** Order of git's trees: by the bytes of the names, folders as if their names ended in `/`. */
function compareEntries(a: TreeEntry, b: TreeEntry): number {
  for (let i = 0;; i++) {
    const [x, y] = [byteAt(a, i), byteAt(b, i)];
    if (x !== y) return x - y;
    if (x < 0) return 0;
  }
}

/** A byte of a name, or -1 after its end. */
function byteAt({ mode, name }: TreeEntry, i: number): number {
  return name[i] ?? (i === name.length && mode === MODE.tree ? SLASH : -1);
}
