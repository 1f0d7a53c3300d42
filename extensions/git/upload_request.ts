/**
 * Reads requests to `git upload-pack` in every version of the protocol. Rewrites the requests for git, so
 * that hidden objects stay hidden.
 */
import {
  ForbiddenError,
  isOid,
  joinBytes,
  MalformedError,
  type Oid,
  type Task,
  TooLargeError,
} from "../../src/mod.ts";
import type { GitProtocol } from "./git_program.ts";
import { contentOf, eachPktLine, pktLine } from "./pkt_line.ts";

/**
 * Media type of requests for objects, and of requests for references in version 2 of the protocol
 * (gitprotocol-http).
 */
export const UPLOAD_PACK_REQUEST_TYPE = "application/x-git-upload-pack-request";

/** Maximum number of references that one request excludes (`deepen-not`). */
export const MAX_EXCLUDED_REFS = 256;
/**
 * Maximum number of prefixes that limit a list of references. With more prefixes, the list contains all
 * references, which version 2 of the protocol permits.
 */
export const MAX_REF_PREFIXES = 1024;
/**
 * Maximum number of `have` lines (objects of the client) that are looked up. Further `have` lines are
 * ignored.
 */
export const MAX_HAVES = 32_768;
/** Maximum number of commits at which a request ends its shallow history. */
export const MAX_SHALLOW = 65_536;

/**
 * Commands of version 2 of the protocol that are offered. Other commands would reveal hidden objects. For
 * example, `object-info` returns the size of any object.
 */
const OFFERED_COMMANDS: ReadonlySet<string> = new Set(["ls-refs", "fetch"]);
/** First words of the lines that a request may contain (gitprotocol-pack, gitprotocol-v2). */
const OFFERED_WORDS: ReadonlySet<string> = new Set([
  ...["command", "agent", "object-format", "server-option", "session-id"],
  ...["peel", "symrefs", "unborn", "ref-prefix"],
  ...["want", "have", "done", "wait-for-done", "thin-pack", "no-progress", "include-tag", "ofs-delta"],
  ...["shallow", "deepen", "deepen-relative", "deepen-since", "deepen-not", "filter"],
]);
/** A line with an object id. Capabilities may follow the id of the first wanted object. */
const WITH_OID = /^(?:want|have|shallow) ([0-9a-f]{40})(?:$|[ \n\0])/i;
/** First word, separator, and rest of a line without the line feed. */
const LINE = /^([a-z-]*)[ =]?(.*?)\n?$/s;
/**
 * Maximum length of a filter, in characters, which is enough for about a dozen combined filters. git compares
 * each object with each filter.
 */
export const MAX_FILTER_LENGTH = 256;
/** Maximum length of a client's text in an error message, in characters. */
const MAX_REPEATED = 100;

/** Line for an object that does not exist. */
const HAVE_NOTHING = pktLine(`have ${"0".repeat(40)}\n`);

const encoder = new TextEncoder();

export interface UploadRequest {
  /** Whether the request asks for a list of references instead of objects. */
  readonly isList: boolean;
  readonly wanted: ReadonlySet<Oid>;
  /** Objects that the client already has. */
  readonly had: ReadonlySet<Oid>;
  /** Commits at which the history of the client's shallow clone ends. */
  readonly shallow: ReadonlySet<Oid>;
  /** Names of references whose history the client does not want. */
  readonly excluded: ReadonlySet<string>;
  /** Number of prefixes that limit the list of references. */
  readonly prefixes: number;
  /**
   * Whether `HEAD` begins with one of the prefixes; `false` without prefixes, although all references are
   * then listed.
   */
  readonly hasHeadPrefix: boolean;
  readonly asksTargets: boolean;
}

/**
 * Reads a request. Each line must have a form that the service offers. git itself checks whether the lines
 * fit together.
 *
 * @throws {MalformedError} when the body is not in git's protocol.
 * @throws {TooLargeError} when a limit of this module is exceeded, except {@link MAX_REF_PREFIXES} and
 * {@link MAX_HAVES}.
 * @throws {ForbiddenError} for a command that is not offered.
 */
export async function readUploadRequest(body: Uint8Array, task: Task): Promise<UploadRequest> {
  const wanted = new Set<Oid>(), had = new Set<Oid>(), shallow = new Set<Oid>();
  const excluded = new Set<string>();
  let isList = false;
  let prefixes = 0;
  let hasHeadPrefix = false;
  let asksTargets = false;
  await eachPktLine(body, task, (start, end) => {
    const line = contentOf(body, start, end);
    if (line === undefined) return;
    const [word, rest] = split(line);
    if (!OFFERED_WORDS.has(word)) throw new MalformedError(`Cannot read line ${quote(line)}`);
    if (word === "command") {
      if (!OFFERED_COMMANDS.has(rest)) throw notOffered(rest);
      isList ||= rest === "ls-refs";
    } else if (word === "want") wanted.add(oidIn(line));
    else if (word === "have" && had.size < MAX_HAVES) had.add(oidIn(line));
    else if (word === "shallow") requireFew(shallow.add(oidIn(line)).size, MAX_SHALLOW, "shallow commits");
    else if (word === "deepen-not") requireFew(excluded.add(rest).size, MAX_EXCLUDED_REFS, "references");
    else if (word === "filter") requireFew(rest.length, MAX_FILTER_LENGTH, "characters of a filter");
    else if (word === "symrefs") asksTargets = true;
    else if (word === "ref-prefix") {
      prefixes++;
      hasHeadPrefix ||= "HEAD".startsWith(rest);
    }
  });
  return { isList, wanted, had, shallow, excluded, prefixes, hasHeadPrefix, asksTargets };
}

/** Checks whether the requested list of references contains `HEAD`, if `HEAD` exists. */
export function listsHead({ isList, prefixes, hasHeadPrefix }: UploadRequest): boolean {
  return isList && (hasHeadPrefix || prefixes === 0 || prefixes > MAX_REF_PREFIXES);
}

/** The visible objects and references that a request names. */
export interface ShownOfRequest {
  /** Checks whether the client may know about an object that it has, or at which its history ends. */
  readonly isShown: (oid: Oid) => boolean;
  /** Full name of each excluded reference, by its name in the request. */
  readonly excluded: ReadonlyMap<string, string>;
}

/**
 * Rewrites a request for git. Ids of hidden objects are replaced or removed, so that git responds as if the
 * objects did not exist.
 */
export async function hideInRequest(
  body: Uint8Array<ArrayBuffer>,
  { had, shallow, excluded, prefixes }: UploadRequest,
  protocol: GitProtocol,
  shown: ShownOfRequest,
  task: Task,
): Promise<Uint8Array<ArrayBuffer>> {
  const hasManyPrefixes = prefixes > MAX_REF_PREFIXES;
  if (had.size + shallow.size + excluded.size === 0 && !hasManyPrefixes) return body;
  const parts: Uint8Array[] = [];
  let fromByte = 0;
  const replace = (start: number, end: number, text: string) => {
    if (fromByte < start) parts.push(body.subarray(fromByte, start));
    if (text !== "") parts.push(encoder.encode(text));
    fromByte = end;
  };
  await eachPktLine(body, task, (start, end) => {
    const line = contentOf(body, start, end);
    if (line === undefined) return;
    const [word, rest] = split(line);
    if (word === "deepen-not") replace(start, end, pktLine(`deepen-not ${shown.excluded.get(rest) ?? rest}`));
    else if (word === "ref-prefix" && hasManyPrefixes) replace(start, end, "");
    else if (word === "shallow" && !shown.isShown(oidIn(line))) replace(start, end, "");
    else if (word === "have" && !shown.isShown(oidIn(line))) {
      // In version 2 of the protocol, the response depends on whether the request has any `have` line. In
      // older versions, the response may repeat the id.
      replace(start, end, protocol === 2 ? HAVE_NOTHING : "");
    }
  });
  return joinBytes([...parts, body.subarray(fromByte)]);
}

function split(line: string): readonly [word: string, rest: string] {
  const [, word = "", rest = ""] = LINE.exec(line) ?? [];
  return [word, rest];
}

function oidIn(line: string): Oid {
  const oid = WITH_OID.exec(line)?.[1]?.toLowerCase();
  if (oid === undefined || !isOid(oid)) {
    throw new MalformedError(`Line ${quote(line)} names no object id`);
  }
  return oid;
}

function requireFew(count: number, most: number, what: string): void {
  if (count > most) throw new TooLargeError(`Request has more than ${most} ${what}`);
}

function notOffered(command: string): ForbiddenError {
  return new ForbiddenError(`Command ${quote(command)} is not offered: expected ls-refs or fetch`);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_REPEATED));
}
