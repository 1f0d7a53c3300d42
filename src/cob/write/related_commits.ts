/** Commits that a change is about: they become parents of its entry, so they must be there, and must not be entries. */
import { ApiError, DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { ObjectHeader, Repository } from "../../ports/storage.ts";

/**
 * Checks that there is a commit of that id.
 *
 * @throws {ApiError} `notFound` when there is no such object, `unprocessable` when it is of another kind.
 */
export async function requireCommit(repository: Repository, oid: Oid): Promise<void> {
  const header = await tryHeader(repository, oid);
  if (header === undefined) throw new ApiError("notFound", `Commit ${oid} was not found`);
  if (header.kind !== "commit") {
    throw new ApiError("unprocessable", `Object ${oid} is a ${header.kind}, no commit`);
  }
}

/**
 * Checks the commits that a change of an object is about.
 *
 * @param tips What the entry is written on top of. One of them cannot be related, too: readers take a related commit for no entry.
 * @throws {ApiError} as {@link requireCommit}.
 */
export async function checkRelated(
  repository: Repository,
  related: readonly Oid[],
  tips: readonly Oid[],
): Promise<void> {
  for (const oid of related) {
    await requireCommit(repository, oid);
    if (tips.includes(oid)) {
      throw new ApiError("unprocessable", `Commit ${oid} is an entry of the object itself`);
    }
  }
}

/** What is known of an object; damaged ones are as good as absent. */
export async function tryHeader(repository: Repository, oid: Oid): Promise<ObjectHeader | undefined> {
  try {
    return await repository.header(oid);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}
