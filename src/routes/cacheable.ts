/**
 * Which answers may be kept, by us and by others (RFC 9111): those on full object ids, which never change, and those that move with references.
 * Whoever asks must be allowed to read the repository, whatever is remembered.
 */
import { memoize } from "../cache/memoize.ts";
import type { Call, Handler, OpenRepository } from "./call.ts";
import { type ResolvedRef, resolveRefs } from "../git/references.ts";
import { type Answer, discardBody, withHeaders } from "../http/answer.ts";
import { entityTag, holdsTag, isAnyTag, notModified, TextDigest } from "../http/conditional.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "../ports/storage.ts";
import { Turns } from "../time/turns.ts";
import { VERSION } from "../version.ts";

/** For a week nobody needs to ask again. */
const NEVER_CHANGES = "public, max-age=604800, immutable";
/** Everybody may keep it, and has to ask each time whether it still holds. */
const ASK_AGAIN = "no-cache";
/** Nobody may keep it: what belongs to repositories that not everybody may read. */
export const NOT_TO_BE_KEPT = "private, no-store";

/**
 * What an answer depends on beside the repository and the parameters of its path: a short text without spaces. `undefined` when it cannot be told;
 * then the answer is not kept.
 */
export type StateOf = (call: Call, repository: OpenRepository) => Awaitable<string | undefined>;

/** Has the answers of a handler kept for ever: they depend on full object ids, and perhaps on parts of the request that `stateOf` tells. */
export function immutable(handler: Handler, stateOf: StateOf = () => ""): Handler {
  return (call) => answerFor(call, handler, NEVER_CHANGES, stateOf);
}

/** Has the answers of a handler kept for as long as `stateOf` tells the same. */
export function revalidated(handler: Handler, stateOf: StateOf): Handler {
  return (call) => answerFor(call, handler, ASK_AGAIN, stateOf);
}

/** How many branches there are: all that the statistics of a history take from references. */
export async function branchCount(_call: Call, { objects }: OpenRepository): Promise<string> {
  return String((await objects.refs("refs/heads/")).length);
}

/** Which branches there are, and where they point to. */
export async function branchTips(_call: Call, { objects }: OpenRepository): Promise<string> {
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
  const turns = new Turns();
  const digest = new TextDigest();
  for (let at = 0; at < refs.length; at += REFS_AT_ONCE) {
    digest.add(refs.slice(at, at + REFS_AT_ONCE).map(({ name, oid }) => `${oid} ${name}\n`).join(""));
    await turns.next();
  }
  return digest.end();
});

async function answerFor(call: Call, handler: Handler, control: string, stateOf: StateOf): Promise<Answer> {
  const subject = readSubject(call);
  const repository = subject && await call.tryRepository(subject.rid);
  const state = repository && await stateOf(call, repository);
  // The handler knows how to say what is wrong.
  if (subject === undefined || repository === undefined || state === undefined) return await handler(call);

  const { finished } = call.service;
  const key = [call.pattern, subject.rid, ...subject.oids, state, subject.path].join(" ");
  const known = finished.get(key);
  const headers = known?.headers ?? { "cache-control": control, etag: entityTag(`${VERSION} ${key}`) };
  const asked = call.request.headers.get("if-none-match");
  if (asked !== null && holdsTag(asked, headers["etag"])) return notModified(headers);
  let answer: Answer;
  if (known !== undefined) answer = { status: 200, headers, body: known.bytes };
  else {
    const made = await handler(call);
    // What changed meanwhile may be in the answer already.
    if (made.status !== 200 || call.isMakeshift || await stateOf(call, repository) !== state) return made;
    answer = withHeaders(made, headers);
    const { body } = answer;
    if (body instanceof Uint8Array) finished.set(key, { bytes: body, headers: answer.headers });
  }
  if (asked === null || !isAnyTag(asked)) return answer;
  await discardBody(answer);
  return notModified(headers);
}

/** What a path names. */
interface Subject {
  readonly rid: RepoId;
  readonly oids: readonly Oid[];
  readonly path: string;
}

/**
 * Reads the parameters of a path in their order; `undefined` when an object id is short.
 *
 * @throws {ApiError} `badParameter`, for the first that cannot be read.
 */
function readSubject(call: Call): Subject | undefined {
  let rid: RepoId | undefined;
  let path = "";
  const oids: Oid[] = [];
  let isFull = true;
  for (const name of call.paramNames) {
    if (name === "project" || name === "rid") rid = call.rid(name);
    else if (name === "path") path = call.param(name);
    else {
      oids.push(call.oid(name));
      isFull &&= call.param(name).length === 2 * OID_BYTES;
    }
  }
  return rid !== undefined && isFull ? { rid, oids, path } : undefined;
}
