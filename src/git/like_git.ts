/** Commits and trees as git (libgit2) takes them, where that is less, or something else, than what they plainly say. */
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { ObjectKind } from "../ports/storage.ts";
import { parseTree, type TreeEntry } from "./tree.ts";

/** Largest header of a commit that is looked at, in bytes. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Largest mode and longest name in a tree. */
const MAX_UINT16 = 0xffff;
const TREE = "tree ";
const TAGGED = "object ";
const TAG_LINES = /type (commit|tree|blob|tag)\ntag [^\n]*\n/y;
const OID_DIGITS = 40;
/** Digits of times that fit in 64 bits, zeros in front aside. */
const TIME = /^[+-]?0*([0-9]{1,19})$/;
const MAX_INT64 = 2n ** 63n;
const latin1 = new TextDecoder("latin1");

/** Whether the bytes are a commit: tree, parents, authors and committer in their order, addresses in angle brackets. */
export function isGitCommit(bytes: Uint8Array): boolean {
  const text = latin1.decode(bytes.subarray(0, MAX_HEADER_BYTES));
  let at = endOfOid(text, TREE, 0);
  for (let next = at; next !== undefined; next = endOfOid(text, "parent ", next)) at = next;
  if (at === undefined) return false;
  at = endOfPerson(text, "author ", at);
  while (at !== undefined && text.startsWith("author ", at)) at = endOfPerson(text, "author ", at);
  return at !== undefined && endOfPerson(text, "committer ", at) !== undefined;
}

/** The tree of a commit; `undefined` when the bytes are none. */
export function readGitTree(bytes: Uint8Array): Oid | undefined {
  if (!isGitCommit(bytes)) return undefined;
  return latin1.decode(bytes.subarray(TREE.length, TREE.length + OID_DIGITS)).toLowerCase() as Oid;
}

/** The object that a tag is of; `undefined` when the bytes are no tag. */
export function readGitTag(bytes: Uint8Array): { readonly oid: Oid; readonly kind: ObjectKind } | undefined {
  const text = latin1.decode(bytes.subarray(0, MAX_HEADER_BYTES));
  const at = endOfOid(text, TAGGED, 0);
  if (at === undefined) return undefined;
  TAG_LINES.lastIndex = at;
  const [lines, kind] = TAG_LINES.exec(text) ?? [];
  if (lines === undefined) return undefined;
  let end: number | undefined = at + lines.length;
  // There may be no tagger, and nothing at all; but what else there is ends with a blank line.
  if (end < text.length && text[end] !== "\n") end = endOfPerson(text, "tagger ", end);
  if (end === undefined || end < text.length && text[end] !== "\n" && !text.includes("\n\n", end)) {
    return undefined;
  }
  const oid = text.slice(TAGGED.length, TAGGED.length + OID_DIGITS).toLowerCase() as Oid;
  return { oid, kind: kind as ObjectKind };
}

/**
 * The entries of a tree.
 *
 * @throws {DamagedError} when the bytes are none.
 */
export function parseTreeLikeGit(bytes: Uint8Array): TreeEntry[] {
  const entries = parseTree(bytes);
  for (const { mode, name } of entries) {
    if (mode > MAX_UINT16 || name.length > MAX_UINT16) throw new DamagedError("A tree is none");
  }
  return entries;
}

/** The place of a name in a tree, or -1. It is looked for by halving: in a tree out of order it may not be found. */
export function findLikeGit(names: readonly string[], name: string): number {
  const compare = (i: number) => comparePrefix(name, names[i]!);
  let [base, length, found] = [0, names.length, -1];
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

/** Position after a line of the header with a full object id; `undefined` when there is none at that place. */
function endOfOid(text: string, keyword: string, at: number): number | undefined {
  const start = at + keyword.length;
  return text.startsWith(keyword, at) && /^[0-9a-fA-F]{40}\n$/.test(text.slice(start, start + 41))
    ? start + 41
    : undefined;
}

/** Position after the line of a person who can be read; `undefined` when there is none at that place. */
function endOfPerson(text: string, keyword: string, at: number): number | undefined {
  const feed = text.indexOf("\n", at);
  if (feed < 0 || !text.startsWith(keyword, at)) return undefined;
  const person = text.slice(at + keyword.length, feed);
  const close = person.lastIndexOf(">");
  const open = person.lastIndexOf("<");
  if (open < 0 || close <= open) return undefined;
  // There may be no time at all, but not another text in its place.
  const time = person.slice(close + 2);
  const [, digits] = /^[ \t\n\v\f\r]*([+-]?[0-9]+)/.exec(time) ?? [];
  return time === "" || digits !== undefined && isTime(digits) ? feed + 1 : undefined;
}

/** Whether the digits fit in a signed number of 64 bits. */
function isTime(digits: string): boolean {
  const [, significant] = TIME.exec(digits) ?? [];
  if (significant === undefined) return false;
  return BigInt(significant) < MAX_INT64 || digits.startsWith("-") && BigInt(significant) === MAX_INT64;
}

/** Order of two names as far as the shorter one goes. */
function comparePrefix(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  const [x, y] = [a.slice(0, length), b.slice(0, length)];
  return x < y ? -1 : x > y ? 1 : 0;
}
