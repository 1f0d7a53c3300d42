/** Changes of all kinds that may be asked for, sensible or not. */
import type { IssueAction } from "../../src/cob/issue/issue.ts";
import { didOfNid, type NodeId } from "../../src/ids/nid.ts";
import type { ServedActions } from "../../src/cob/write/change.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Random } from "./random.ts";

/** An id of nothing. */
export const NOWHERE = "f".repeat(40) as Oid;
const EMBEDS = [{ name: "a.txt", content: "data:,aGVsbG8=" }, { name: "b", content: "nowhere" }];

/** An emoji that programs of 2024 do not know. */
const LATER_EMOJI = "\u{1fae0}";

/** Something that may be done to an issue, with ids that may be those of comments; for `all` with reactions of today. */
export function randomIssueAction(
  random: Random,
  ids: readonly Oid[],
  assignee: NodeId,
  served: ServedActions = "early",
): IssueAction {
  const [id, text, active] = [random.pick(ids), `text ${random.below(9)}`, random.below(3) > 0];
  return random.pick<IssueAction>([
    { type: "comment", body: text, replyTo: id, embeds: random.pick([[], EMBEDS]) },
    { type: "comment", body: text, replyTo: ids[0]!, embeds: [] },
    { type: "comment.edit", id, body: text, embeds: random.pick([[], EMBEDS]) },
    { type: "comment.redact", id },
    { type: "comment.react", id, reaction: random.pick(["✨", "🌱"]), active },
    { type: "edit", title: text },
    { type: "lifecycle", state: random.pick([{ status: "open" }, { status: "closed", reason: "solved" }]) },
    { type: "label", labels: random.pick([[], ["a"], ["a", "b"]]) },
    { type: "assign", assignees: random.pick([[], [didOfNid(assignee)]]) },
    ...(served === "early" ? [] : [{ type: "comment.react", id, reaction: LATER_EMOJI, active } as const]),
  ]);
}

/** A body that may ask something of a patch; for `all` also what programs of 2024 do not know. */
export function randomPatchBody(
  random: Random,
  ids: readonly Oid[],
  commits: readonly Oid[],
  assignee: NodeId,
  served: ServedActions = "early",
): unknown {
  const [id, other, body, active] = [
    random.pick(ids),
    random.pick(ids),
    `text ${random.below(9)}`,
    random.below(3) > 0,
  ];
  const [first = NOWHERE, revision] = [ids[0], random.pick([ids[0], id])];
  const location = random.pick([null, { commit: commits[0], path: "README" }]);
  const embeds = random.pick([[], EMBEDS]);
  return random.pick<unknown>([
    { type: "edit", title: body, target: "delegates" },
    { type: "label", labels: random.pick([[], ["a"], ["b", "a"]]) },
    { type: "lifecycle", state: { status: random.pick(["open", "draft", "archived"]) } },
    { type: "assign", assignees: [didOfNid(assignee)] },
    { type: "merge", revision, commit: random.pick(commits) },
    { type: "revision", description: body, base: random.pick(commits), oid: random.pick(commits) },
    { type: "revision.edit", revision, description: body, embeds },
    { type: "revision.redact", revision: id },
    { type: "revision.react", revision, reaction: "✨", active, location },
    { type: "revision.comment", revision, body, location, embeds },
    { type: "revision.comment", revision: first, body, replyTo: other },
    { type: "revision.comment.edit", revision, comment: other, body, embeds },
    { type: "revision.comment.react", revision, comment: other, reaction: "✨", active },
    { type: "revision.comment.redact", revision, comment: other },
    { type: "review", revision, summary: body, labels: ["b", "a"] },
    { type: "review", revision, verdict: random.pick(["accept", "reject"]) },
    {
      type: "review.edit",
      review: id,
      verdict: random.pick(["accept", null]),
      summary: random.pick([body, null]),
    },
    { type: "review.redact", review: id },
    { type: "review.comment", review: id, body, replyTo: random.pick([null, other]), location, embeds },
    { type: "review.comment.edit", review: id, comment: other, body, embeds },
    { type: "review.comment.react", review: id, comment: other, reaction: "🌱", active },
    { type: "review.comment.redact", review: id, comment: other },
    { type: "review.comment.resolve", review: id, comment: other },
    { type: "review.comment.unresolve", review: id, comment: other },
    ...(served === "early" ? [] : [
      { type: "edit", title: body, target: { branch: random.pick(["main", "master", "next"]) } },
      { type: "review.edit.v2", review: id, summary: body, embeds, labels: random.pick([[], ["b", "a"]]) },
      { type: "review.edit.v2", review: id, verdict: random.pick(["accept", "reject", null]) },
      { type: "review.react", review: id, reaction: random.pick(["✨", LATER_EMOJI]), active },
      { type: "revision.react", revision, reaction: LATER_EMOJI, active, location },
      {
        type: "revision",
        description: body,
        base: random.pick(commits),
        oid: random.pick(commits),
        resolves: [[id, other], [other, id]],
      },
    ]),
  ]);
}
