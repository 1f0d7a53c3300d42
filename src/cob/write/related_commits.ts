/**
 * Related commits of a change. They become parents of its entry, so they must exist, and must not be entries
 * of the object.
 */
import { ApiError, unlessDamaged } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";

/**
 * Checks that there is a commit of that id.
 *
 * @throws {ApiError} `notFound` when there is no such object, `unprocessable` when it is no commit.
 */
export async function requireCommit(repository: Repository, oid: Oid): Promise<void> {
  const header = await unlessDamaged(() => repository.header(oid));
  if (header === undefined) throw new ApiError("notFound", `Commit ${oid} was not found`);
  if (header.kind !== "commit") {
    throw new ApiError("unprocessable", `Object ${oid} is a ${header.kind}, no commit`);
  }
}

/**
 * Checks the related commits of a change.
 *
 * @param tips Parents of the entry in the object. A related commit must not be one of them, since readers
 * take a related commit for no entry.
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
