/**
 * Answers that may be cached, here and by clients (RFC 9111): those on object ids never change, the others hold as long as references do. The right
 * to read the repository is checked for each request, whatever is cached.
 */
import { memoize } from "../cache/memoize.ts";
import type { Call, Handler, OpenRepository } from "./call.ts";
import { type ResolvedRef, resolveRefs } from "../git/references.ts";
import { type Answer, discardBody, withHeaders } from "../http/answer.ts";
import { entityTag, holdsTag, isAnyTag, notModified, TextDigest } from "../http/conditional.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "../ports/storage.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { VERSION } from "../version.ts";

/** For a week nobody needs to ask again. */
const NEVER_CHANGES = "public, max-age=604800, immutable";
/** Everybody may keep it, and has to ask each time whether it still holds. */
const ASK_AGAIN = "no-cache";
/** Nobody may keep it: what belongs to repositories that not everybody may read. */
export const NOT_TO_BE_KEPT = "private, no-store";

/**
 * A request as its path and query were read: names parsed, defaults filled in, everything left out that does not change the answer. Its members are
 * plain values, always in the same order; together they are the key of the answer, so that every spelling of a request has the same one.
 */
export interface Subject {
  readonly rid: RepoId;
  readonly [name: string]: string | number | undefined;
}

/** Reads the path and the query of a request; what it throws is the answer. */
export type ReadSubject<S extends Subject> = (call: Call) => S;

/** Makes the answer to a request that was read. */
export type Show<S extends Subject> = (call: Call, subject: S) => Promise<Answer>;

/**
 * Tells the references that an answer depends on beside its subject, as a short text without spaces. `undefined` when that cannot be told; then the
 * answer is not cached.
 */
export type StateOf<S extends Subject> = (
  repository: OpenRepository,
  subject: S,
) => Awaitable<string | undefined>;

/** Caches answers for ever: they depend on nothing but their subject, such as an object id. */
export function immutable<S extends Subject>(read: ReadSubject<S>, show: Show<S>): Handler {
  return (call) => answerFor(call, NEVER_CHANGES, read, show, () => "");
}

/** Caches answers for as long as `stateOf` tells the same. */
export function revalidated<S extends Subject>(
  read: ReadSubject<S>,
  show: Show<S>,
  stateOf: StateOf<S>,
): Handler {
  return (call) => answerFor(call, ASK_AGAIN, read, show, stateOf);
}

/** How many branches there are: all that the statistics of a history take from references. */
export async function branchCount({ objects }: OpenRepository): Promise<string> {
  return String((await objects.refs("refs/heads/")).length);
}

/** Which branches there are, and where they point to. */
export async function branchTips({ objects }: OpenRepository): Promise<string> {
  const [heads, remotes] = [
    await resolveRefs(objects, "refs/heads/"),
    await resolveRefs(objects, "refs/remotes/"),
  ];
  return `${await digestOfRefs(heads)}.${await digestOfRefs(remotes)}`;
}

/** References that are hashed in one go: about a millisecond. */
const REFS_AT_ONCE = 1024;

/** A short text that stands for a list of references; made once for each list that a storage hands out. */
const digestOfRefs = memoize(async (refs: readonly ResolvedRef[]): Promise<string> => {
  const slices = new TimeSlices();
  const digest = new TextDigest();
  for (let at = 0; at < refs.length; at += REFS_AT_ONCE) {
    digest.add(refs.slice(at, at + REFS_AT_ONCE).map(({ name, oid }) => `${oid} ${name}\n`).join(""));
    await slices.next();
  }
  return digest.end();
});

async function answerFor<S extends Subject>(
  call: Call,
  control: string,
  read: ReadSubject<S>,
  show: Show<S>,
  stateOf: StateOf<S>,
): Promise<Answer> {
  const subject = read(call);
  const repository = await call.tryRepository(subject.rid);
  const state = repository && await stateOf(repository, subject);
  // The answer says what is wrong.
  if (repository === undefined || state === undefined) return await show(call, subject);

  const { finished } = call.service;
  const key = `${call.pattern} ${state} ${JSON.stringify(subject)}`;
  const known = finished.get(key);
  const headers = known?.headers ?? { "cache-control": control, etag: entityTag(`${VERSION} ${key}`) };
  const asked = call.request.headers.get("if-none-match");
  if (asked !== null && holdsTag(asked, headers["etag"])) return notModified(headers);
  let answer: Answer;
  if (known !== undefined) answer = { status: 200, headers, body: known.bytes };
  else {
    const made = await show(call, subject);
    // What changed meanwhile may be in the answer already.
    if (made.status !== 200 || call.isPartial || await stateOf(repository, subject) !== state) return made;
    answer = withHeaders(made, headers);
    const { body } = answer;
    if (body instanceof Uint8Array) finished.set(key, { bytes: body, headers: answer.headers });
  }
  if (asked === null || !isAnyTag(asked)) return answer;
  await discardBody(answer);
  return notModified(headers);
}
