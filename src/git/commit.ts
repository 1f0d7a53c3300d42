/** Commit objects, their people and their message (2.3). */
import { DamagedError } from "../errors.ts";
import { isOid, type Oid } from "../ids/oid.ts";

/** Name and address of an author or committer, trimmed; may be empty. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** A commit's content. */
export interface Commit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Person;
  readonly committer: Person;
  /** Committer time, seconds since the Unix epoch; may be negative. */
  readonly timeSeconds: number;
  /** The whole message, headers excluded. */
  readonly message: string;
}

/** The part of a commit that walks and statistics need, cheap to read. */
export interface CommitHeader {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** The author's line as Latin-1 text, up to and with the closing `>`: equal lines are equal people. */
  readonly authorLine: string;
  readonly timeSeconds: number;
}

const LF = 0x0a;
const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads what walks need of a commit.
 *
 * @throws {DamagedError} when the bytes are no commit.
 */
export function parseCommitHeader(bytes: Uint8Array): CommitHeader {
  const end = headerEnd(bytes);
  const header = latin1.decode(bytes.subarray(0, end));
  const tree = header.slice(5, 45);
  if (!header.startsWith("tree ") || !isOid(tree) || header.charCodeAt(45) !== LF) {
    throw new DamagedError("A commit has no tree");
  }
  const parents: Oid[] = [];
  let at = 46;
  for (; header.startsWith("parent ", at); at += 48) {
    const parent = header.slice(at + 7, at + 47);
    if (!isOid(parent)) throw new DamagedError("A commit has a parent that is no object id");
    parents.push(parent);
  }
  const author = lineAfter(header, "author ", at);
  const committer = author === undefined ? undefined : lineAfter(header, "committer ", author.end + 1);
  if (author === undefined || committer === undefined) {
    throw new DamagedError("A commit has no author or committer");
  }
  return {
    tree,
    parents,
    authorLine: author.text.slice(0, author.text.lastIndexOf(">") + 1),
    timeSeconds: readTime(committer.text),
  };
}

/**
 * Reads a commit. Text is UTF-8; where it is not, the encoding that the commit declares, else U+FFFD in place of what cannot be read.
 *
 * @throws {DamagedError} when the bytes are no commit.
 */
export function parseCommit(bytes: Uint8Array): Commit {
  const { tree, parents, timeSeconds } = parseCommitHeader(bytes);
  const end = headerEnd(bytes);
  const header = latin1.decode(bytes.subarray(0, end));
  const encoding = /\nencoding ([^\n]+)/.exec(header)?.[1];
  const text = decodeText(bytes.subarray(0, end), encoding);
  const author = lineAfter(text, "author ", 46);
  const committer = lineAfter(text, "committer ", 46);
  return {
    tree,
    parents,
    author: readPerson(author?.text ?? ""),
    committer: readPerson(committer?.text ?? ""),
    timeSeconds,
    message: decodeText(bytes.subarray(Math.min(end + 2, bytes.length)), encoding),
  };
}

/** Name and address of an `author` or `committer` line without its keyword. */
export function readPerson(line: string): Person {
  const end = line.lastIndexOf(">");
  const start = line.lastIndexOf("<", end);
  if (start < 0) return { name: line.trim(), email: "" };
  return { name: line.slice(0, start).trim(), email: line.slice(start + 1, end).trim() };
}

/**
 * The first paragraph of a message as one line: it ends at a blank line, white space that holds a line break becomes one space
 * (as the real service, whose library is libgit2).
 */
export function summaryOf(message: string): string {
  const [paragraph = ""] = message.replace(/^\n+/, "").split(/\n[ \t\v\f\r]*(?:\n|$)/, 1);
  return paragraph.replace(/[ \t\v\f\r]*\n\s*/g, " ").replace(/[ \t\v\f\r\n]+$/, "");
}

/** The message without its summary, trimmed; the whole message when its first paragraph has several lines (as the real service). */
export function descriptionOf(message: string): string {
  const text = message.replace(/^\n+/, "");
  const summary = summaryOf(message);
  return (text.startsWith(summary) ? text.slice(summary.length) : text).trim();
}

function headerEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF || at + 1 === bytes.length) return at;
  }
  return bytes.length;
}

function lineAfter(header: string, keyword: string, from: number): { text: string; end: number } | undefined {
  const start = header.startsWith(keyword, from) ? from : header.indexOf("\n" + keyword, from - 1) + 1;
  if (start === 0 && !header.startsWith(keyword, from)) return undefined;
  const end = header.indexOf("\n", start);
  const stop = end < 0 ? header.length : end;
  return { text: header.slice(start + keyword.length, stop), end: stop };
}

function readTime(line: string): number {
  const digits = /^\s*([+-]?\d{1,19})/.exec(line.slice(line.lastIndexOf(">") + 1));
  return digits === null ? 0 : Number(digits[1]);
}

function decodeText(bytes: Uint8Array, encoding: string | undefined): string {
  if (encoding === undefined) return utf8.decode(bytes);
  try {
    return strictUtf8.decode(bytes);
  } catch {
    try {
      return new TextDecoder(encoding).decode(bytes);
    } catch {
      return utf8.decode(bytes);
    }
  }
}
