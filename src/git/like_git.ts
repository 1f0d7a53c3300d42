/**
 * Parses commits, trees and tags by the rules of libgit2, which refuses some objects that other parsers
 * accept.
 */
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { ObjectKind } from "../ports/storage.ts";
import { parseTree, type TreeEntry } from "./tree.ts";

/** Maximum size of the header of a commit or tag, in bytes. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Maximum mode of a tree entry, and maximum length of the name of the entry in bytes. */
const MAX_UINT16 = 0xffff;
const TREE = "tree ";
const TAGGED = "object ";
const TAG_LINES = /type (commit|tree|blob|tag)\ntag [^\n]*\n/y;
const OID_DIGITS = 40;
/** Matches a time that may fit in 64 bits. The group contains the digits without leading zeros. */
const TIME = /^[+-]?0*([0-9]{1,19})$/;
const MAX_INT64 = 2n ** 63n;
const latin1 = new TextDecoder("latin1");

/**
 * Checks whether libgit2 accepts the bytes as a commit. Libgit2 requires a tree, parents, authors and a
 * committer in this order, and addresses in angle brackets.
 */
export function isGitCommit(bytes: Uint8Array): boolean {
  const text = latin1.decode(bytes.subarray(0, MAX_HEADER_BYTES));
  let at = endOfOid(text, TREE, 0);
  for (let next = at; next !== undefined; next = endOfOid(text, "parent ", next)) at = next;
  if (at === undefined) return false;
  at = endOfPerson(text, "author ", at);
  while (at !== undefined && text.startsWith("author ", at)) at = endOfPerson(text, "author ", at);
  return at !== undefined && endOfPerson(text, "committer ", at) !== undefined;
}

/** Returns the tree of a commit; `undefined` when libgit2 does not accept the commit. */
export function readGitTree(bytes: Uint8Array): Oid | undefined {
  if (!isGitCommit(bytes)) return undefined;
  return latin1.decode(bytes.subarray(TREE.length, TREE.length + OID_DIGITS)).toLowerCase() as Oid;
}

/** Returns the target of a tag; `undefined` when libgit2 does not accept the tag. */
export function readGitTag(bytes: Uint8Array): { readonly oid: Oid; readonly kind: ObjectKind } | undefined {
  const text = latin1.decode(bytes.subarray(0, MAX_HEADER_BYTES));
  const at = endOfOid(text, TAGGED, 0);
  if (at === undefined) return undefined;
  TAG_LINES.lastIndex = at;
  const [lines, kind] = TAG_LINES.exec(text) ?? [];
  if (lines === undefined) return undefined;
  let end: number | undefined = at + lines.length;
  // A tag without a tagger or a message is accepted. But if a further header line exists, a blank line must
  // follow.
  if (end < text.length && text[end] !== "\n") end = endOfPerson(text, "tagger ", end);
  if (end === undefined || end < text.length && text[end] !== "\n" && !text.includes("\n\n", end)) {
    return undefined;
  }
  const oid = text.slice(TAGGED.length, TAGGED.length + OID_DIGITS).toLowerCase() as Oid;
  return { oid, kind: kind as ObjectKind };
}

/**
 * Parses the entries of a tree.
 *
 * @throws {DamagedError} when libgit2 does not accept the tree.
 */
export function parseTreeLikeGit(bytes: Uint8Array): readonly TreeEntry[] {
  const entries = parseTree(bytes);
  for (const { mode, name } of entries) {
    if (mode > MAX_UINT16 || name.length > MAX_UINT16) throw new DamagedError("A tree is malformed");
  }
  return entries;
}

/**
 * Returns the index of a name in a tree, or -1. As in libgit2, the binary search may miss the name in an
 * unsorted tree.
 */
export function findLikeGit(names: readonly string[], name: string): number {
  const compare = (i: number) => comparePrefix(name, names[i]!);
  let base = 0;
  let length = names.length;
  let found = -1;
  for (; length > 0; length >>= 1) {
    const middle = base + (length >> 1);
    const order = compare(middle);
    if (order === 0) {
      found = middle;
      break;
    }
    if (order > 0) {
      base = middle + 1;
      length--;
    }
  }
  if (found < 0) return -1;
  for (let i = found; i < names.length && compare(i) >= 0; i++) if (names[i] === name) return i;
  for (let i = found - 1; i >= 0 && compare(i) <= 0; i--) if (names[i] === name) return i;
  return -1;
}

/**
 * Returns the position after a header line with a full object id; `undefined` when no such line is at `at`.
 */
function endOfOid(text: string, keyword: string, at: number): number | undefined {
  const start = at + keyword.length;
  return text.startsWith(keyword, at) && /^[0-9a-fA-F]{40}\n$/.test(text.slice(start, start + 41))
    ? start + 41
    : undefined;
}

/**
 * Returns the position after a valid author, committer or tagger line; `undefined` when no such line is at
 * `at`.
 */
function endOfPerson(text: string, keyword: string, at: number): number | undefined {
  const feed = text.indexOf("\n", at);
  if (feed < 0 || !text.startsWith(keyword, at)) return undefined;
  const person = text.slice(at + keyword.length, feed);
  const close = person.lastIndexOf(">");
  const open = person.lastIndexOf("<");
  if (open < 0 || close <= open) return undefined;
  // The time may be missing, but no other text may replace it.
  const time = person.slice(close + 2);
  const [, digits] = /^[ \t\n\v\f\r]*([+-]?[0-9]+)/.exec(time) ?? [];
  return time === "" || digits !== undefined && isTime(digits) ? feed + 1 : undefined;
}

function isTime(digits: string): boolean {
  const [, significant] = TIME.exec(digits) ?? [];
  if (significant === undefined) return false;
  return BigInt(significant) < MAX_INT64 || digits.startsWith("-") && BigInt(significant) === MAX_INT64;
}

function comparePrefix(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  const x = a.slice(0, length);
  const y = b.slice(0, length);
  return x < y ? -1 : x > y ? 1 : 0;
}
