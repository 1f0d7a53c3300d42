/** Expected answers: recorded ones, changed where ours differ on purpose, and how an answer is compared with one. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Json, SETS } from "../compare/json.ts";
import { steadyPart } from "../compare/judge.ts";
import { ARCHIVE_TYPES, listArchive } from "../support/archive_entries.ts";
import type { RecordedAnswer } from "./recordings.ts";
import type { Answer } from "./send.ts";

/** Header fields that are compared when they were recorded; those of `LISTS` as sets of lower-case names. */
const FIELDS = [
  "content-type",
  "cache-control",
  "vary",
  "allow",
  "access-control-allow-origin",
  "access-control-max-age",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "content-disposition",
];
const LISTS = new Set(["vary", "allow", "access-control-allow-methods", "access-control-allow-headers"]);
/** Stands for any safe integer. */
const ANY_NUMBER = "{{ANY-NUMBER}}";
/** Longest JSON that a deviation spells out, in characters; of longer ones it has size and checksum. */
const SPELLED_LIMIT = 600;

/** How an answer differs from the recorded one. */
export interface Changes {
  readonly status?: number;
  /** Header fields by lower-case name, null for absent ones. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Values by JSON pointer (RFC 6901); a list of another length is one value. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** JSON pointers of recorded members that the answer lacks. */
  readonly absent?: readonly string[];
  /** The whole body in place of the recorded one. */
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyLength?: number;
  readonly bodySha256?: string;
}

/** A body: JSON, or bytes as their size and checksum. */
type Content = { readonly json: unknown } | { readonly text: string } | Digest;
interface Digest {
  readonly length: number;
  readonly sha256: string;
}

/** What is compared of an answer. */
export interface Comparable {
  /** 0 for a connection that was closed without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Content;
}

/** What is compared of a recorded answer. */
export function ofRecorded(recorded: RecordedAnswer): Comparable {
  const { status = 0, responseHeaders = {}, body, bodyText, bodyBase64, bodyLength, bodySha256 } = recorded;
  const { "content-type": type = "" } = responseHeaders;
  const { entries, paxComment, zipComment } = recorded;
  const content = entries !== undefined && ARCHIVE_TYPES.has(type)
    ? { json: { entries, comment: paxComment ?? zipComment ?? null } }
    : type === ADVERTISEMENT && bodyBase64 !== undefined
    ? { json: readAdvertisement(Buffer.from(bodyBase64, "base64")) }
    : bodySha256 !== undefined
    ? { length: bodyLength!, sha256: bodySha256 }
    : body !== undefined && body !== null
    ? { json: body }
    : ofBytes(bodyText !== undefined ? Buffer.from(bodyText) : Buffer.from(bodyBase64 ?? "", "base64"));
  return { status, headers: comparedFields(responseHeaders), content };
}

/** What is compared of an answer. @param toRecorded puts the placeholders of recordings into a JSON text. */
export function ofAnswer(
  { status, headers, body }: Answer,
  toRecorded: (text: string) => string,
): Comparable {
  const { "content-type": type = "" } = headers;
  const content = body.length === 0
    ? ofBytes(body)
    : /^application\/json\b/.test(type)
    ? { json: JSON.parse(toRecorded(Buffer.from(body).toString())) }
    : ARCHIVE_TYPES.has(type)
    ? { json: listArchive(body, type) }
    : type === ADVERTISEMENT
    ? { json: readAdvertisement(Buffer.from(body)) }
    : ofBytes(body);
  return { status, headers: comparedFields(headers), content };
}

/** Media type of the references that git advertises. */
const ADVERTISEMENT = "application/x-git-upload-pack-advertisement";

/** The lines that git advertises, and its capabilities but for its version. */
function readAdvertisement(bytes: Buffer): unknown {
  const lines: string[] = [];
  let capabilities: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = parseInt(bytes.subarray(at, at + 4).toString("latin1"), 16);
    const [line = "", rest] = bytes.subarray(at + 4, at + length).toString("utf8").trimEnd().split("\0");
    if (rest !== undefined) capabilities = rest.split(" ").filter((word) => !word.startsWith("agent="));
    if (!line.startsWith("agent=")) lines.push(line);
    at += Math.max(length, 4);
  }
  return { lines, capabilities };
}

function ofBytes(bytes: Uint8Array): Content {
  const text = Buffer.from(bytes).toString("utf8");
  const isText = bytes.length <= SPELLED_LIMIT && Buffer.from(text).equals(bytes);
  return isText ? { text } : digest(bytes);
}

function digest(bytes: Uint8Array): Digest {
  return { length: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function comparedFields(fields: Readonly<Record<string, string>>): Record<string, string> {
  const sorted = (list: string) => list.toLowerCase().split(/\s*,\s*/).filter(Boolean).sort().join(", ");
  return Object.fromEntries(
    FIELDS.filter((name) => fields[name] !== undefined)
      .map((name) => [name, LISTS.has(name) ? sorted(fields[name]!) : fields[name]!]),
  );
}

/** The recorded answer with changes. */
export function applyChanges(recorded: Comparable, changes: Changes): Comparable {
  const headers = Object.entries({ ...recorded.headers, ...changes.headers });
  return {
    status: changes.status ?? recorded.status,
    headers: Object.fromEntries(headers.filter((field): field is [string, string] => field[1] !== null)),
    // An answer with another status has nothing of the recorded body.
    content: applyToContent(changes.status === undefined ? recorded.content : { text: "" }, changes),
  };
}

function applyToContent(recorded: Content, changes: Changes): Content {
  const { body, bodyText, bodyLength, bodySha256, members = {}, absent = [] } = changes;
  if (bodySha256 !== undefined) return { length: bodyLength!, sha256: bodySha256 };
  if (bodyText !== undefined) return { text: bodyText };
  if (body !== undefined) return { json: body };
  if (!("json" in recorded)) return recorded;
  const json = structuredClone(recorded.json);
  for (const pointer of absent) delete parentOf(json, pointer)[lastOf(pointer)];
  for (const [pointer, value] of Object.entries(members)) parentOf(json, pointer)[lastOf(pointer)] = value;
  return { json };
}

function parentOf(json: unknown, pointer: string): Record<string, unknown> {
  const names = pointer.split("/").slice(1, -1).map(unescaped);
  return names.reduce(
    (value, name) => value[name] as Record<string, unknown>,
    json as Record<string, unknown>,
  );
}

function lastOf(pointer: string): string {
  return unescaped(pointer.slice(pointer.lastIndexOf("/") + 1));
}

function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The changes that make one answer of another; undefined when they are equal. */
export function findChanges(recorded: Comparable, answer: Comparable): Changes | undefined {
  const fields = Object.keys(recorded.headers).filter((name) =>
    recorded.headers[name] !== answer.headers[name]
  );
  const headers = Object.fromEntries(fields.map((name) => [name, answer.headers[name] ?? null]));
  const isOther = recorded.status !== answer.status;
  const changes = {
    ...(isOther && { status: answer.status }),
    ...(fields.length > 0 && { headers }),
    ...findContentChanges(isOther ? { text: "" } : recorded.content, answer.content),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

function findContentChanges(recorded: Content, answer: Content): Changes {
  if (!("json" in answer)) {
    if (isDeepStrictEqual(recorded, answer)) return {};
    return "text" in answer
      ? { bodyText: answer.text }
      : { bodyLength: answer.length, bodySha256: answer.sha256 };
  }
  if ("json" in recorded) {
    if (isDeepStrictEqual(recorded.json, answer.json)) return {};
    const found: Found = { members: {}, absent: [] };
    compareJson(recorded.json, answer.json, "", "", found);
    const { members, absent } = found;
    const names = Object.keys(members);
    const text = JSON.stringify(members);
    if (!names.includes("") && text.length <= SPELLED_LIMIT) {
      return { ...(names.length > 0 && { members }), ...(absent.length > 0 && { absent }) };
    }
  }
  const text = JSON.stringify(answer.json);
  if (text.length <= SPELLED_LIMIT) return { body: answer.json };
  const { length, sha256 } = digest(Buffer.from(text));
  if (isDeepStrictEqual(recorded, { length, sha256 })) return {};
  return { bodyLength: length, bodySha256: sha256 };
}

interface Found {
  readonly members: Record<string, unknown>;
  readonly absent: string[];
}

function compareJson(recorded: unknown, answer: unknown, key: string, pointer: string, found: Found): void {
  if (recorded === ANY_NUMBER && Number.isSafeInteger(answer)) return;
  const isList = Array.isArray(recorded) && Array.isArray(answer);
  if (isList && SETS.has(key)) {
    const isSame = isDeepStrictEqual(recorded.toSorted(byText), answer.toSorted(byText));
    if (!isSame) found.members[pointer] = answer;
  } else if (isList && recorded.length === answer.length) {
    recorded.forEach((value, at) => compareJson(value, answer[at], "", `${pointer}/${at}`, found));
  } else if (isObject(recorded) && isObject(answer)) {
    for (const name of Object.keys({ ...recorded, ...answer })) {
      const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (!(name in answer)) found.absent.push(at);
      else compareJson(recorded[name], answer[name], name, at, found);
    }
  } else if (!isDeepStrictEqual(recorded, answer)) {
    found.members[pointer] = answer;
  }
}

function byText(one: unknown, other: unknown): number {
  const [left, right] = [one, other].map((value) => JSON.stringify(value));
  return left! < right! ? -1 : left === right ? 0 : 1;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Leaves out of an answer what differs by nature: times of `/activity` outside the window that both clocks share, and the
 * order of an inventory, which is random.
 */
export function withoutChance(one: Comparable, path: string, nowSeconds: number): Comparable {
  if (!("json" in one.content)) return one;
  const { json } = one.content;
  if (/\/inventory(\?|$)/.test(path) && Array.isArray(json)) {
    return { ...one, content: { json: json.toSorted(byText) } };
  }
  return { ...one, content: { json: steadyPart(json as Json, path, nowSeconds) } };
}
