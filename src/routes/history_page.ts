/** Pages of history as both dialects ask for them (4.2.2). */
import type * as v from "valibot";
import type { Subject } from "./cacheable.ts";
import { type Call, commitOf, type OpenRepository } from "./call.ts";
import { DEFAULT_COMMITS, type HistoryRange, type PageOfHistory, pageOfHistory } from "../browse/history.ts";
import { renameFinder } from "../browse/renames.ts";
import type { CommitsQuery } from "../contract/queries.ts";
import type { Answer } from "../http/answer.ts";
import { type Extent, pageFields } from "../http/paging.ts";
import { parseCommitish } from "../ids/commitish.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** The parsed request for a page of history. */
export interface HistoryPage extends Subject, HistoryRange {
  /** First commit of the history; `undefined` for the head. */
  readonly parent: Oid | undefined;
  /** File or folder whose history is wanted; `undefined` for all. */
  readonly path: string | undefined;
  /** Whether renames of the file are followed; `undefined` for no. */
  readonly follow: "true" | undefined;
}

/**
 * The page that a query asks for.
 *
 * @param open Opens the repository, to find the commit of a name.
 */
export async function toHistoryPage(
  call: Call,
  rid: RepoId,
  { parent, path, follow, page, perPage, since, until }: v.InferOutput<typeof CommitsQuery>,
  open: () => Promise<OpenRepository>,
): Promise<HistoryPage> {
  const from = parent === undefined ? undefined : parseCommitish(parent);
  const tip = from && await commitOf(call, from, open);
  const isBounded = since !== undefined || until !== undefined;
  return {
    rid,
    parent: tip,
    page,
    // All commits that match are on the first page when only a bound of time is given.
    perPage: perPage ?? (isBounded ? undefined : DEFAULT_COMMITS),
    since,
    until,
    path: path?.replace(/\/$/, ""),
    follow: follow === "true" && path !== undefined ? follow : undefined,
  };
}

/**
 * The commits of a page.
 *
 * @param commits Number of commits in the whole history, if known.
 * @throws {ApiError} as `PathSearches.page`.
 */
export async function commitsOfPage(
  call: Call,
  repository: OpenRepository,
  tip: number,
  { path, follow, ...range }: HistoryPage,
  commits?: number,
): Promise<PageOfHistory> {
  if (path === undefined) return await pageOfHistory(repository, tip, range, commits);
  const { signal, service: { diffs, pathSearches } } = call;
  const findOldPath = follow && renameFinder(repository, { diffs, requester: call });
  return await pathSearches.page(repository, tip, { ...range, path }, { findOldPath, signal });
}

/**
 * The header fields of a page. Choice: the references name the commit with which the history begins, so that
 * pages fit together while the branch moves.
 */
export function historyFields(
  parent: Oid,
  { page, perPage = Infinity, since, until, path, follow, diff }: HistoryPage & {
    readonly diff?: string | undefined;
  },
  extent: Extent,
): Answer["headers"] {
  return pageFields({ parent, since, until, path, follow, diff }, { page, perPage }, extent);
}
