/**
 * Creates the rows of issues and patches in `rad`'s cache, and writes them after each change. The rows are
 * equal to the rows that the Radicle programs would write, with times in milliseconds. The format of issues
 * is the same for all releases. The format of patches differs in the reviews.
 */
import type { CommitGraphs } from "../../git/commit_graphs.ts";
import type { HomeGeneration } from "../../identity/generation.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CachedType, CobCache, RowForm } from "../../ports/cob_cache.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Repository } from "../../ports/storage.ts";
import { type MakeRow, MAX_ROW_LENGTH, RowWriter, TOO_LARGE_ROW } from "./cache_row_writer.ts";
import type { Evaluation } from "../evaluation/evaluation.ts";
import { type Issue, ISSUE_TYPE } from "../issue/issue.ts";
import { RULES } from "../rules.ts";
import type { Cobs } from "../evaluation/store.ts";
import { areCut } from "../evaluation/text_budget.ts";
import type { Task } from "../../scheduling/task.ts";
import { didOfNid, type NodeId } from "../../ids/nid.ts";
import { compareLocations } from "../issue/code_location.ts";
import type { Embed } from "../entry/entry.ts";
import type { Patch } from "../patch/patch_state.ts";
import { reactionGroups, reactionPairs, type Reactions } from "../issue/reaction.ts";
import type { Review } from "../patch/review.ts";
import type { Revision } from "../patch/revision.ts";
import { type Comment, latest, type Thread } from "../issue/thread.ts";

/** Generation of Radicle programs whose rules apply to each row format. */
const READERS: Readonly<Record<RowForm, HomeGeneration>> = {
  "0.10": "0.10",
  "1.0": "0.10",
  "1.1": "1.1",
  newest: "newest",
};

export interface CacheRowsOptions {
  /** `rad`'s cache, or `undefined` on a host without this cache. */
  readonly cache: CobCache | undefined;
  /** Stores that evaluate the objects. */
  readonly cobs: Cobs;
  readonly log: Environment["log"];
  /** Returns a repository with its commit graph. */
  readonly graphs: Pick<CommitGraphs, "open">;
}

/** Creates and writes the rows of `rad`'s cache. */
export class CacheRows {
  readonly #options: CacheRowsOptions;
  readonly #writer: RowWriter | undefined;

  constructor(options: CacheRowsOptions) {
    this.#options = options;
    const { cache, log } = options;
    this.#writer = cache && new RowWriter({ cache, log });
  }

  /**
   * Updates the row of an object after the object's references have changed. The promise is never rejected,
   * because the change itself has succeeded. If the cache is locked, the promise is fulfilled after some
   * seconds (`LOCK_WAIT_MS`).
   */
  async update(repository: Repository, type: CachedType, id: Oid): Promise<void> {
    const { rid } = repository;
    await this.#writer?.update(
      { rid, type, id },
      (form, task) => this.#makeRow(repository, type, id, form, task),
    );
  }

  /**
   * Stops waiting for locks of other programs. The returned promise is fulfilled when no row is being
   * written.
   */
  async close(): Promise<void> {
    await this.#writer?.close();
  }

  async #makeRow(
    repository: Repository,
    type: CachedType,
    id: Oid,
    form: RowForm,
    task: Task,
  ): ReturnType<MakeRow> {
    const opened = this.#options.graphs.open(repository, task);
    const { issues, patches } = this.#options.cobs;
    const rules = RULES[READERS[form]];
    if (type === ISSUE_TYPE) {
      const issue = await issues.under(rules).get(opened, id);
      if (issue !== undefined && isTooLarge(issue)) return TOO_LARGE_ROW;
      return issue && JSON.stringify(toIssueRow(issue.state));
    }
    const patch = await patches.under(rules).get(opened, id);
    // Only the newest Radicle programs know other targets than the default branch.
    if (patch === undefined || form !== "newest" && patch.state.target !== "delegates") return undefined;
    if (isTooLarge(patch)) return TOO_LARGE_ROW;
    return JSON.stringify(toPatchRow(patch.state, form));
  }
}

function isTooLarge({ texts }: Pick<Evaluation<unknown>, "texts">): boolean {
  return areCut(texts) || texts.bytes > MAX_ROW_LENGTH;
}

export function toIssueRow({ assignees, title, state, labels, thread }: Issue): object {
  return { assignees, title, state, labels, thread: toThread(thread) };
}

/**
 * Returns the row of a patch. Revisions and reviews contain their ids in every format. `rad` 0.10 ignores
 * these ids, but the `git-remote-rad` of the same release needs them.
 */
export function toPatchRow(patch: Patch, form: RowForm = "newest"): object {
  const { title, author, state, target, labels, assignees, timeline } = patch;
  return {
    title,
    author: toAuthor(author),
    state: state.status === "open" && state.conflicts.length === 0 ? { status: "open" } : state,
    target,
    labels,
    merges: toSortedObject(patch.merges, ({ revision, commit, timeSeconds }) => ({
      revision,
      commit,
      timestamp: toMs(timeSeconds),
    })),
    revisions: toSortedObject(patch.revisions, (revision) => revision && toRevision(revision, form)),
    assignees,
    timeline,
    reviews: toSortedObject(patch.reviews, (place) => place && [place.revision, place.author]),
  };
}

function toRevision(revision: Revision, form: RowForm): object {
  const { id, author, description, base, oid, discussion, timeSeconds, resolves } = revision;
  return {
    id,
    author: toAuthor(author),
    description: description.map(toEdit),
    base,
    oid,
    discussion: toThread(discussion),
    reviews: toReviews(revision.reviews, form),
    timestamp: toMs(timeSeconds),
    resolves,
    reactions: [...revision.reactions.values()]
      .sort((a, b) => compareLocations(a.location, b.location))
      .flatMap(({ location, reactions }) =>
        reactionGroups(reactions).map((group) => ({ location: location ?? null, ...group }))
      ),
  };
}

/**
 * Returns the reviews by node. A redacted review is null in the format 0.10, an empty array in 1.0, and
 * absent in later formats.
 */
function toReviews(reviews: Revision["reviews"], form: RowForm): object {
  switch (form) {
    case "0.10":
      return toSortedObject(reviews, (review) => review && toReview(review, form));
    case "1.0":
      return toSortedObject(reviews, (review) => review === null ? [] : [toReview(review, form)]);
    default: {
      const present = new Map([...reviews].filter(([, review]) => review !== null));
      return toSortedObject(present, (review) => review && toReview(review, form));
    }
  }
}

function toReview(review: Review, form: RowForm): object {
  const { id, author, verdict, summary, comments, labels, reactions, timeSeconds } = review;
  return {
    id,
    author: toAuthor(author),
    verdict,
    summary: form === "newest"
      ? summary.map((edit) => toEdit({ ...edit, body: edit.body ?? "" }))
      : latest(summary).body,
    comments: toThread(comments),
    labels,
    ...(reactions.length > 0 ? { reactions: reactionPairs(reactions) } : {}),
    timestamp: toMs(timeSeconds),
  };
}

function toThread({ comments, timeline }: Thread): object {
  return { comments: toSortedObject(comments, (comment) => comment && toComment(comment)), timeline };
}

function toComment(comment: Comment): object {
  const { author, replyTo, reactions, isResolved, edits, location } = comment;
  const { body, embeds } = latest(edits);
  return {
    author,
    ...(replyTo === undefined ? {} : { replyTo }),
    reactions: toReactions(reactions),
    resolved: isResolved,
    body,
    edits: edits.map(toEdit),
    ...(location === undefined ? {} : { location }),
    ...(embeds.length === 0 ? {} : { embeds }),
  };
}

function toReactions(reactions: Reactions): object {
  return reactionPairs(reactions);
}

function toEdit(
  { author, timeSeconds, body, embeds }: {
    author: NodeId;
    timeSeconds: number;
    body: string;
    embeds: readonly Embed[];
  },
): object {
  return { author, timestamp: toMs(timeSeconds), body, embeds };
}

function toAuthor(author: NodeId): object {
  return { id: didOfNid(author) };
}

function toSortedObject<K extends string, T>(map: ReadonlyMap<K, T>, convert: (value: T) => unknown): object {
  return Object.fromEntries(
    [...map].sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => [key, convert(value)]),
  );
}

/**
 * Converts a time to milliseconds. An entry can contain any time. Choice: A time out of range is replaced
 * with the nearest end of the range, because `rad` cannot parse numbers that JavaScript writes with an
 * exponent.
 */
function toMs(timeSeconds: number): number {
  return Math.min(Math.max(timeSeconds * 1000, 0), Number.MAX_SAFE_INTEGER);
}
