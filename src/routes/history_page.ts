/** Pages of history as both dialects ask for them (4.2.2). */
import type * as v from "valibot";
import type { Subject } from "./cacheable.ts";
import type { Call, OpenRepository } from "./call.ts";
import { type HistoryRange, historyRange } from "../browse/history.ts";
import { commitOf } from "./named_commits.ts";
import type { CommitsQuery } from "../contract/queries.ts";
import type { Answer } from "../http/answer.ts";
import { type Extent, pageFields } from "../http/page_links.ts";
import { parseCommitish } from "../ids/commitish.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** The parsed request for a page of history. */
export interface HistoryPage extends Subject, HistoryRange {
  /** First commit of the history; `undefined` for the head. */
  readonly parent: Oid | undefined;
}

/**
 * The page that a query asks for.
 *
 * @param open Opens the repository, to find the commit of a name.
 */
export async function toHistoryPage(
  call: Call,
  rid: RepoId,
  { parent, ...range }: v.InferOutput<typeof CommitsQuery>,
  open: () => Promise<OpenRepository>,
): Promise<HistoryPage> {
  const from = parent === undefined ? undefined : parseCommitish(parent);
  const tip = from && await commitOf(call, from, open);
  return { rid, parent: tip, ...historyRange(range) };
}

/**
 * The header fields of a page. Choice: the references name the commit with which the history begins, so that
 * pages fit together while the branch moves.
 */
export function historyFields(
  parent: Oid,
  { page, perPage = Infinity, since, until }: HistoryPage,
  extent: Extent,
): Answer["headers"] {
  return pageFields({ parent, since, until }, { page, perPage }, extent);
}
