/**
 * Bodies of requests that write issues (specification, 4.3), their checks, and the changes that they request.
 */
import * as v from "valibot";
import { MalformedError } from "../../errors.ts";
import type { Repository } from "../../ports/storage.ts";
import { Task } from "../../scheduling/task.ts";
import { Assignees, Labels, Text } from "../entry/fields.ts";
import { Embeds } from "../entry/entry.ts";
import type { IssueAction } from "../issue/issue.ts";
import { isFirstEmoji } from "../issue/reaction.ts";
import type { Rules } from "../rules.ts";
import { type Change, mayBeLater, type ServedActions, unprocessable } from "./change.ts";
import { resolveEmbeds } from "./embed_files.ts";

/** Schema of the body of a request that opens an issue. All properties are required. */
export const NewIssue = v.object({
  title: Text,
  description: Text,
  labels: Labels,
  assignees: Assignees,
  embeds: Embeds,
});

export type NewIssue = v.InferOutput<typeof NewIssue>;

/**
 * Checks a new issue. Choice: A title with several lines is refused, because the Radicle programs of 2024
 * refuse it.
 *
 * @throws {InvalidError} for a title with several lines.
 */
export function checkNewIssue({ title }: NewIssue): void {
  requireSingleLine(title);
}

/**
 * Checks an action without regard to the issue. Choice: A reaction that was added after February 2024 may be
 * written only if the dialect accepts such reactions, and all Radicle programs on the home know them. Other
 * programs would drop the entry and all entries that build on it.
 *
 * @param rules All rules in force.
 * @throws {InvalidError} for a title with several lines, and for a reaction that may not be written.
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
 * @throws {MalformedError} for a comment that replies to no comment.
 */
export function checkReply(action: IssueAction): void {
  if (action.type === "comment" && (action.replyTo ?? null) === null) {
    throw new MalformedError("`replyTo` missing");
  }
}

/**
 * Creates the change that opens an issue. All Radicle programs can read this change, because it contains only
 * actions of February 2024, in the order that was required then.
 */
export async function draftIssue(
  repository: Repository,
  issue: NewIssue,
  task: Task = new Task(),
): Promise<Change> {
  const { title, description, labels, assignees } = issue;
  const { embeds, files } = await resolveEmbeds(repository, issue.embeds, task);
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
