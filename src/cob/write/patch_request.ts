/**
 * Bodies of requests that write patches (specification, 4.4), their checks, and the changes that they
 * request.
 */
import * as v from "valibot";
import { ConflictError, NotFoundError } from "../../errors.ts";
import type { OpenedRepository } from "../../git/commit_graph.ts";
import { findMergeBase } from "../../git/merge_base.ts";
import { resolveRef } from "../../git/references.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import { isExactLocation } from "../issue/code_location.ts";
import { type Change, mayBeLater, type ServedActions, unprocessable } from "./change.ts";
import { Labels, OidText, Text } from "../entry/fields.ts";
import { isEarly, isEarlyType, type PatchAction, SentPatchAction } from "../patch/patch_action.ts";
import { findReview, findRevision, type Patch } from "../patch/patch_state.ts";
import type { Revision } from "../patch/revision.ts";
import { checkCommit } from "./entry_draft.ts";
import type { Rules } from "../rules.ts";

/** Schema of the body of a request that opens a patch. All properties are required. */
export const NewPatch = v.object({
  title: Text,
  description: Text,
  target: OidText,
  oid: OidText,
  labels: Labels,
});

/**
 * Schema of the body of a request that changes a patch. The body is one action. In a comment on a review,
 * `replyTo` is accepted as an alternative name of `reply_to`, because all other comments use `replyTo`.
 */
export const PatchRequest = patchRequest();

/**
 * A copy of {@link PatchRequest}. The contract (`src/client/contract.ts`) needs a second object, because it
 * gives the request bodies of the `/repos` dialect another name.
 */
export const LaterPatchRequest = patchRequest();

function patchRequest() {
  return v.pipe(
    v.custom<PatchBody>(() => true),
    v.transform((body): PatchBody =>
      body.type === "review.comment" && "replyTo" in body && (body.reply_to ?? null) === null
        ? { ...body, reply_to: body.replyTo as string | null }
        : body
    ),
    SentPatchAction,
  );
}

type PatchBody = v.InferInput<typeof SentPatchAction>;

export type NewPatch = v.InferOutput<typeof NewPatch>;

/**
 * Checks an action without regard to the patch, and removes properties that are not stored. Choice: A feature
 * that was added after February 2024 may be written only if the dialect accepts it, and all Radicle programs
 * on the home know it. Other programs would drop the entry and all entries that build on it.
 *
 * @param rules All rules in force. The rules by which clients see the object come first.
 * @throws {InvalidError} for an action that may not be written.
 */
export function checkPatchAction(
  action: SentPatchAction,
  rules: readonly [Rules, ...Rules[]],
  served: ServedActions,
): SentPatchAction {
  if (served === "early" && !isEarlyType(action.type)) {
    throw unprocessable(`Actions "${action.type}" are not served`);
  }
  if (!isEarly(action) && !mayBeLater(rules, served)) {
    throw unprocessable(`Not all programs know this form of "${action.type}"`);
  }
  if ("location" in action && action.location && !isExactLocation(action.location)) {
    throw unprocessable("A location has numbers above 2^53");
  }
  switch (action.type) {
    case "revision":
      return served === "all" ? action : { ...action, resolves: [] };
    case "review.edit.v2":
      if (action.summary === "" && action.verdict === null) {
        throw unprocessable("A review needs a summary or a verdict");
      }
      return action;
    case "review":
    case "review.edit":
      if (action.summary === null && action.verdict === null && !rules.every((one) => one.replacesSummary)) {
        throw unprocessable("A review needs a summary or a verdict");
      }
      return action.type === "review.edit" && rules[0].replacesSummary ? { ...action, labels: [] } : action;
    default:
      return action;
  }
}

/**
 * Adds the commit to the location in an action if the commit is absent. The added commit is the head of the
 * revision to which the action belongs (specification, 2.10).
 *
 * @throws {Refusal} `missing` when the revision or the review does not exist.
 * @throws {NotFoundError} when the revision or the review is redacted.
 */
export function completeLocation(patch: Patch, action: SentPatchAction): PatchAction {
  if (!("location" in action) || !action.location) return action as PatchAction;
  const { location } = action;
  const commit = location.commit ?? revisionOf(patch, action).oid;
  return { ...action, location: { ...location, commit } };
}

function revisionOf(patch: Patch, action: Extract<SentPatchAction, { location?: unknown }>): Revision {
  const revision = "review" in action
    ? findReview(patch, action.review)?.revision
    : findRevision(patch, action.revision);
  if (!revision) throw new NotFoundError("The revision is redacted, so its head is unknown");
  return revision;
}

/**
 * Refuses a review that the Radicle programs of one generation would ignore without an error.
 *
 * @throws {NotFoundError} for a review of an unknown revision.
 * @throws {ConflictError} for a second review by the same node.
 */
export function checkReview(patch: Patch, author: NodeId, action: SentPatchAction, rules: Rules): void {
  if (action.type !== "review") return;
  const revision = patch.revisions.get(action.revision);
  if (revision === undefined) throw new NotFoundError(`Revision ${action.revision} was not found`);
  if (rules.secondReview === "ignored" && revision?.reviews.get(author)) {
    throw new ConflictError("The node has reviewed this revision already");
  }
}

/**
 * Checks the new target branch of a patch. Choice: The branch must be a canonical reference, because `rad`
 * could not show the patch otherwise.
 *
 * @throws {NotFoundError} when the branch is not a canonical reference.
 */
export async function checkTarget(
  repository: Repository,
  patch: Patch,
  action: SentPatchAction,
): Promise<void> {
  if (action.type !== "edit" || action.target === "delegates") return;
  const { branch } = action.target;
  if (patch.target !== "delegates" && patch.target.branch === branch) return;
  if (await resolveRef(repository, branch) === undefined) {
    throw new NotFoundError(`Branch ${branch} was not found`);
  }
}

/**
 * Creates the change that opens a patch, based on the merge base of `target` and `oid`. All Radicle programs
 * can read this change, because it contains only actions of February 2024, in the order that was required
 * then.
 *
 * @throws {NotFoundError} when a commit is unknown, or the commits have no merge base.
 * @throws {InvalidError} when an object is not a commit.
 */
export async function draftPatch(
  repository: OpenedRepository,
  { title, description, target, oid, labels }: NewPatch,
): Promise<Change> {
  const base = await findBase(repository, target, oid);
  return {
    actions: [
      { type: "revision", description, base, oid, resolves: [] },
      { type: "edit", title, target: "delegates" },
      { type: "label", labels },
    ],
    files: [],
    message: "Create patch",
  };
}

async function findBase(
  { objects, graph, task }: OpenedRepository,
  target: Oid,
  oid: Oid,
): Promise<Oid> {
  const rows: number[] = [];
  for (const commit of [target, oid]) {
    await checkCommit(objects, commit);
    const row = await graph.load(objects, commit, task);
    if (row === undefined) throw new NotFoundError(`Commit ${commit} cannot be read`);
    rows.push(row);
  }
  const base = await findMergeBase(graph, rows[0]!, rows[1]!, task);
  if (base === undefined) throw new NotFoundError("No merge base found");
  return graph.commits.oidOf(base);
}
