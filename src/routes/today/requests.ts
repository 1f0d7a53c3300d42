/** Common parts of requests by today's clients. */
import type { Call, OpenRepository, RowOf } from "../call.ts";
import type { todayEndpoints } from "../../contract/today.ts";
import { ApiError } from "../../errors.ts";
import type { RepoId } from "../../ids/rid.ts";

/** A row of the table of today's routes. */
export type TodayRow = RowOf<typeof todayEndpoints[number]>;

/** Items of a page of repositories at most: more are not an error. */
export const MAX_PER_PAGE = 100;

/**
 * The repository that the path names by id or alias.
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
export async function requireRepo(call: Call, rid: RepoId): Promise<OpenRepository> {
  return await call.tryRepository(rid) ?? notFound();
}

function notFound(): never {
  throw new ApiError("notFound", "Not Found");
}
