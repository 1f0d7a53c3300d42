/** Parses annotated tags, and finds the objects to which they point. */
import { DamagedError } from "../errors.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Steps } from "../scheduling/task.ts";
import { type Integer, parseInteger } from "../text/integers.ts";
import { decodeInSteps } from "../text/utf8.ts";
import { type Person, readPersonInSteps, TRIMMING } from "./commit.ts";

export interface Tag {
  /** The object to which the tag points, which may be another tag. */
  readonly target: Oid;
  /** The person who created the tag; absent in old tags. */
  readonly tagger?: Tagger;
  /** Absent when the header does not end with an empty line. */
  readonly message?: string;
}

/** The person who created a tag, and the time. */
export interface Tagger extends Person {
  /** Seconds since the Unix epoch. */
  readonly timeSeconds: Integer;
}

/** Maximum number of tags in a chain of tags. A longer chain is not resolved. */
export const MAX_TAG_CHAIN = 16;

const FIRST_LINE = /^object ([0-9a-fA-F]{40})\n/;
const FIRST_LINE_BYTES = 48;

/**
 * Replaces the id of each tag by the id of the object to which the tag points, directly or through other
 * tags. All other ids are returned unchanged, including ids of missing objects and of chains that are longer
 * than {@link MAX_TAG_CHAIN}.
 *
 * @throws {DamagedError} when a tag cannot be read.
 */
export async function followTags(repository: Repository, oids: readonly Oid[]): Promise<readonly Oid[]> {
  const followed: Oid[] = [];
  for (const oid of oids) followed.push(await followTag(repository, oid));
  return followed;
}

async function followTag(repository: Repository, oid: Oid): Promise<Oid> {
  let at = oid;
  for (let tags = 0; (await repository.header(at))?.kind === "tag"; tags++) {
    const tag = tags < MAX_TAG_CHAIN ? await repository.object(at) : undefined;
    const target = tag && targetIn(latin1.decode(tag.bytes.subarray(0, FIRST_LINE_BYTES)));
    if (target === undefined) return oid;
    at = target;
  }
  return at;
}

/** Returns the object id in the first line of a tag; `undefined` if the line is malformed. */
function targetIn(text: string): Oid | undefined {
  const target = FIRST_LINE.exec(text)?.[1]?.toLowerCase();
  return target !== undefined && isOid(target) ? target : undefined;
}

const latin1 = new TextDecoder("latin1");

const TAGGER = /^tagger (.*>) (-?\d+)/m;
const HEADER_END = "\n\n";

/**
 * Parses a tag in steps. Bytes that are not UTF-8 become U+FFFD.
 *
 * @throws {DamagedError} when the bytes are not a tag.
 */
export function* parseTag(bytes: Uint8Array): Steps<Tag> {
  const text = yield* decodeInSteps(bytes, new TextDecoder("utf-8", { ignoreBOM: true }));
  const target = targetIn(text);
  if (target === undefined) throw new DamagedError("A tag has no object");
  const end = text.indexOf(HEADER_END);
  const [, person, seconds] = TAGGER.exec(end < 0 ? text : text.slice(0, end)) ?? [];
  return {
    target,
    ...(person !== undefined &&
      { tagger: { ...yield* readPersonInSteps(person, TRIMMING), timeSeconds: parseInteger(seconds!) } }),
    ...(end >= 0 && { message: text.slice(end + HEADER_END.length) }),
  };
}
