/** Parses commit objects with their authors and messages (specification, 2.3). */
import { DamagedError } from "../errors.ts";
import { isOid, type Oid, OID_BYTES, readDigits } from "../ids/oid.ts";
import { type Integer, parseInteger } from "../text/integers.ts";
import { decodeFromInSteps } from "../text/encodings.ts";
import { decodeInSteps } from "../text/utf8.ts";
import {
  isAsciiSpace,
  skipEnd,
  skipStart,
  trimInSteps as trimWhiteSpaceInSteps,
} from "../text/white_space.ts";
import { runSync, type Steps } from "../scheduling/task.ts";

/** Name and email address of an author or committer. Both are trimmed and may be empty. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface Commit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Person;
  readonly committer: Person;
  /** Committer time in seconds since the Unix epoch; may be negative. */
  readonly timeSeconds: Integer;
  /** The whole message, without the header. */
  readonly message: string;
}

/** The part of a commit that walks and statistics need, and that can be parsed quickly. */
export interface CommitHeader {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /**
   * The author line as Latin-1 text, up to and including the closing `>`. Two commits have the same author if
   * this text is equal.
   */
  readonly authorLine: string;
  readonly timeSeconds: Integer;
}

const LF = 0x0a;
/** Number of bytes that contain the whole header of most commits. */
const HEADER_START_BYTES = 2048;
const BLANK = 0x20;
/** Offset of the first parent line. */
const FIRST_PARENT = 46;
/** Length of a parent line, in characters. */
const PARENT_LENGTH = 48;
/** Number of parents that are read in one step, which takes a tenth of a millisecond. */
const PARENTS_AT_ONCE = 1024;
/** Matches a line break if a blank line or the end of the text follows. */
const BLANK_LINE = /\n[ \t\v\f\r]*(?:\n|$)/y;
/** Number of bytes of a message that are processed in one step, which takes less than a millisecond. */
const BYTES_AT_ONCE = 2 ** 16;
const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const utf8Encoder = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A header line without its keyword, and the offsets of this text in the bytes of the commit. */
interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The header of a commit as Latin-1 text, one character per byte, with its author and committer lines. */
interface ParsedHeader {
  readonly text: string;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Line;
  readonly committer: Line;
}

/**
 * Parses the part of a commit that walks need. Most commits take a microsecond. A commit with a hundred
 * thousand parents takes some ten milliseconds, in steps.
 *
 * @throws {DamagedError} when the bytes are not a commit.
 */
export function* parseCommitHeaderInSteps(bytes: Uint8Array): Steps<CommitHeader> {
  const { tree, parents, author, committer } = yield* parseHeader(bytes);
  return {
    tree,
    parents,
    authorLine: author.text.slice(0, author.text.lastIndexOf(">") + 1),
    timeSeconds: readTime(committer.text),
  };
}

/** Parses the part of a commit that walks need, in one step. See {@link parseCommitHeaderInSteps}. */
export function parseCommitHeader(bytes: Uint8Array): CommitHeader {
  return runSync(parseCommitHeaderInSteps(bytes));
}

const GREATER_THAN = 0x3e;
const ZERO = 0x30;
const NINE = 0x39;
/**
 * Maximum number of digits of a time in {@link readPlainHeader}. A double might not represent a longer number
 * exactly.
 */
const MAX_TIME_DIGITS = 15;
const TREE = utf8Encoder.encode("tree ");
const PARENT = utf8Encoder.encode("parent ");
const AUTHOR = utf8Encoder.encode("author ");
const COMMITTER = utf8Encoder.encode("committer ");

/** A {@link CommitHeader} without the ids. `parents` is the number of parents. */
export interface PlainHeader extends Omit<CommitHeader, "tree" | "parents"> {
  readonly parents: number;
}

/**
 * Parses a header in the format that git writes from the first bytes of a commit, in a third of the time that
 * {@link parseCommitHeader} needs. Returns `undefined` if the header has another format, or if `bytes` or
 * `ids` is too short.
 *
 * @param ids Receives the ids of the tree and of the parents.
 */
export function readPlainHeader(bytes: Uint8Array, ids: Uint8Array): PlainHeader | undefined {
  if (!readIdLine(bytes, 0, TREE, ids, 0)) return undefined;
  let parents = 0;
  let at = FIRST_PARENT;
  for (; hasWord(bytes, at, PARENT); at += PARENT_LENGTH) {
    if (!readIdLine(bytes, at, PARENT, ids, ++parents * OID_BYTES)) return undefined;
  }
  const author = at + AUTHOR.length;
  const authorEnd = bytes.indexOf(LF, author);
  const committer = authorEnd + 1 + COMMITTER.length;
  const committerEnd = bytes.indexOf(LF, committer);
  if (authorEnd < 0 || committerEnd < 0) return undefined;
  if (!hasWord(bytes, at, AUTHOR) || !hasWord(bytes, authorEnd + 1, COMMITTER)) return undefined;
  const personEnd = bytes.lastIndexOf(GREATER_THAN, authorEnd);
  const first = bytes.lastIndexOf(GREATER_THAN, committerEnd) + 2;
  if (personEnd < author || first < committer || bytes[first - 1] !== BLANK) return undefined;
  let timeSeconds = 0;
  let digit = first;
  for (; bytes[digit]! >= ZERO && bytes[digit]! <= NINE; digit++) {
    timeSeconds = timeSeconds * 10 + bytes[digit]! - ZERO;
  }
  if (digit === first || digit > first + MAX_TIME_DIGITS) return undefined;
  return { parents, authorLine: latin1.decode(bytes.subarray(author, personEnd + 1)), timeSeconds };
}

/**
 * Reads a header line that consists of `word` and an object id. Returns `false` if there is no such line at
 * `at`, or if `ids` has no room for the id.
 */
function readIdLine(bytes: Uint8Array, at: number, word: Uint8Array, ids: Uint8Array, to: number): boolean {
  const start = at + word.length;
  return hasWord(bytes, at, word) && bytes[start + 2 * OID_BYTES] === LF && to + OID_BYTES <= ids.length &&
    readDigits(bytes, start, ids, to);
}

function hasWord(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  let same = 0;
  while (same < word.length && bytes[at + same] === word[same]) same++;
  return same === word.length;
}

/**
 * Parses a commit. Text is decoded as UTF-8 if it is valid UTF-8, otherwise in the encoding that the commit
 * declares. Bytes that cannot be decoded become U+FFFD. The message ends at a NUL, as in libgit2.
 *
 * @throws {DamagedError} when the bytes are not a commit.
 */
export function* parseCommitInSteps(bytes: Uint8Array, trimmed: PersonTrimming = V1_TRIMMING): Steps<Commit> {
  const { text, tree, parents, author, committer } = yield* parseHeader(bytes);
  const encoding = lineAfter(text, "encoding ", FIRST_PARENT - 1)?.text;
  const start = Math.min(text.length + 2, bytes.length);
  const nul = bytes.indexOf(0, start);
  return {
    tree,
    parents,
    author: yield* readPersonInSteps(yield* decodeText(bytes, encoding, author), trimmed),
    committer: yield* readPersonInSteps(yield* decodeText(bytes, encoding, committer), trimmed),
    timeSeconds: readTime(committer.text),
    message: yield* decodeText(bytes, encoding, { start, end: nul < 0 ? bytes.length : nul }),
  };
}

/**
 * A table of the bytes that are trimmed at both ends of names and addresses. It contains 1 at the index of
 * each such byte.
 */
export type PersonTrimming = Uint8Array;

/** The bytes that libgit2 trims since 1.8. */
export const TRIMMING: PersonTrimming = trimmingOf(",:;<>\"\\'");

/** The bytes that libgit2 trimmed before 1.8, and that `radicle-httpd` trims. They include the full stop. */
export const V1_TRIMMING: PersonTrimming = trimmingOf(",:;<>\"\\'.");

function trimmingOf(characters: string): PersonTrimming {
  const isTrimmed = (code: number) => code <= BLANK || characters.includes(String.fromCharCode(code));
  return Uint8Array.from({ length: 0x80 }, (_, code) => isTrimmed(code) ? 1 : 0);
}

/**
 * Returns the name and the address in an `author` or `committer` line. `line` is the line without its
 * keyword. A name or an address ends before its first NUL.
 */
export function readPerson(line: string, trimmed: PersonTrimming = V1_TRIMMING): Person {
  return runSync(readPersonInSteps(line, trimmed));
}

/** Returns the same as {@link readPerson}, in steps. */
export function* readPersonInSteps(line: string, trimmed: PersonTrimming): Steps<Person> {
  const end = line.lastIndexOf(">");
  const start = line.lastIndexOf("<", end);
  if (start < 0) return { name: yield* trimInSteps(line, trimmed), email: "" };
  return {
    name: yield* trimInSteps(line.slice(0, start), trimmed),
    email: yield* trimInSteps(line.slice(start + 1, end), trimmed),
  };
}

/** Trims a name or an address at both ends. The text ends before its first NUL. */
export function trimPerson(text: string, trimmed: PersonTrimming): string {
  return runSync(trimInSteps(text, trimmed));
}

function* trimInSteps(text: string, trimmed: PersonTrimming): Steps<string> {
  const isTrimmed = (unit: number) => trimmed[unit] === 1;
  const start = yield* skipStart(text, isTrimmed);
  const end = Math.max(start, yield* skipEnd(text, isTrimmed));
  const nul = text.indexOf("\0", start);
  return text.slice(start, nul >= 0 && nul < end ? nul : end);
}

export interface MessageParts {
  /** A single line; may be empty. */
  readonly summary: string;
  readonly description: string;
}

/**
 * Splits a message into summary and description by the rules of libgit2, as `radicle-httpd` does. The summary
 * is the first paragraph, with its lines joined by spaces. The description is the rest of the message. If the
 * first paragraph has several lines, the description is the whole message.
 */
export function* cutMessage(message: string): Steps<MessageParts> {
  const text = message.slice(yield* skipStart(message, isLineBreak));
  const summary = yield* summaryOf(text);
  return {
    summary,
    description: yield* trimWhiteSpaceInSteps(text.startsWith(summary) ? text.slice(summary.length) : text),
  };
}

function* summaryOf(text: string): Steps<string> {
  const lineBreak = text.indexOf("\n");
  BLANK_LINE.lastIndex = lineBreak;
  if (lineBreak >= 0 && !BLANK_LINE.test(text)) return yield* joinLines(text);
  const line = lineBreak < 0 ? text : text.slice(0, lineBreak);
  return line.slice(0, yield* skipEnd(line, isAsciiSpace));
}

/** Joins the lines of the first paragraph. Working on bytes is twice as fast as working on text. */
function* joinLines(text: string): Steps<string> {
  const bytes = utf8Encoder.encode(text);
  /** Length of the joined line, which overwrites the paragraph in place. */
  let length = 0;
  /** Start of the white space before `at`; -1 without white space. */
  let space = -1;
  let hasBreak = false;
  for (let at = 0; at < bytes.length; at++) {
    if (at % BYTES_AT_ONCE === BYTES_AT_ONCE - 1) yield;
    const byte = bytes[at]!;
    if (isAsciiSpace(byte)) {
      if (byte === LF && endsParagraph(bytes, at)) break;
      if (space < 0) {
        space = at;
        hasBreak = false;
      }
      hasBreak ||= byte === LF;
      continue;
    }
    if (space >= 0) {
      if (hasBreak) bytes[length++] = BLANK;
      else while (space < at) bytes[length++] = bytes[space++]!;
      space = -1;
    }
    bytes[length++] = byte;
  }
  return utf8.decode(bytes.subarray(0, length));
}

function endsParagraph(bytes: Uint8Array, lineBreak: number): boolean {
  let at = lineBreak + 1;
  while (at < bytes.length && bytes[at] !== LF && isAsciiSpace(bytes[at]!)) at++;
  return at === bytes.length || bytes[at] === LF;
}

function isLineBreak(unit: number): boolean {
  return unit === LF;
}

function* parseHeader(bytes: Uint8Array): Steps<ParsedHeader> {
  const text = headerIn(latin1.decode(bytes.subarray(0, HEADER_START_BYTES))) ??
    wholeHeader(yield* decodeInSteps(bytes, latin1));
  const tree = idIn(bytes, text, "tree ", 0);
  if (tree === undefined) throw new DamagedError("A commit has no tree");
  const parents: Oid[] = [];
  let at = FIRST_PARENT;
  for (; text.startsWith("parent ", at); at += PARENT_LENGTH) {
    const parent = idIn(bytes, text, "parent ", at);
    if (parent === undefined) throw new DamagedError("A commit has a parent that is not an object id");
    if (parents.push(parent) % PARENTS_AT_ONCE === 0) yield;
  }
  // As in git, the lines of author and committer may be missing, and may be anywhere in the header.
  const author = lineAfter(text, "author ", at - 1) ?? NO_LINE;
  const committer = lineAfter(text, "committer ", at - 1) ?? NO_LINE;
  return { text, tree, parents, author, committer };
}

const NO_LINE: Line = { text: "", start: 0, end: 0 };

/**
 * Returns the id in a line that consists of `keyword` and an id, in lower case; `undefined` when no such line
 * is at `at`.
 */
function idIn(bytes: Uint8Array, header: string, keyword: string, at: number): Oid | undefined {
  const start = at + keyword.length;
  const end = start + 2 * OID_BYTES;
  const id = header.slice(start, end);
  if (!header.startsWith(keyword, at) || bytes[end] !== LF) return undefined;
  if (isOid(id)) return id;
  const small = id.toLowerCase();
  return isOid(small) ? small : undefined;
}

/** Returns the text before the first empty line; `undefined` when no line is empty. */
function headerIn(text: string): string | undefined {
  const end = text.indexOf("\n\n");
  return end < 0 ? undefined : text.slice(0, end);
}

/** Returns the header from the text of a whole commit. A commit without a message has no empty line. */
function wholeHeader(text: string): string {
  return headerIn(text) ?? (text.endsWith("\n") ? text.slice(0, -1) : text);
}

/** Finds the first line that starts with `keyword`, from the given line break on. */
function lineAfter(header: string, keyword: string, lineBreak: number): Line | undefined {
  const found = header.indexOf("\n" + keyword, lineBreak);
  if (found < 0) return undefined;
  const start = found + 1 + keyword.length;
  const next = header.indexOf("\n", start);
  const end = next < 0 ? header.length : next;
  return { text: header.slice(start, end), start, end };
}

function readTime(line: string): Integer {
  const digits = /^\s*([+-]?\d+)/.exec(line.slice(line.lastIndexOf(">") + 1));
  return digits === null ? 0 : parseInteger(digits[1]!);
}

/**
 * Decodes a part of a commit. Choice: As in the Radicle programs, bytes that are valid UTF-8 are decoded as
 * UTF-8, whatever encoding the commit declares.
 */
function* decodeText(
  commit: Uint8Array,
  encoding: string | undefined,
  { start, end }: Pick<Line, "start" | "end">,
): Steps<string> {
  const bytes = commit.subarray(start, end);
  if (encoding === undefined) return yield* decodeInSteps(bytes, utf8);
  const text = yield* decodeStrictly(bytes);
  // A text that consists of ASCII bytes may contain escape sequences of the declared encoding.
  if (text !== undefined && text.length < bytes.length) return text;
  return (yield* decodeFromInSteps(bytes, encoding)) ?? text ?? (yield* decodeInSteps(bytes, utf8));
}

/** Decodes UTF-8. Returns `undefined` for malformed bytes. */
function* decodeStrictly(bytes: Uint8Array): Steps<string | undefined> {
  try {
    return yield* decodeInSteps(bytes, strictUtf8);
  } catch {
    return undefined;
  }
}
