/** Actions as they are stored. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Action, messageFor, relatedCommits, toStoredAction } from "../../../src/cob/write/change.ts";
import { canonicalJson } from "../../../src/cob/write/canonical_json.ts";
import { decodeIssueAction } from "../../../src/cob/issue/issue.ts";
import { decodePatchAction } from "../../../src/cob/patch/patch_action.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { runSync } from "../../../src/scheduling/task.ts";
import type { Did } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";

const A = "a".repeat(40) as Oid;
const B = "b".repeat(40) as Oid;
const DID = "did:key:z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi" as Did;
const embeds = [{ name: "x", content: `git:${A}` }];
const location = {
  commit: A,
  path: "p",
  old: null,
  new: { type: "lines" as const, range: { start: 1, end: 2 } },
};

/** Actions with all that they may have, and with as little as they must have; their messages and stored texts. */
const FORMS:
  readonly (readonly [message: string, full: Action, text: string, bare?: Action, bareText?: string])[] = [
    ["Assign", { type: "assign", assignees: [DID] }, `{"assignees":["${DID}"],"type":"assign"}`, {
      type: "assign",
      assignees: [],
    }, '{"assignees":[],"type":"assign"}'],
    [
      "Edit",
      { type: "edit", title: "t", target: "delegates" },
      '{"target":"delegates","title":"t","type":"edit"}',
      { type: "edit", title: "" },
      '{"title":"","type":"edit"}',
    ],
    [
      "Edit",
      { type: "edit", title: "t", target: { branch: "refs/heads/next" } },
      '{"target":{"branch":"refs/heads/next"},"title":"t","type":"edit"}',
    ],
    [
      "Lifecycle",
      { type: "lifecycle", state: { status: "closed", reason: "other" } },
      '{"state":{"reason":"other","status":"closed"},"type":"lifecycle"}',
      { type: "lifecycle", state: { status: "draft" } },
      '{"state":{"status":"draft"},"type":"lifecycle"}',
    ],
    ["Label", { type: "label", labels: ["a"] }, '{"labels":["a"],"type":"label"}', {
      type: "label",
      labels: [],
    }, '{"labels":[],"type":"label"}'],
    [
      "Comment",
      { type: "comment", body: "b", replyTo: A, embeds },
      `{"body":"b","embeds":[{"content":"git:${A}","name":"x"}],"replyTo":"${A}","type":"comment"}`,
      { type: "comment", body: "", replyTo: null, embeds: [] },
      '{"body":"","type":"comment"}',
    ],
    [
      "Edit comment",
      { type: "comment.edit", id: A, body: "b", embeds: [] },
      `{"body":"b","embeds":[],"id":"${A}","type":"comment.edit"}`,
    ],
    ["Redact comment", { type: "comment.redact", id: A }, `{"id":"${A}","type":"comment.redact"}`],
    [
      "React",
      { type: "comment.react", id: A, reaction: "✨", active: false },
      `{"active":false,"id":"${A}","reaction":"✨","type":"comment.react"}`,
    ],
    [
      "Merge revision",
      { type: "merge", revision: A, commit: B },
      `{"commit":"${B}","revision":"${A}","type":"merge"}`,
    ],
    [
      "Add revision",
      { type: "revision", description: "d", base: A, oid: B, resolves: [[A, B]] },
      `{"base":"${A}","description":"d","oid":"${B}","resolves":[["${A}","${B}"]],"type":"revision"}`,
      { type: "revision", description: "", base: A, oid: B, resolves: [] },
      `{"base":"${A}","description":"","oid":"${B}","type":"revision"}`,
    ],
    [
      "Edit revision",
      { type: "revision.edit", revision: A, description: "d", embeds },
      `{"description":"d","embeds":[{"content":"git:${A}","name":"x"}],"revision":"${A}","type":"revision.edit"}`,
      { type: "revision.edit", revision: A, description: "d", embeds: [] },
      `{"description":"d","revision":"${A}","type":"revision.edit"}`,
    ],
    [
      "Redact revision",
      { type: "revision.redact", revision: A },
      `{"revision":"${A}","type":"revision.redact"}`,
    ],
    [
      "React",
      { type: "revision.react", revision: A, location, reaction: "✨", active: true },
      `{"active":true,"location":{"commit":"${A}","new":{"range":{"end":2,"start":1},"type":"lines"},"old":null,` +
      `"path":"p"},"reaction":"✨","revision":"${A}","type":"revision.react"}`,
      { type: "revision.react", revision: A, location: null, reaction: "✨", active: true },
      `{"active":true,"reaction":"✨","revision":"${A}","type":"revision.react"}`,
    ],
    [
      "Comment",
      { type: "revision.comment", revision: A, body: "b", replyTo: B, location: null, embeds: [] },
      `{"body":"b","replyTo":"${B}","revision":"${A}","type":"revision.comment"}`,
      { type: "revision.comment", revision: A, body: "b", embeds: [] },
      `{"body":"b","revision":"${A}","type":"revision.comment"}`,
    ],
    [
      "Edit comment",
      { type: "revision.comment.edit", revision: A, comment: B, body: "b", embeds: [] },
      `{"body":"b","comment":"${B}","embeds":[],"revision":"${A}","type":"revision.comment.edit"}`,
    ],
    [
      "React comment",
      { type: "revision.comment.react", revision: A, comment: B, reaction: "✨", active: true },
      `{"active":true,"comment":"${B}","reaction":"✨","revision":"${A}","type":"revision.comment.react"}`,
    ],
    [
      "Redact comment",
      { type: "revision.comment.redact", revision: A, comment: B },
      `{"comment":"${B}","revision":"${A}","type":"revision.comment.redact"}`,
    ],
    [
      "Review",
      { type: "review", revision: A, summary: "", verdict: "reject", labels: ["b", "a", "b"] },
      `{"labels":["b","a","b"],"revision":"${A}","summary":"","type":"review","verdict":"reject"}`,
      { type: "review", revision: A, summary: null, verdict: null, labels: [] },
      `{"revision":"${A}","type":"review"}`,
    ],
    [
      "Edit review",
      { type: "review.edit", review: A, summary: "s", verdict: "accept", labels: ["l"] },
      `{"labels":["l"],"review":"${A}","summary":"s","type":"review.edit","verdict":"accept"}`,
      { type: "review.edit", review: A, summary: null, verdict: null, labels: [] },
      `{"review":"${A}","type":"review.edit"}`,
    ],
    [
      "Edit review",
      { type: "review.edit.v2", review: A, summary: "s", verdict: "accept", labels: ["l"], embeds },
      `{"embeds":[{"content":"git:${A}","name":"x"}],"labels":["l"],"review":"${A}","summary":"s",` +
      `"type":"review.edit.v2","verdict":"accept"}`,
      { type: "review.edit.v2", review: A, summary: "", verdict: null, labels: [], embeds: [] },
      `{"review":"${A}","type":"review.edit.v2"}`,
    ],
    [
      "React to review",
      { type: "review.react", review: A, reaction: "✨", active: true },
      `{"active":true,"reaction":"✨","review":"${A}","type":"review.react"}`,
    ],
    ["Redact review", { type: "review.redact", review: A }, `{"review":"${A}","type":"review.redact"}`],
    [
      "Review comment",
      { type: "review.comment", review: A, body: "b", reply_to: B, location: null, embeds: [] },
      `{"body":"b","reply_to":"${B}","review":"${A}","type":"review.comment"}`,
      { type: "review.comment", review: A, body: "b", embeds: [] },
      `{"body":"b","review":"${A}","type":"review.comment"}`,
    ],
    [
      "Edit review comment",
      { type: "review.comment.edit", review: A, comment: B, body: "b", embeds: [] },
      `{"body":"b","comment":"${B}","embeds":[],"review":"${A}","type":"review.comment.edit"}`,
    ],
    [
      "React to review comment",
      { type: "review.comment.react", review: A, comment: B, reaction: "✨", active: true },
      `{"active":true,"comment":"${B}","reaction":"✨","review":"${A}","type":"review.comment.react"}`,
    ],
    ...(["redact", "resolve", "unresolve"] as const).map((what) =>
      [
        `${what[0]?.toUpperCase()}${what.slice(1)} review comment`,
        { type: `review.comment.${what}`, review: A, comment: B },
        `{"comment":"${B}","review":"${A}","type":"review.comment.${what}"}`,
      ] as const
    ),
  ];

describe("a stored action", () => {
  for (const [message, full, text, bare, bareText] of FORMS) {
    it(`"${full.type}" has the text and the message of the real programs`, () => {
      assert.equal(messageFor(full), message);
      assert.equal(canonicalJson(toStoredAction(full)), text);
      if (bare !== undefined) assert.equal(canonicalJson(toStoredAction(bare)), bareText);
    });

    it(`"${full.type}" is read as what it was`, () => {
      for (const action of bare === undefined ? [full] : [full, bare]) {
        const value = JSON.parse(canonicalJson(toStoredAction(action)));
        const read = [decodeIssueAction, decodePatchAction].flatMap((decode) =>
          runSync<Action | undefined>(decode(value, RULES.newest)) ?? []
        );
        assert.ok(read.some((one) => canonicalJson(toStoredAction(one)) === canonicalJson(value)));
      }
    });
  }

  it("has the commits that it is about as related ones", () => {
    assert.deepEqual(relatedCommits({ type: "revision", description: "", base: B, oid: A, resolves: [] }), [
      B,
      A,
    ]);
    assert.deepEqual(relatedCommits({ type: "merge", revision: A, commit: B }), [B]);
    assert.deepEqual(relatedCommits({ type: "revision.redact", revision: A }), []);
  });
});
