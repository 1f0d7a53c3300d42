/** Threads: comments and what can be done to them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  addComment,
  copyThread,
  createThread,
  editComment,
  latest,
  listComments,
  reactToComment,
  redactComment,
  resolveComment,
  type Thread,
} from "../../../src/cob/issue/thread.ts";
import { reactionPairs } from "../../../src/cob/issue/reaction.ts";
import { RULES } from "../../../src/cob/rules.ts";
import type { NodeId } from "../../../src/ids/nid.ts";
import { AUTHOR, createOp, DELEGATE, entryId, FRIEND, refusal } from "../ops.ts";

const by = (n: number, author: NodeId = AUTHOR) => createOp(n, author, []);
const say = (thread: Thread, n: number, body: string, replyTo?: number) =>
  addComment(thread, by(n), { body, embeds: [], replyTo: replyTo === undefined ? null : entryId(replyTo) });
const bodies = (thread: Thread) => listComments(thread).map((comment) => latest(comment.edits).body);
const timeline = (thread: Thread) => thread.timeline.map((id) => parseInt(id, 16));

describe("a thread", () => {
  it("lists comments in the order in which they count", () => {
    const thread = createThread();
    say(thread, 9, "first");
    say(thread, 1, "second", 9);
    assert.deepEqual(bodies(thread), ["first", "second"]);
    assert.equal(listComments(thread)[1]?.replyTo, entryId(9));
  });

  it("refuses empty comments and answers to nothing", () => {
    const thread = createThread();
    assert.throws(() => say(thread, 1, ""), refusal("invalid"));
    assert.throws(() => say(thread, 1, "x", 7), refusal("missing"));
    assert.deepEqual(thread, createThread());
  });

  it("has all versions, whatever their authors", () => {
    const thread = createThread();
    say(thread, 1, "a");
    editComment(
      thread,
      by(2, DELEGATE),
      entryId(1),
      { body: "b", embeds: [{ name: "n", content: "git:x" }] },
      RULES.newest,
    );
    const [comment] = listComments(thread);
    assert.deepEqual(comment?.edits, [
      { author: AUTHOR, timeSeconds: 1001, body: "a", embeds: [] },
      { author: DELEGATE, timeSeconds: 1002, body: "b", embeds: [{ name: "n", content: "git:x" }] },
    ]);
    assert.equal(comment?.author, AUTHOR);
  });

  // The newest programs have dropped the check; the ones before make it before anything else.
  it("may be edited to nothing under the newest rules alone", () => {
    for (const generation of ["newest", "0.10", "2024"] as const) {
      const thread = createThread();
      say(thread, 1, "a");
      const attempt = () =>
        editComment(thread, by(2), entryId(1), { body: "", embeds: [] }, RULES[generation]);
      if (generation === "newest") attempt();
      else assert.throws(attempt, refusal("invalid"));
      assert.deepEqual(bodies(thread), [generation === "newest" ? "" : "a"]);
      assert.deepEqual(timeline(thread), generation === "newest" ? [1, 2] : [1]);
    }
  });

  // The real programs put the entry down first, and then look for the comment; all else they look for first.
  it("has an edit of nothing in its timeline, but nothing else that fails", () => {
    for (const rules of Object.values(RULES)) {
      const thread = createThread();
      assert.throws(
        () => editComment(thread, by(3), entryId(9), { body: "x", embeds: [] }, rules),
        refusal("missing"),
      );
      assert.throws(() => redactComment(thread, by(4), entryId(9)), refusal("missing"));
      assert.throws(() => reactToComment(thread, by(5), entryId(9), "👍", true), refusal("missing"));
      assert.throws(() => resolveComment(thread, by(6), entryId(9), true), refusal("missing"));
      assert.throws(() => say(thread, 7, "x", 9), refusal("missing"));
      assert.deepEqual(timeline(thread), [3]);
    }
  });

  it("shows no redacted comments, but takes answers to them", () => {
    const thread = createThread();
    say(thread, 1, "a");
    redactComment(thread, by(2), entryId(1));
    redactComment(thread, by(3), entryId(1));
    say(thread, 4, "answer", 1);
    assert.deepEqual(bodies(thread), ["answer"]);
    assert.throws(() => redactComment(thread, by(5), entryId(9)), refusal("missing"));
  });

  it("notes edits of redacted comments, but neither reactions to them nor their resolution", () => {
    const thread = createThread();
    say(thread, 1, "a");
    redactComment(thread, by(2), entryId(1));
    editComment(thread, by(3), entryId(1), { body: "b", embeds: [] }, RULES.newest);
    reactToComment(thread, by(4), entryId(1), "👍", true);
    resolveComment(thread, by(5), entryId(1), true);
    assert.deepEqual(timeline(thread), [1, 2, 3]);
    assert.deepEqual(bodies(thread), []);
  });

  it("takes reactions and resolution", () => {
    const thread = createThread();
    say(thread, 1, "a");
    reactToComment(thread, by(2, FRIEND), entryId(1), "👍", true);
    resolveComment(thread, by(3), entryId(1), true);
    assert.deepEqual(reactionPairs(listComments(thread)[0]!.reactions), [[FRIEND, "👍"]]);
    assert.equal(listComments(thread)[0]?.isResolved, true);
    resolveComment(thread, by(4), entryId(1), false);
    reactToComment(thread, by(5, FRIEND), entryId(1), "👍", false);
    assert.deepEqual(listComments(thread)[0]?.reactions, []);
    assert.equal(listComments(thread)[0]?.isResolved, false);
    for (
      const act of [
        () => reactToComment(thread, by(6), entryId(9), "👍", true),
        () => resolveComment(thread, by(6), entryId(9), true),
      ]
    ) {
      assert.throws(act, refusal("missing"));
    }
  });

  it("lists a comment twice when its entry did two things in the thread (as the real programs)", () => {
    const thread = createThread();
    say(thread, 1, "a");
    say(thread, 1, "b");
    assert.deepEqual(bodies(thread), ["b", "b"]);
  });

  it("stays as it was when a copy goes on", () => {
    const thread = createThread();
    say(thread, 1, "a");
    const copy = copyThread(thread);
    say(copy, 2, "b");
    editComment(copy, by(3), entryId(1), { body: "c", embeds: [] }, RULES.newest);
    assert.deepEqual([bodies(thread), bodies(copy)], [["a"], ["c", "b"]]);
  });
});
