/** Changes requested by clients, before they become entries, and the actions that clients may send. */
import { ApiError } from "../../errors.ts";
import type { Repository } from "../../ports/storage.ts";
import { type EmbedFile, resolveEmbeds } from "./embed_files.ts";
import type { Rules } from "../rules.ts";
import type { Oid } from "../../ids/oid.ts";
import type { IssueAction } from "../issue/issue.ts";
import type { PatchAction } from "../patch/patch_action.ts";

/** An action of an issue or a patch. */
export type Action = IssueAction | PatchAction;

/** Form of one type of action. */
interface ActionForm {
  /** Message of a commit with this action alone, as in the real programs. */
  readonly message: string;
  /** Members that are omitted when they are null or empty arrays. All other members are always written. */
  readonly optional?: readonly string[];
  /** Texts that are omitted when they are empty. */
  readonly optionalTexts?: readonly string[];
}

const FORMS: Readonly<Record<Action["type"], ActionForm>> = {
  "assign": { message: "Assign" },
  "edit": { message: "Edit" },
  "lifecycle": { message: "Lifecycle" },
  "label": { message: "Label" },

  "comment": { message: "Comment", optional: ["embeds", "replyTo"] },
  "comment.edit": { message: "Edit comment" },
  "comment.redact": { message: "Redact comment" },
  "comment.react": { message: "React" },

  "merge": { message: "Merge revision" },
  "revision": { message: "Add revision", optional: ["resolves"] },
  "revision.edit": { message: "Edit revision", optional: ["embeds"] },
  "revision.redact": { message: "Redact revision" },
  "revision.react": { message: "React", optional: ["location"] },
  "revision.comment": { message: "Comment", optional: ["embeds", "location", "replyTo"] },
  "revision.comment.edit": { message: "Edit comment" },
  "revision.comment.react": { message: "React comment" },
  "revision.comment.redact": { message: "Redact comment" },

  "review": { message: "Review", optional: ["labels", "summary", "verdict"] },
  "review.edit": { message: "Edit review", optional: ["labels", "summary", "verdict"] },
  "review.edit.v2": {
    message: "Edit review",
    optional: ["embeds", "labels", "verdict"],
    optionalTexts: ["summary"],
  },
  "review.react": { message: "React to review" },
  "review.redact": { message: "Redact review" },
  "review.comment": { message: "Review comment", optional: ["embeds", "location", "reply_to"] },
  "review.comment.edit": { message: "Edit review comment" },
  "review.comment.react": { message: "React to review comment" },
  "review.comment.redact": { message: "Redact review comment" },
  "review.comment.resolve": { message: "Resolve review comment" },
  "review.comment.unresolve": { message: "Unresolve review comment" },
};

/** The message of a commit with that action alone. */
export function messageFor({ type }: Action): string {
  return FORMS[type].message;
}

/** The members of an action as they are stored. */
export function toStoredAction(action: Action): Readonly<Record<string, unknown>> {
  const { optional = [], optionalTexts = [] } = FORMS[action.type];
  const isOmitted = (name: string, value: unknown) =>
    optional.includes(name) && isEmpty(value) || optionalTexts.includes(name) && value === "";
  return Object.fromEntries(Object.entries(action).filter(([name, value]) => !isOmitted(name, value)));
}

/** Commits that an action refers to. They become parents of its entry, so that they are fetched with it. */
export function relatedCommits(action: Action): readonly Oid[] {
  if (action.type === "revision") return [action.base, action.oid];
  return action.type === "merge" ? [action.commit] : [];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || Array.isArray(value) && value.length === 0;
}

/** Content of one entry. */
export interface Change {
  readonly actions: readonly Action[];
  /** Files that the actions refer to. */
  readonly files: readonly EmbedFile[];
  /** Message of the entry's commit. */
  readonly message: string;
}

/**
 * A change of one action, with its embeds resolved.
 *
 * @throws {ApiError} `unprocessable` for a comment without text, and as `resolveEmbeds` does.
 */
export async function toChange(repository: Repository, action: Action): Promise<Change> {
  if ("body" in action && action.body === "") throw unprocessable("A comment must not be empty");
  const message = messageFor(action);
  if (!("embeds" in action)) return { actions: [action], files: [], message };
  const { embeds, files } = await resolveEmbeds(repository, action.embeds);
  return { actions: [{ ...action, embeds: [...embeds] }], files, message };
}

/** The error for a well-formed body that cannot be applied. */
export function unprocessable(message: string): ApiError {
  return new ApiError("unprocessable", message);
}

/**
 * Actions that a dialect of the interface has. `all` includes actions, targets of patches and reactions that
 * were added after February 2024.
 */
export type ServedActions = "early" | "all";

/** Whether an action that was added after February 2024 may be written: all rules in force must know it. */
export function mayBeLater(rules: readonly Rules[], served: ServedActions): boolean {
  return served === "all" && rules.every(({ knowsLaterActions }) => knowsLaterActions);
}
