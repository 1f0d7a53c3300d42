/** A commit as clients of today's service see it. */
import { TRIMMING } from "../../git/commit.ts";
import type { CommitReading } from "../../git/objects.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Commit as CommitView } from "../../contract/commits.ts";
import { viewCommit } from "../commit.ts";

/**
 * Reads a commit and shows it, with the members of version 1. Names may end with a full stop.
 *
 * @throws {ApiError} `notFound` when there is no commit of this id.
 */
export async function viewTodayCommit(
  repository: Repository,
  id: Oid,
  reading?: CommitReading,
): Promise<CommitView> {
  return await viewCommit(repository, id, { ...reading, trimmed: TRIMMING });
}
