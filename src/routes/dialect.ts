/**
 * Differences between the dialects in handlers that serve both dialects: names of repositories in paths,
 * errors, commits, and objects with different members.
 */
import type { Call, Handler } from "./call.ts";
import { commitOf, type OpenRepository } from "./opened_repository.ts";
import { NotFoundError } from "../errors.ts";
import { json } from "../http/respond.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "../ports/storage.ts";
import { viewCommit, viewTodayCommit } from "../views/commit.ts";

/**
 * Reads the name of the repository in the path, and calls `rest` to read the other parameters. The dialect
 * decides which errors come first. Version 1 reads the repository name first.
 *
 * @throws {UnreadableIdError} in version 1 when the name cannot be a repository.
 * @throws {NotFoundError} in the `/repos` dialect when the name cannot be a repository.
 */
export function readPath<T extends object>(call: Call, rest: () => T): { readonly rid: RepoId } & T {
  if (call.dialect === "v1") return { rid: call.rid("project"), ...rest() };
  const read = rest();
  return { rid: requireRid(call), ...read };
}

/**
 * Finds the repository in a path of the `/repos` dialect by its id or alias.
 *
 * @throws {NotFoundError} when the name is neither an id nor an alias.
 */
export function requireRid(call: Call): RepoId {
  return call.service.tryRid(call.param("rid")) ?? notFound();
}

export async function openNamed(call: Call): Promise<OpenRepository> {
  return await call.repository(readPath(call, () => ({})).rid);
}

export async function parseCommitPath(call: Call): Promise<{ readonly rid: RepoId; readonly oid: Oid }> {
  const { rid, sha } = readPath(call, () => ({ sha: call.commitish("sha") }));
  return { rid, oid: await commitOf(call, sha, () => call.repository(rid)) };
}

/** Returns the function that creates the JSON of a commit in the dialect of the call. */
export function commitViewOf({ dialect }: Call): typeof viewCommit {
  return dialect === "v1" ? viewCommit : viewTodayCommit;
}

/** Functions that create the members of an object in each dialect. */
export interface Members<A extends object, B extends object> {
  v1(call: Call): Awaitable<A>;
  today(call: Call): Awaitable<B>;
}

/** Creates a handler that shows an object in the dialect of the call. */
export function showMembers<A extends object, B extends object>(members: Members<A, B>): Handler<A & B> {
  return async (call) => json(await members[call.dialect](call) as A & B);
}

/**
 * Creates a handler that shows the members and links of both dialects in one object. If both dialects have a
 * member with the same name, shows the member of version 1.
 */
export function showJoined<A extends object, B extends object>({ v1, today }: Members<A, B>): Handler<A & B> {
  return async (call) => {
    const [first, second] = [await v1(call), await today(call)];
    const links = [...linksOf(first), ...linksOf(second)];
    const once = new Map(links.map((link) => [JSON.stringify(link), link]));
    return json({ ...first, ...second, ...first, ...(links.length > 0 && { links: [...once.values()] }) });
  };
}

function linksOf(members: object): readonly unknown[] {
  return "links" in members && Array.isArray(members.links) ? members.links : [];
}

function notFound(): never {
  throw new NotFoundError("Not Found");
}
