/** What clients ask of issues (4.3): bodies of requests, and the changes that they stand for. */
import * as v from "valibot";
import { ApiError } from "../../errors.ts";
import type { Repository } from "../../ports/storage.ts";
import { type Change, unprocessable } from "./change.ts";
import { resolveEmbeds } from "./embed_files.ts";
import { Embeds } from "../entry/embed.ts";
import { Assignees, Labels, Text } from "../entry/fields.ts";
import type { IssueAction } from "../issue/issue.ts";
import { isFirstEmoji } from "../issue/reaction.ts";

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
 * Checks a new issue. Choice: titles of several lines, which programs of 2024 refuse, are not written, though the newest would read them.
 *
 * @throws {ApiError} `unprocessable`
 */
export function checkNewIssue({ title }: NewIssue): void {
  requireSingleLine(title);
}

/**
 * Checks an action as such. Choice: reactions that came after February 2024 are read, but not written: older programs would drop all that follows.
 *
 * @throws {ApiError} `unprocessable`
 */
export function checkIssueAction(action: IssueAction): void {
  if (action.type === "edit") requireSingleLine(action.title);
  if (action.type === "comment.react" && !isFirstEmoji(action.reaction)) {
    throw unprocessable("Not all programs know this reaction");
  }
}

/**
 * Checks what is asked of comments on an issue that is there.
 *
 * @throws {ApiError} `badRequest` for a comment that replies to nothing.
 */
export function checkReply(action: IssueAction): void {
  if (action.type === "comment" && (action.replyTo ?? null) === null) {
    throw new ApiError("badRequest", "`replyTo` missing");
  }
}

/** The change that opens an issue. Its actions are those of February 2024, in their order, which all programs read. */
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
