/** Requests for issues (4.3): bodies, checks, and changes. */
import * as v from "valibot";
import { ApiError } from "../../errors.ts";
import type { Repository } from "../../ports/storage.ts";
import { type Change, unprocessable } from "./change.ts";
import { resolveEmbeds } from "./embed_files.ts";
import { Embeds } from "../entry/entry.ts";
import { Assignees, Labels, Text } from "../entry/fields.ts";
import type { IssueAction } from "../issue/issue.ts";
import { isFirstEmoji } from "../issue/reaction.ts";
import type { Rules } from "../rules.ts";
import { mayBeLater, type ServedActions } from "./served_actions.ts";

/** Body of a request that opens an issue; all members are required. */
export const NewIssue = v.object({
  title: Text,
  description: Text,
  labels: Labels,
  assignees: Assignees,
  embeds: Embeds,
});

/** The members of {@link NewIssue}. */
export type NewIssue = v.InferOutput<typeof NewIssue>;

/**
 * Checks a new issue. Choice: titles of several lines are not written, since programs of 2024 refuse them.
 *
 * @throws {ApiError} `unprocessable`
 */
export function checkNewIssue({ title }: NewIssue): void {
  requireSingleLine(title);
}

/**
 * Checks an action by itself. Choice: reactions added after February 2024 are written for clients that may
 * use them, and only where all programs know them. Other programs would drop the entry and everything on top
 * of it.
 *
 * @param rules All rules in force.
 * @throws {ApiError} `unprocessable`
 */
export function checkIssueAction(action: IssueAction, rules: readonly Rules[], served: ServedActions): void {
  if (action.type === "edit") requireSingleLine(action.title);
  if (action.type === "comment.react" && !isFirstEmoji(action.reaction) && !mayBeLater(rules, served)) {
    throw unprocessable("Not all programs know this reaction");
  }
}

/**
 * Checks that a comment on an existing issue is a reply.
 *
 * @throws {ApiError} `badRequest` for a comment that replies to no comment.
 */
export function checkReply(action: IssueAction): void {
  if (action.type === "comment" && (action.replyTo ?? null) === null) {
    throw new ApiError("badRequest", "`replyTo` missing");
  }
}

/**
 * The change that opens an issue. All programs read its actions, which are those of February 2024 in their
 * order.
 */
export async function draftIssue(repository: Repository, issue: NewIssue): Promise<Change> {
  const { title, description, labels, assignees } = issue;
  const { embeds, files } = await resolveEmbeds(repository, issue.embeds);
  return {
    actions: [
      { type: "comment", body: description, replyTo: null, embeds: [...embeds] },
      { type: "assign", assignees },
      { type: "edit", title },
      { type: "label", labels },
    ],
    files,
    message: "Create issue",
  };
}

function requireSingleLine(title: string): void {
  if (/[\n\r]/.test(title)) throw unprocessable("A title must be a single line");
}
