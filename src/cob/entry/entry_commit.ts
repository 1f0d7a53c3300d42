/**
 * Parses the commit and the tree of an entry. An entry is a signed change of an issue, a patch or another
 * collaborative object. The commit has a signature and links to other commits. The tree contains the
 * manifest, which names the type of the object, and the actions, which are the steps of the change.
 */
import * as v from "valibot";
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import { trimWhiteSpace } from "../../text/white_space.ts";
import type { Rules } from "../rules.ts";
import { parseSshSignature, SSH_SIGNATURE_BEGIN, type SshSignature } from "./ssh_signature.ts";
import { readStoredOid } from "./stored_action.ts";
import { findLikeGit, parseTreeLikeGit } from "../../git/like_git.ts";
import { entryKind } from "../../git/tree.ts";
import type { Steps } from "../../scheduling/task.ts";
import { Text } from "./fields.ts";
import { toPlainForm } from "./serde_form.ts";
import { readManifestJson } from "./stored_json.ts";

/**
 * Maximum size of the commit of an entry, in bytes. Real commits of entries have less than a thousand bytes,
 * and 48 more bytes for each concurrent branch that they join.
 */
export const MAX_ENTRY_COMMIT_BYTES = 256 * 1024;

const RESOURCE = "Rad-Resource";
const RELATED = "Rad-Related";
/** Matches an integer in the syntax of Rust's parser. */
const INTEGER = /^[+-]?[0-9]+$/;
const OFFSET_BITS = 32;
const TIME_BITS = 64;
/**
 * Integers of up to 9 characters fit in 32 bits. Integers of more than 20 characters, without leading zeros,
 * do not fit in 64 bits.
 */
const [SAFE_LENGTH, MAX_LENGTH] = [9, 20];
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface EntryCommit extends SshSignature {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly resource: Oid | undefined;
  readonly timeSeconds: number;
  readonly exactSeconds?: bigint;
}

interface Header {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly seconds: bigint | number;
  readonly signatures: readonly string[];
}

/**
 * Parses the commit of an entry in the same way as the Radicle programs of the generation that `rules`
 * describes.
 *
 * @throws {DamagedError} when the commit is not UTF-8, when the line of the author or committer has no time
 *   and zone, when the number of signatures is not exactly one, when the signature is not an SSH signature
 *   with Ed25519, or when a trailer is not an object id.
 */
export function parseEntryCommit(bytes: Uint8Array, rules: Rules): EntryCommit {
  if (bytes.length > MAX_ENTRY_COMMIT_BYTES) throw new DamagedError("The commit of an entry is too large");
  const text = decodeText(bytes);
  const split = text.indexOf("\n\n");
  if (split < 0) throw new DamagedError("The commit of an entry has no message");
  const { tree, parents, seconds, signatures } = parseHeader(text.slice(0, split), rules);
  // The signature is read before the message, because a commit without a signature needs no further work.
  const signature = readSignature(signatures);
  const [resources, related] = readLinks(text.slice(split + 2), rules);
  if (resources.length > 1) throw new DamagedError("An entry has several resources");
  const links = new Set([...resources, ...related]);
  return {
    tree,
    parents: parents.filter((parent) => !links.has(parent)),
    resource: resources[0],
    timeSeconds: Number(seconds),
    ...typeof seconds === "bigint" && { exactSeconds: seconds },
    ...signature,
  };
}

function decodeText(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new DamagedError("The commit of an entry is not UTF-8");
  }
}

/**
 * Parses the header of a commit. After the tree, lines may come in any order, and the last author and the
 * last committer are used. A line that begins with a space continues the field above it.
 */
function parseHeader(header: string, rules: Rules): Header {
  const lines = header.split("\n");
  const last = lines.length - 1;
  const tree = lines[0]!.startsWith("tree ")
    ? readHeaderOid(withoutReturn(lines[0]!, last > 0).slice(5))
    : undefined;
  if (tree === undefined) throw new DamagedError("The commit of an entry has no tree");
  const parents: Oid[] = [];
  const signatures: string[][] = [];
  /** Lines of the last field. A line that begins with a space continues this field. */
  let current: string[] | undefined;
  let hasAuthor = false;
  let seconds: bigint | number | undefined;
  for (let i = 1; i <= last; i++) {
    const line = withoutReturn(lines[i]!, i < last);
    const space = line.indexOf(" ");
    if (space === 0) {
      if (current === undefined) {
        throw new DamagedError("The header of an entry begins with a continued line");
      }
      current.push(line.slice(1));
      continue;
    }
    if (space < 0) continue;
    const value = line.slice(space + 1);
    switch (line.slice(0, space)) {
      case "parent":
        parents.push(readHeaderOid(value));
        break;
      case "author":
        readPersonTime(value, rules);
        hasAuthor = true;
        break;
      case "committer":
        seconds = readPersonTime(value, rules);
        break;
      case "gpgsig":
        current = [trimWhiteSpace(value)];
        signatures.push(current);
        break;
      default:
        current = [];
    }
  }
  if (!hasAuthor || seconds === undefined) throw new DamagedError("An entry has no author or committer");
  return { tree, parents, seconds, signatures: signatures.map((lines) => lines.join("\n")) };
}

/** Removes the carriage return at the end of a line, except in the last line of the header. */
function withoutReturn(line: string, isEnded: boolean): string {
  return isEnded && line.endsWith("\r") ? line.slice(0, -1) : line;
}

function readHeaderOid(text: string): Oid {
  const oid = readStoredOid(text, { oids: "short" });
  if (oid === undefined) throw new DamagedError("The header of an entry has an invalid object id");
  return toOid(oid);
}

function toOid(text: string): Oid {
  return text.toLowerCase().padEnd(40, "0") as Oid;
}

/**
 * Parses the time of an author or a committer (`name <address> seconds zone`) as an unsigned number. If
 * `needsNames` is not set, the line may begin with the address.
 */
function readPersonTime(person: string, { needsNames }: Rules): bigint | number {
  const zoneAt = person.lastIndexOf(" ");
  const timeAt = zoneAt < 1 ? -1 : person.lastIndexOf(" ", zoneAt - 1);
  const addressAt = timeAt < 1 ? -1 : person.lastIndexOf(" ", timeAt - 1);
  const seconds = readInteger(person.slice(timeAt + 1, zoneAt), TIME_BITS);
  if (
    timeAt < 0 || needsNames && addressAt < 0 || seconds === undefined ||
    readInteger(person.slice(zoneAt + 1), OFFSET_BITS) === undefined
  ) {
    throw new DamagedError("A person in an entry has no time or zone");
  }
  return typeof seconds === "number" && seconds >= 0 ? seconds : BigInt.asUintN(TIME_BITS, BigInt(seconds));
}

/**
 * Parses a signed integer in the same way as Rust. Returns a bigint if a double cannot represent the integer,
 * and `undefined` for text that is not an integer.
 */
function readInteger(text: string, bits: number): bigint | number | undefined {
  if (!INTEGER.test(text)) return undefined;
  if (text.length <= SAFE_LENGTH) return Number(text);
  const digits = text.replace(/^([+-]?)0+(?=[0-9])/, "$1");
  if (digits.length > MAX_LENGTH) return undefined;
  const integer = BigInt(digits.startsWith("+") ? digits.slice(1) : digits);
  if (BigInt.asIntN(bits, integer) !== integer) return undefined;
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

/**
 * Returns the object ids in the trailers of a commit message. The value of every trailer must be an object
 * id, even if the token of the trailer is unknown.
 */
function readLinks(message: string, rules: Rules): [resources: Oid[], related: Oid[]] {
  const [resources, related]: [Oid[], Oid[]] = [[], []];
  if (message.includes("\0")) throw new DamagedError("The message of an entry ends early");
  for (const { token, value } of parseTrailers(message, rules.dividers)) {
    const oid = readStoredOid(value, rules);
    if (oid === undefined) throw new DamagedError("A trailer of an entry is not an object id");
    if (token === RESOURCE) resources.push(toOid(oid));
    if (token === RELATED) related.push(toOid(oid));
  }
  return [resources, related];
}

/**
 * Returns the SSH signature of a commit. If one key has made several signatures, the last signature is
 * returned.
 */
function readSignature(values: readonly string[]): SshSignature {
  const signatures = values.filter((armor) => armor.startsWith(`${SSH_SIGNATURE_BEGIN}\n`)).map((armor) => {
    const signature = parseSshSignature(armor);
    if (signature === undefined) throw new DamagedError("A signature of an entry cannot be read");
    return signature;
  });
  const last = signatures.at(-1);
  const keys = new Set(signatures.map((signature) => signature.publicKey.join()));
  if (last === undefined || keys.size > 1) throw new DamagedError("An entry has no signature, or several");
  return last;
}

/** A trailer of a commit message. The value includes continuation lines, which begin with a space. */
export interface Trailer {
  readonly token: string;
  readonly value: string;
}

/**
 * Lines after which no trailers are read, as in a patch that is sent by mail: all lines that begin with `---`
 * (`all`), or only those in which white space follows `---` (`spaced`).
 */
export type Dividers = "all" | "spaced";

/**
 * Beginnings of lines that git itself writes. A paragraph that contains such a line may mix trailers with
 * other lines.
 */
const GIT_GENERATED = ["Signed-off-by: ", "(cherry picked from commit "];
const CONFLICTS = "Conflicts:\n";
const COMMENT = "#";
const DIVIDER = "---";
/** Matches a token, blanks, and the colon at the start of a line. */
const SEPARATED = /[A-Za-z0-9-]+[ \t]*:/y;
/** Matches a token, which may be empty, blanks, the colon, and blanks after the colon. */
const TOKEN = /([A-Za-z0-9-]*)[ \t]*:[ \t]*/y;
const BLANK_LINE = /[ \t\v\f\r]*(?:\n|$)/y;
const WHITE_SPACE = /[ \t\n\v\f\r]/y;

/**
 * Returns the trailers of a commit message (lines `Token: value`) in the same way as libgit2. The last
 * paragraph has trailers if it is not the title, and one of these conditions is true:
 *
 * - All of its lines are trailers.
 * - At least a quarter of its lines are trailers, and one line begins as in {@link GIT_GENERATED}.
 */
export function parseTrailers(message: string, dividers: Dividers): readonly Trailer[] {
  const end = findEnd(message, findDivider(message, dividers));
  return readTrailers(message.slice(findStart(message, end), end));
}

/**
 * Returns the end of the text before `length`, without comments, blank lines and git's list of conflicts at
 * the end.
 */
function findEnd(message: string, length: number): number {
  let end = 0;
  let isInConflicts = false;
  for (let line = 0; line < length; line = nextLine(message, line)) {
    if (message[line] === COMMENT || message[line] === "\n") end ||= line;
    else if (message.startsWith(CONFLICTS, line)) {
      isInConflicts = true;
      end ||= line;
    } else if (!(isInConflicts && message[line] === "\t") && end > 0) {
      end = 0;
      isInConflicts = false;
    }
  }
  return end || length;
}

function findStart(message: string, end: number): number {
  let title = 0;
  while (title < end && (message[title] === COMMENT || !matches(BLANK_LINE, message, title))) {
    title = nextLine(message, title);
  }
  let trailers = 0;
  let others = 0;
  /**
   * Number of lines below the current line that start with white space. They may continue the trailer above
   * them.
   */
  let continuations = 0;
  let hasGenerated = false;
  let isAfterText = true;
  for (let line = end; line > 0;) {
    line = lastLine(message, line);
    if (line < title) break;
    if (message[line] === COMMENT) {
      others += continuations;
      continuations = 0;
    } else if (matches(BLANK_LINE, message, line)) {
      if (isAfterText) continue;
      others += continuations;
      const isBlock = hasGenerated ? trailers * 3 >= others : others === 0;
      return trailers > 0 && isBlock ? nextLine(message, line) : end;
    } else {
      isAfterText = false;
      const isGenerated = GIT_GENERATED.some((prefix) => message.startsWith(prefix, line));
      if (isGenerated || matches(SEPARATED, message, line)) {
        trailers++;
        continuations = 0;
        hasGenerated ||= isGenerated;
      } else if (matches(WHITE_SPACE, message, line)) {
        continuations++;
      } else {
        others += continuations + 1;
        continuations = 0;
      }
    }
  }
  return end;
}

/**
 * Reads trailers, and skips other lines. The value of a trailer begins with the first character that is not a
 * blank, even if that character is a line feed.
 */
function readTrailers(block: string): Trailer[] {
  const trailers: Trailer[] = [];
  for (let at = 0; at < block.length;) {
    TOKEN.lastIndex = at;
    const [head = "", token = ""] = TOKEN.exec(block) ?? [];
    if (head === "") {
      at = nextLine(block, at);
      continue;
    }
    const start = at + head.length;
    // A block that ends directly after the colon has no value.
    if (start === block.length) break;
    let end = block.indexOf("\n", start + 1);
    while (end >= 0 && block[end + 1] === " ") end = block.indexOf("\n", end + 2);
    if (end < 0) end = block.length;
    trailers.push({ token, value: block.slice(start, end) });
    at = end + 1;
  }
  return trailers;
}

function findDivider(message: string, dividers: Dividers): number {
  for (let at = message.indexOf(DIVIDER); at >= 0; at = message.indexOf(DIVIDER, at + 1)) {
    const isLine = at === 0 || message[at - 1] === "\n";
    if (isLine && (dividers === "all" || matches(WHITE_SPACE, message, at + DIVIDER.length))) return at;
  }
  return message.length;
}

function nextLine(message: string, at: number): number {
  return message.indexOf("\n", at) + 1 || message.length;
}

/**
 * Returns the start of the last line before `end`. `end` may be directly after the line feed of that line.
 */
function lastLine(message: string, end: number): number {
  const feed = end < 2 ? -1 : message.lastIndexOf("\n", end - 2);
  return feed > 0 ? feed + 1 : 0;
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Maximum size of the tree of an entry, in bytes. */
export const MAX_ENTRY_TREE_BYTES = 256 * 1024;
/** Maximum size of a manifest, in bytes. Real manifests have less than a hundred bytes. */
export const MAX_MANIFEST_BYTES = 64 * 1024;

const VERSION = v.pipe(v.number(), v.integer(), v.minValue(1));
const Manifest = v.object({ typeName: Text, version: v.optional(VERSION) });
const ALIASES = new Map([["typename", "typeName"]]);
const MANIFEST = "manifest";
const latin1 = new TextDecoder("latin1");

export interface EntryTree {
  readonly manifest: Oid;
  /** Blobs of the actions, in the order in which they are applied. */
  readonly actions: readonly Oid[];
  /**
   * Blobs of actions that are not applied, because a later file in the tree has the same number. These blobs
   * must exist.
   */
  readonly hidden: readonly Oid[];
}

/**
 * Finds the manifest and the actions in the tree of an entry. Files whose name is not a signed 8-bit integer
 * are not actions, and are ignored.
 *
 * @throws {DamagedError} when the tree has no manifest or no action.
 */
export function parseEntryTree(bytes: Uint8Array): EntryTree {
  if (bytes.length > MAX_ENTRY_TREE_BYTES) throw new DamagedError("The tree of an entry is too large");
  const entries = parseTreeLikeGit(bytes);
  const names = entries.map(({ name }) => latin1.decode(name));
  const actions = new Map<number, Oid>();
  const hidden: Oid[] = [];
  for (const [i, { mode, oid }] of entries.entries()) {
    const kind = entryKind(mode);
    const number = INTEGER.test(names[i]!) ? Number(names[i]) : NaN;
    if (!(number >= -128 && number <= 127) || kind === "tree" || kind === "commit") continue;
    const other = actions.get(number);
    if (other !== undefined) hidden.push(other);
    actions.set(number, oid);
  }
  const manifest = entries[findLikeGit(names, MANIFEST)]?.oid;
  if (manifest === undefined || actions.size === 0) {
    throw new DamagedError("An entry has no manifest or no action");
  }
  return { manifest, actions: [...actions].sort(([a], [b]) => a - b).map(([, oid]) => oid), hidden };
}

/**
 * Checks whether the bytes are a manifest. As in the Radicle programs, every type and every version is
 * accepted.
 */
export function* isManifest(bytes: Uint8Array): Steps<boolean> {
  const value = bytes.length > MAX_MANIFEST_BYTES ? undefined : yield* readManifestJson(bytes);
  const plain = value && (yield* toPlainForm(Manifest, value, { aliases: ALIASES }));
  return v.is(Manifest, plain?.value);
}
