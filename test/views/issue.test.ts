/** Issues on the wire: members, their order, and the two forms of reactions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyToIssue, decodeIssueAction, type Issue, openIssue } from "../../src/cob/issue/issue.ts";
import { RULES } from "../../src/cob/rules.ts";
import { didOfNid, type NodeId } from "../../src/ids/nid.ts";
import { countIssues, toIssueView } from "../../src/views/issue.ts";
import { AUTHOR, createOp, DELEGATE, entryId, FRIEND } from "../cob/ops.ts";
import { runSync } from "../../src/scheduling/task.ts";

const rules = RULES.newest;
const op = (n: number, author: NodeId, ...actions: unknown[]) =>
  createOp(n, author, actions.map((action) => runSync(decodeIssueAction(action, rules))!));
const embed = { name: "dot.png", content: "git:94381b429d7f7fe87e1bade52d893ab348ae29cc" };

function createIssue(): Issue {
  const issue = openIssue(
    op(1, AUTHOR, { type: "comment", body: "Description" }, { type: "edit", title: "Title" }),
    rules,
  );
  const entries = [
    op(2, FRIEND, { type: "comment", body: "Answer", replyTo: entryId(1), embeds: [embed] }),
    op(3, FRIEND, { type: "comment.react", id: entryId(1), reaction: "👍", active: true }),
    op(4, AUTHOR, { type: "comment.react", id: entryId(1), reaction: "👍", active: true }),
    op(5, AUTHOR, { type: "comment.react", id: entryId(1), reaction: "✅", active: true }),
    op(6, DELEGATE, { type: "comment.edit", id: entryId(2), body: "Better", embeds: [] }),
    op(7, DELEGATE, { type: "label", labels: ["bug"] }, { type: "assign", assignees: [didOfNid(FRIEND)] }),
    op(8, AUTHOR, { type: "lifecycle", state: { status: "closed", reason: "solved" } }),
  ];
  for (const entry of entries) applyToIssue(issue, entry, rules);
  return issue;
}

const author = { id: didOfNid(AUTHOR) };
const friend = { id: didOfNid(FRIEND) };
const VIEW = {
  id: entryId(1),
  author,
  title: "Title",
  state: { status: "closed", reason: "solved" },
  assignees: [didOfNid(FRIEND)],
  discussion: [
    {
      id: entryId(1),
      author,
      body: "Description",
      edits: [{ author, body: "Description", timestamp: 1001, embeds: [] }],
      embeds: [],
      reactions: [[AUTHOR, "✅"], [AUTHOR, "👍"], [FRIEND, "👍"]],
      timestamp: 1001,
      replyTo: null,
      resolved: false,
    },
    {
      id: entryId(2),
      author: friend,
      body: "Better",
      edits: [
        { author: friend, body: "Answer", timestamp: 1002, embeds: [embed] },
        { author: { id: didOfNid(DELEGATE) }, body: "Better", timestamp: 1006, embeds: [] },
      ],
      embeds: [],
      reactions: [],
      timestamp: 1002,
      replyTo: entryId(1),
      resolved: false,
    },
  ],
  labels: ["bug"],
};

describe("toIssueView", () => {
  it("shows an issue as specified (2.9, 2.11), with edits, resolution and reason besides", () => {
    assert.equal(JSON.stringify(toIssueView(createIssue(), { answers: "spec" })), JSON.stringify(VIEW));
  });

  it("groups reactions by emoji for newer clients", () => {
    assert.deepEqual(toIssueView(createIssue(), { answers: "objects" }).discussion[0]?.reactions, [
      { emoji: "✅", authors: [AUTHOR] },
      { emoji: "👍", authors: [AUTHOR, FRIEND] },
    ]);
  });

  it("names authors where their alias is known", () => {
    const aliasOf = (node: NodeId) => node === FRIEND ? "friend" : undefined;
    const { author, discussion } = toIssueView(createIssue(), { answers: "spec", aliasOf });
    assert.deepEqual([author, discussion[1]?.author, discussion[1]?.edits[0]?.author], [
      { id: didOfNid(AUTHOR) },
      { ...friend, alias: "friend" },
      { ...friend, alias: "friend" },
    ]);
  });
});

describe("countIssues", () => {
  it("counts by state, whatever the reason", () => {
    const [open, solved, other] = [createIssue(), createIssue(), createIssue()];
    open.state = { status: "open" };
    other.state = { status: "closed", reason: "other" };
    assert.deepEqual(countIssues([open, solved, other]), { open: 1, closed: 2 });
    assert.deepEqual(countIssues([]), { open: 0, closed: 0 });
  });
});
