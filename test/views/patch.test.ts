/** Patches on the wire: members, their order, and the two forms of review comments. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Patch } from "../../src/cob/patch/patch_state.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { countPatches, toPatchView } from "../../src/views/patch.ts";
import { AUTHOR, createDoc, DELEGATE, entryId, FRIEND } from "../cob/ops.ts";
import { apply, BASE, HEAD, NEXT, openBusy } from "../cob/patches.ts";

const location = {
  commit: HEAD,
  path: "README.md",
  old: null,
  new: { type: "lines", range: { start: 1, end: 3 } },
};
const holdings = new Set([`${DELEGATE} refs/heads/main ${HEAD}`, `${FRIEND} refs/heads/main ${NEXT}`]);
const REFS = new Map<string, Oid>([["refs/heads/a", HEAD], ["refs/heads/b", NEXT], ["refs/tags/c", HEAD]]);

function createPatch(): Patch {
  const patch = openBusy(AUTHOR, FRIEND);
  apply(patch, 6, AUTHOR, {
    type: "review.comment",
    review: entryId(4),
    body: "Why?",
    reply_to: entryId(5),
    location,
  });
  apply(patch, 7, FRIEND, {
    type: "revision.react",
    revision: entryId(2),
    location,
    reaction: "👍",
    active: true,
  });
  apply(patch, 8, AUTHOR, { type: "revision.react", revision: entryId(2), reaction: "🚀", active: true });
  apply(patch, 9, AUTHOR, { type: "review.comment.resolve", review: entryId(4), comment: entryId(6) });
  apply(patch, 10, FRIEND, {
    type: "review.comment.react",
    review: entryId(4),
    comment: entryId(6),
    reaction: "👍",
    active: true,
  });
  apply(patch, 11, DELEGATE, { type: "label", labels: ["x"] });
  apply(patch, 12, DELEGATE, { type: "assign", assignees: [didOfNid(FRIEND)] });
  apply(patch, 13, DELEGATE, { type: "merge", revision: entryId(1), commit: HEAD }, { holdings });
  return patch;
}

const author = { id: didOfNid(AUTHOR) };
const friend = { id: didOfNid(FRIEND) };
const text = (body: string, who: object, timestamp: number) => ({ author: who, body, timestamp, embeds: [] });
const VIEW = {
  id: entryId(1),
  author,
  title: "Title",
  state: { status: "merged", revision: entryId(1), commit: HEAD },
  target: "delegates",
  labels: ["x"],
  merges: [{ author: { id: didOfNid(DELEGATE) }, commit: HEAD, timestamp: 1013, revision: entryId(1) }],
  assignees: [didOfNid(FRIEND)],
  revisions: [
    {
      id: entryId(1),
      author,
      description: "Description",
      edits: [text("Description", author, 1001)],
      reactions: [],
      base: BASE,
      oid: HEAD,
      refs: ["refs/heads/a", "refs/tags/c"],
      discussions: [],
      timestamp: 1001,
      reviews: [],
    },
    {
      id: entryId(2),
      author: friend,
      description: "Second",
      edits: [text("Second", friend, 1002)],
      reactions: [
        { location: null, emoji: "🚀", authors: [AUTHOR] },
        { location, emoji: "👍", authors: [FRIEND] },
      ],
      base: BASE,
      oid: NEXT,
      refs: ["refs/heads/b"],
      discussions: [{
        id: entryId(3),
        author: friend,
        body: "on the revision",
        edits: [text("on the revision", friend, 1003)],
        embeds: [],
        reactions: [],
        timestamp: 1003,
        replyTo: null,
        location: null,
        resolved: false,
      }],
      timestamp: 1002,
      reviews: [{
        id: entryId(4),
        author: friend,
        verdict: "accept",
        summary: "fine",
        comments: [
          [entryId(5), {
            author: FRIEND,
            location: null,
            reactions: [],
            resolved: false,
            body: "in the review",
            embeds: [],
            replyTo: null,
            timestamp: 1005,
            edits: [text("in the review", friend, 1005)],
          }],
          [entryId(6), {
            author: AUTHOR,
            location,
            reactions: [[FRIEND, "👍"]],
            resolved: true,
            body: "Why?",
            embeds: [],
            replyTo: entryId(5),
            timestamp: 1006,
            edits: [text("Why?", author, 1006)],
          }],
        ],
        timestamp: 1004,
      }],
    },
  ],
};

describe("toPatchView", () => {
  it("shows a patch as specified (2.10), with what newer clients need besides", () => {
    assert.equal(JSON.stringify(toPatchView(createPatch(), REFS, { answers: "spec" })), JSON.stringify(VIEW));
  });

  it("shows review comments like others for newer clients", () => {
    const { revisions } = toPatchView(createPatch(), REFS, { answers: "objects" });
    assert.equal(
      JSON.stringify(revisions[1]?.reviews[0]?.comments[1]),
      JSON.stringify({
        id: entryId(6),
        author,
        body: "Why?",
        edits: [text("Why?", author, 1006)],
        embeds: [],
        reactions: [{ emoji: "👍", authors: [FRIEND] }],
        timestamp: 1006,
        replyTo: entryId(5),
        location,
        resolved: true,
      }),
    );
    assert.deepEqual(revisions[1]?.reactions, VIEW.revisions[1]?.reactions);
  });

  it("shows conflicts only where there are any", () => {
    const patch = createPatch();
    const doc = createDoc([DELEGATE, FRIEND]);
    apply(patch, 14, FRIEND, { type: "merge", revision: entryId(1), commit: NEXT }, { holdings, doc });
    assert.deepEqual(toPatchView(patch, REFS, { answers: "spec" }).state, {
      status: "open",
      conflicts: [[entryId(1), HEAD], [entryId(1), NEXT]],
    });
    patch.state = { status: "open", conflicts: [] };
    assert.equal(JSON.stringify(toPatchView(patch, REFS, { answers: "spec" }).state), '{"status":"open"}');
  });

  it("shows the branch of a patch that is meant for one", () => {
    const patch = createPatch();
    patch.target = { branch: "refs/heads/stable" };
    assert.deepEqual(toPatchView(patch, new Map(), { answers: "spec" }).target, {
      branch: "refs/heads/stable",
    });
  });

  it("orders merges by author", () => {
    const patch = createPatch();
    const doc = createDoc([DELEGATE, FRIEND]);
    for (const [n, node] of [[14, FRIEND], [15, DELEGATE]] as const) {
      patch.merges.delete(node);
      apply(patch, n, node, { type: "merge", revision: entryId(1), commit: node === FRIEND ? NEXT : HEAD }, {
        holdings,
        doc,
      });
    }
    const ids = toPatchView(patch, REFS, { answers: "spec" }).merges.map((merge) => merge.author.id);
    assert.deepEqual(ids, [didOfNid(DELEGATE), didOfNid(FRIEND)]);
  });
});

describe("countPatches", () => {
  it("counts by state, those with conflicts as open", () => {
    const states = ["open", "draft", "archived", "merged", "open"].map((status) => {
      const patch = createPatch();
      if (status === "open") patch.state = { status, conflicts: [[entryId(1), HEAD]] };
      if (status === "draft" || status === "archived") patch.state = { status };
      return patch;
    });
    assert.deepEqual(countPatches(states), { open: 2, draft: 1, archived: 1, merged: 1 });
  });
});
