/**
 * Caches responses in memory, and sets header fields so that clients can cache them (RFC 9111). Responses
 * that depend only on object ids never change. Other responses are valid until a reference changes. The
 * permission to read the repository is checked before the cache is read.
 */
import type { Call, Handler } from "./call.ts";
import type { OpenRepository } from "./opened_repository.ts";
import { countBranches } from "../git/branches.ts";
import { shallowState } from "../git/shallow.ts";
import { digestOfRefs, resolveRefs } from "../git/references.ts";
import { type AnswerOf, discardBody, withHeaders } from "../http/answer.ts";
import { entityTag, holdsTag, isAnyTag, notModified } from "../http/conditional.ts";
import { GATHERED_BYTES } from "../http/respond.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "../ports/storage.ts";
import { type Integer, toJsonInteger } from "../text/integers.ts";
import { VERSION } from "../version.ts";

/** `Cache-Control` of immutable responses, which caches may use for a week without a request. */
const NEVER_CHANGES = "public, max-age=604800, immutable";
/** `Cache-Control` of other cached responses, which caches must revalidate before each use. */
const REVALIDATE = "no-cache";
/** `Cache-Control` of responses about private repositories, which no cache may store. */
export const PRIVATE_NO_STORE = "private, no-store";

/**
 * The parsed path and query of a request, with defaults filled in. The members are plain values in a fixed
 * order. Together they are the key of the cached response, so that different spellings of one request share
 * one key.
 */
export interface Subject {
  readonly rid: RepoId;
  readonly [name: string]: string | Integer | undefined;
}

/** Parses the path and the query of a request. Errors that the function throws become the response. */
export type ReadSubject<S extends Subject> = (call: Call) => Awaitable<S>;

export type Show<S extends Subject, T> = (
  call: Call,
  subject: S,
  repository: OpenRepository,
) => Promise<AnswerOf<T>>;

/**
 * Returns a short text without spaces that changes whenever the response to the same subject may change, such
 * as a digest of the references that the response shows. Returns `undefined` if the response must not be
 * cached.
 */
export type StateOf<S extends Subject> = (
  repository: OpenRepository,
  subject: S,
) => Awaitable<string | undefined>;

/**
 * Creates a handler whose responses never change, because they depend only on object ids. If a request names
 * a commit by a reference, caches must revalidate the response.
 */
export function immutable<S extends Subject, T>(read: ReadSubject<S>, show: Show<S, T>): Handler<T> {
  return async (call) => {
    const answer = await answerFor(call, NEVER_CHANGES, read, show, () => "");
    const isImmutable = answer.headers["cache-control"] === NEVER_CHANGES;
    return isImmutable && call.hasMovingName ? withHeaders(answer, { "cache-control": REVALIDATE }) : answer;
  };
}

/** Creates a handler whose responses are valid as long as `stateOf` returns the same text. */
export function revalidated<S extends Subject, T>(
  read: ReadSubject<S>,
  show: Show<S, T>,
  stateOf: StateOf<S>,
): Handler<T> {
  return (call) => answerFor(call, REVALIDATE, read, show, stateOf);
}

/**
 * Returns the number of branches as a state. For statistics about the history of a commit, only the number of
 * branches can change.
 */
export async function branchCount(repository: OpenRepository): Promise<string> {
  return String(await countBranches(repository));
}

/** Returns a digest of the names and targets of all branches as a state. */
export async function branchTips({ objects, task }: OpenRepository): Promise<string> {
  const [heads, remotes] = [
    await resolveRefs(objects, "refs/heads/", task),
    await resolveRefs(objects, "refs/remotes/", task),
  ];
  return `${await digestOfRefs(heads, task)}.${await digestOfRefs(remotes, task)}`;
}

function writeInteger(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? toJsonInteger(value) : value;
}

async function answerFor<S extends Subject, T>(
  call: Call,
  usualControl: string,
  read: ReadSubject<S>,
  show: Show<S, T>,
  stateOf: StateOf<S>,
): Promise<AnswerOf<T>> {
  const subject = await read(call);
  const repository = await call.repository(subject.rid);
  const state = await stateOf(repository, subject);
  // Without a state, the response is not cached. Usually `show` then throws an error.
  if (state === undefined) return await show(call, subject, repository);

  const shallow = await shallowState(repository.objects);
  // A shallow repository may later get the missing parents of its commits.
  const control = shallow === "" ? usualControl : REVALIDATE;
  const key = `${call.pattern} ${state}${shallow} ${JSON.stringify(subject, writeInteger)}`;
  const cached = call.service.answerCache.get(key);
  const headers = cached?.headers ?? { "cache-control": control, etag: entityTag(`${VERSION} ${key}`) };
  const ifNoneMatch = call.request.headers.get("if-none-match");
  if (ifNoneMatch !== null && holdsTag(ifNoneMatch, headers["etag"])) return notModified(headers);

  let answer: AnswerOf<T>;
  if (cached !== undefined) answer = { status: 200, headers, body: cached.bytes };
  else {
    // Short requests that have arrived in the meantime run first.
    await call.task.begin();
    const made = await show(call, subject, repository);
    // A reference may have changed while the response was made.
    if (made.status !== 200 || call.isPartial || await stateOf(repository, subject) !== state) return made;
    answer = cachedWhenRead(call, key, withHeaders(made, headers));
  }
  if (ifNoneMatch === null || !isAnyTag(ifNoneMatch)) return answer;
  await discardBody(answer);
  return notModified(headers);
}

/** Caches a response under a key. A streamed body is cached when the stream has been read to its end. */
function cachedWhenRead<T>(call: Call, key: string, answer: AnswerOf<T>): AnswerOf<T> {
  const { answerCache, streamCopies } = call.service;
  const { body } = answer;
  const take = (bytes: Uint8Array<ArrayBuffer>) => {
    if (call.isPartial) return;
    const headers = { ...answer.headers, "content-length": String(bytes.length) };
    answerCache.set(key, { bytes, headers }, call.parts);
  };
  if (body instanceof Uint8Array) take(body);
  else if (body !== undefined && answerCache.admits(GATHERED_BYTES)) {
    const admits = (bytes: number) => answerCache.admits(bytes);
    return { ...answer, body: { ...body, stream: streamCopies.copy(body.stream, { admits, take }) } };
  }
  return answer;
}
