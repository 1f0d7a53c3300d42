/**
 * Differences between the dialects where one handler serves both: the name of the repository in the path,
 * the order and the words of errors, and the view of a commit.
 */
import type { Call, OpenRepository } from "./call.ts";
import { ApiError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import { viewCommit, viewTodayCommit } from "../views/commit.ts";

/**
 * The repository that the path names, and what else `rest` reads, in the order in which the dialect answers
 * errors: version 1 the repository first.
 *
 * @throws {ApiError} `badParameter` in version 1, `notFound` for today's clients, when no repository can have
 *   this name; and as `rest`.
 */
export function readPath<T extends object>(call: Call, rest: () => T): { readonly rid: RepoId } & T {
  if (call.dialect === "v1") return { rid: call.rid("project"), ...rest() };
  const read = rest();
  return { rid: requireRid(call), ...read };
}

/**
 * The repository that a path of today's clients names by id or alias.
 *
 * @throws {ApiError} `notFound` for anything else.
 */
export function requireRid(call: Call): RepoId {
  return call.service.tryRid(call.param("rid")) ?? notFound();
}

/**
 * Opens a repository for the client.
 *
 * @throws {ApiError} `notFound` when there is none, or none that the client may know of.
 */
export async function openRepository(call: Call, rid: RepoId): Promise<OpenRepository> {
  return call.dialect === "v1" ? await call.repository(rid) : await call.tryRepository(rid) ?? notFound();
}

/** Opens the repository that the path names. */
export async function openNamed(call: Call): Promise<OpenRepository> {
  return await openRepository(call, readPath(call, () => ({})).rid);
}

/** The view of commits. */
export function commitViewOf({ dialect }: Call): typeof viewCommit {
  return dialect === "v1" ? viewCommit : viewTodayCommit;
}

function notFound(): never {
  throw new ApiError("notFound", "Not Found");
}
