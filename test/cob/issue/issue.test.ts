/** Issues: what actions do, who may do them, and where generations differ. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  applyToIssue,
  copyIssue,
  decodeIssueAction,
  type Issue,
  type IssueAction,
  openIssue,
} from "../../../src/cob/issue/issue.ts";
import { Refusal } from "../../../src/cob/op.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { latest, listComments } from "../../../src/cob/issue/thread.ts";
import type { HomeGeneration as Generation } from "../../../src/identity/generation.ts";
import { didOfNid, type NodeId } from "../../../src/ids/nid.ts";
import { AUTHOR, createOp, DELEGATE, entryId, FRIEND, refusal, STRANGER } from "../ops.ts";
import { createRandom, type Random } from "../random.ts";
import { runSync } from "../../../src/scheduling/task.ts";

const GENERATIONS: readonly Generation[] = ["newest", "2024"];

function decode(value: unknown, generation: Generation = "newest"): IssueAction {
  const action = runSync(decodeIssueAction(value, RULES[generation]));
  assert.ok(action, `not understood: ${JSON.stringify(value)}`);
  return action;
}

function open(author: NodeId, actions: unknown[], generation: Generation = "newest"): Issue {
  return openIssue(
    createOp(1, author, actions.map((action) => decode(action, generation))),
    RULES[generation],
  );
}

function apply(
  issue: Issue,
  n: number,
  author: NodeId,
  action: unknown,
  generation: Generation = "newest",
): void {
  applyToIssue(issue, createOp(n, author, [decode(action, generation)]), RULES[generation]);
}

const ROOT = [{ type: "comment", body: "Description" }, { type: "edit", title: "Title" }];
const id = entryId(1);

describe("decodeIssueAction", () => {
  const bad: unknown[] = [
    undefined,
    null,
    [],
    {},
    { type: "pin" },
    { type: "edit" },
    { type: "edit", title: 1 },
    { type: "edit", title: "\ud800" },
    { type: "lifecycle", state: { status: "closed" } },
    { type: "lifecycle", state: { status: "closed", reason: "bored" } },
    { type: "lifecycle", state: { status: "merged" } },
    { type: "label", labels: "bug" },
    { type: "label" },
    { type: "assign", assignees: [AUTHOR] },
    { type: "assign", assignees: [null] },
    { type: "comment", body: "x", replyTo: "no id" },
    { type: "comment", body: "x", embeds: null },
    { type: "comment", body: "x", embeds: [{ name: "n" }] },
    { type: "comment.edit", id, body: "x" },
    { type: "comment.react", id, reaction: "x", active: true },
    { type: "comment.react", id, reaction: "👍" },
    { type: "comment.redact" },
  ];
  for (const value of bad) {
    it(`does not understand ${JSON.stringify(value)}`, () => {
      assert.equal(runSync(decodeIssueAction(value, RULES.newest)), undefined);
    });
  }

  it("ignores members that are not known", () => {
    assert.deepEqual(decode({ type: "edit", title: "t", more: [1] }), { type: "edit", title: "t" });
  });

  it("completes short ids and lowers their digits", () => {
    assert.deepEqual(decode({ type: "comment.redact", id: "ABC" }, "2024"), {
      type: "comment.redact",
      id: "abc".padEnd(40, "0"),
    });
    assert.deepEqual(decode({ type: "comment.redact", id: "AB".repeat(20) }), {
      type: "comment.redact",
      id: "ab".repeat(20),
    });
  });

  it("sorts sets by bytes and drops repetitions", () => {
    assert.deepEqual(decode({ type: "label", labels: ["\u{1f331}", "\uff5e", "b", "a", "b", ""] }), {
      type: "label",
      labels: ["", "a", "b", "\uff5e", "\u{1f331}"],
    });
    const assignees = [STRANGER, AUTHOR, STRANGER].map(didOfNid);
    assert.deepEqual(decode({ type: "assign", assignees }), {
      type: "assign",
      assignees: [AUTHOR, STRANGER].map(didOfNid),
    });
  });

  it("knows reactions of 2025 only from then on", () => {
    const action = { type: "comment.react", id, reaction: "\u{1fae0}", active: true };
    assert.ok(runSync(decodeIssueAction(action, RULES.newest)));
    assert.equal(runSync(decodeIssueAction(action, RULES["2024"])), undefined);
  });
});

describe("openIssue", () => {
  it("makes an issue of the first entry", () => {
    const issue = open(AUTHOR, ROOT);
    assert.deepEqual({
      ...issue,
      thread: listComments(issue.thread).map((comment) => latest(comment.edits).body),
    }, {
      id,
      author: AUTHOR,
      timeSeconds: 1001,
      title: "Title",
      state: { status: "open" },
      labels: [],
      assignees: [],
      thread: ["Description"],
    });
  });

  it("allows an empty description and no title", () => {
    const issue = open(AUTHOR, [{ type: "comment", body: "", replyTo: null }]);
    assert.deepEqual([issue.title, listComments(issue.thread).length], ["", 1]);
  });

  for (const actions of [[], [ROOT[1]], [{ type: "comment", body: "x", replyTo: id }]]) {
    it(`refuses ${JSON.stringify(actions)}`, () =>
      assert.throws(() => open(DELEGATE, actions), refusal("invalid")));
  }

  it("asks for the right to what the first entry does, but not under the rules of 2024", () => {
    const label = [...ROOT, { type: "label", labels: ["bug"] }];
    assert.deepEqual(open(DELEGATE, label).labels, ["bug"]);
    assert.throws(() => open(AUTHOR, label), refusal("denied"));
    assert.deepEqual(open(AUTHOR, label, "2024").labels, ["bug"]);
    assert.deepEqual(
      open(AUTHOR, [...ROOT, { type: "assign", assignees: [] }, { type: "label", labels: [] }]).labels,
      [],
    );
  });
});

describe("applyToIssue", () => {
  const all: Record<string, unknown> = {
    assign: { type: "assign", assignees: [didOfNid(FRIEND)] },
    edit: { type: "edit", title: "New" },
    lifecycle: { type: "lifecycle", state: { status: "closed", reason: "solved" } },
    label: { type: "label", labels: ["bug"] },
    comment: { type: "comment", body: "hi", replyTo: id },
    "comment.react": { type: "comment.react", id, reaction: "👍", active: true },
    "comment.edit": { type: "comment.edit", id, body: "Other", embeds: [] },
    "comment.redact": { type: "comment.redact", id: entryId(2) },
  };
  const allowed: Record<string, readonly string[]> = {
    delegate: Object.keys(all),
    author: ["edit", "lifecycle", "comment", "comment.react", "comment.edit"],
    friend: ["comment", "comment.react", "comment.redact"],
    stranger: ["comment", "comment.react"],
  };
  const nodes: Record<string, NodeId> = {
    delegate: DELEGATE,
    author: AUTHOR,
    friend: FRIEND,
    stranger: STRANGER,
  };
  for (const generation of GENERATIONS) {
    for (const [who, node] of Object.entries(nodes)) {
      it(`lets a ${who} do just what that one may (${generation})`, () => {
        for (const [name, action] of Object.entries(all)) {
          const issue = open(AUTHOR, ROOT, generation);
          apply(issue, 2, FRIEND, { type: "comment", body: "from a friend" }, generation);
          const attempt = () => apply(issue, 3, node, action, generation);
          if (allowed[who]?.includes(name)) attempt();
          else assert.throws(attempt, refusal("denied"), name);
        }
      });
    }
  }

  it("does what the actions say", () => {
    const issue = open(AUTHOR, ROOT);
    for (const action of [all["assign"], all["edit"], all["lifecycle"], all["label"]]) {
      apply(issue, 2, DELEGATE, action);
    }
    assert.deepEqual(
      [issue.assignees, issue.title, issue.state, issue.labels],
      [[didOfNid(FRIEND)], "New", { status: "closed", reason: "solved" }, ["bug"]],
    );
    apply(issue, 3, AUTHOR, { type: "lifecycle", state: { status: "open" } });
    assert.deepEqual(issue.state, { status: "open" });
  });

  it("lets any node repeat the present values, from 2024-04 on", () => {
    const issue = open(DELEGATE, [...ROOT, all["label"], all["assign"]]);
    apply(issue, 2, STRANGER, all["label"]);
    apply(issue, 3, STRANGER, all["assign"]);
    for (const action of [all["label"], all["assign"]]) {
      assert.throws(() => apply(issue, 4, STRANGER, action, "2024"), refusal("denied"));
    }
  });

  it("passes over what is about a redacted comment, for those who are no delegates", () => {
    const issue = open(AUTHOR, ROOT);
    apply(issue, 2, FRIEND, { type: "comment", body: "x" });
    apply(issue, 3, FRIEND, { type: "comment.redact", id: entryId(2) });
    apply(issue, 4, STRANGER, { type: "comment.edit", id: entryId(2), body: "y", embeds: [] });
    assert.equal(issue.thread.timeline.length, 3);
    apply(issue, 5, DELEGATE, { type: "comment.edit", id: entryId(2), body: "y", embeds: [] });
    assert.equal(issue.thread.timeline.length, 4);
    assert.equal(listComments(issue.thread).length, 1);
  });

  it("may be given an empty description by an edit, under the newest rules alone", () => {
    for (const generation of ["newest", "0.10", "2024"] as const) {
      const issue = open(AUTHOR, ROOT, generation);
      const attempt = () =>
        apply(issue, 2, AUTHOR, { type: "comment.edit", id, body: "", embeds: [] }, generation);
      if (generation === "newest") attempt();
      else assert.throws(attempt, refusal("invalid"));
      assert.equal(
        latest(listComments(issue.thread)[0]!.edits).body,
        generation === "newest" ? "" : "Description",
      );
    }
  });

  it("never redacts the description", () => {
    assert.throws(
      () => apply(open(AUTHOR, ROOT), 2, DELEGATE, { type: "comment.redact", id }),
      refusal("invalid"),
    );
  });

  it("takes titles of several lines as of today, and empty ones always", () => {
    const issue = open(AUTHOR, ROOT);
    apply(issue, 2, AUTHOR, { type: "edit", title: " two\nlines " });
    assert.equal(issue.title, " two\nlines ");
    for (const title of ["two\nlines", "two\rlines"]) {
      assert.throws(() => apply(issue, 3, AUTHOR, { type: "edit", title }, "2024"), refusal("invalid"));
    }
    apply(issue, 4, AUTHOR, { type: "edit", title: "" }, "2024");
    assert.equal(issue.title, "");
  });

  it("keeps what earlier actions of a refused entry did (as the real programs)", () => {
    const issue = open(AUTHOR, ROOT);
    const actions = [all["edit"], all["label"]].map((action) => decode(action));
    assert.throws(() => applyToIssue(issue, createOp(2, AUTHOR, actions), RULES.newest), refusal("denied"));
    assert.deepEqual([issue.title, issue.labels], ["New", []]);
  });

  it("leaves the issue that was copied as it was", () => {
    const issue = open(AUTHOR, ROOT);
    const copy = copyIssue(issue);
    for (const action of Object.values(all).slice(0, 7)) apply(copy, 2, DELEGATE, action);
    assert.deepEqual(issue, open(AUTHOR, ROOT));
  });

  for (const generation of GENERATIONS) {
    it(`throws nothing but refusals, whatever happens (${generation})`, () => {
      for (let seed = 0; seed < 30; seed++) {
        const random = createRandom(seed);
        const issue = open(random.pick([DELEGATE, AUTHOR]), ROOT, generation);
        for (let n = 2; n < 60; n++) {
          const actions = Array.from(
            { length: 1 + random.below(3) },
            () => runSync(decodeIssueAction(randomAction(random), RULES[generation])),
          )
            .filter((action) => action !== undefined);
          try {
            applyToIssue(
              issue,
              createOp(n, random.pick([DELEGATE, AUTHOR, FRIEND, STRANGER]), actions),
              RULES[generation],
            );
          } catch (error) {
            assert.ok(error instanceof Refusal, String(error));
          }
          assert.ok(listComments(issue.thread).every((comment) => comment.edits.length > 0));
        }
      }
    });
  }
});

function randomAction(random: Random): unknown {
  const comment = entryId(1 + random.below(60));
  return {
    type: random.pick([
      "assign",
      "edit",
      "lifecycle",
      "label",
      "comment",
      "comment",
      "comment.edit",
      "comment.redact",
      "comment.react",
      "nonsense",
    ]),
    id: comment,
    title: random.pick(["a", "", "a\nb"]),
    state: random.pick([{ status: "open" }, { status: "closed", reason: "other" }, { status: "draft" }]),
    labels: random.pick([[], ["a"], ["b", "a"]]),
    assignees: random.pick([[], [didOfNid(AUTHOR)]]),
    body: random.pick(["", "text"]),
    embeds: [],
    replyTo: random.pick([undefined, null, comment]),
    reaction: random.pick(["👍", "\u{1fae0}", "x"]),
    active: random.below(2) === 0,
  };
}
