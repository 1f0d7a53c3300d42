/** Routes that open and change patches (4.4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { BOB_SEED, createWorld } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";

const NOWHERE = "f".repeat(40) as Oid;

/** An API with a patch of the last two commits. */
async function createPatch(...options: Parameters<typeof createChangeApi>) {
  const api = await createChangeApi(...options);
  const [initial, parent, head] = api.world.commits;
  const body = { title: "Title", description: "Description", target: parent, oid: head, labels: ["b", "a"] };
  const answer = await api.send("POST", "/patches", body);
  const id = answer.body.id as Oid;
  const change = (action: unknown) => api.send("PATCH", `/patches/${id}`, action);
  const done = async (action: object): Promise<string> => {
    const { status, body } = await change(action);
    assert.deepEqual([status, body.success], [200, true], JSON.stringify(action) + JSON.stringify(body));
    return body.id;
  };
  const show = async () => (await api.send("GET", `/patches/${id}`, undefined)).body;
  return { ...api, initial, parent, head, body, answer, id, change, done, show };
}

describe("POST /projects/:project/patches", () => {
  it("opens a patch on the merge base", async () => {
    const { answer, id, show, parent, head } = await createPatch();
    assert.deepEqual([answer.status, answer.body], [201, { success: true, id }]);
    const { title, labels, target, state, revisions } = await show();
    assert.deepEqual([title, labels, target, state], ["Title", ["a", "b"], "delegates", { status: "open" }]);
    const [{ base, oid, description, id: revision }] = revisions;
    assert.deepEqual([base, oid, description, revision], [parent, head, "Description", id]);
  });

  it("answers with the same id when it is sent twice in a second", async () => {
    const { send, body, id } = await createPatch();
    const { status, body: again } = await send("POST", "/patches", body);
    assert.deepEqual([status, again.id], [201, id]);
  });

  const REFUSED: readonly (readonly [what: string, status: number, members: Record<string, unknown>])[] = [
    ["an unknown commit", 404, { oid: NOWHERE }],
    ["an unknown target", 404, { target: NOWHERE }],
    ["an id that is none", 422, { oid: "xyz" }],
    ["no target", 422, { target: undefined }],
    ["labels that are no texts", 422, { labels: [1] }],
  ];
  for (const [what, status, members] of REFUSED) {
    it(`refuses ${what} with ${status} and leaves nothing behind`, async () => {
      const { send, body, census } = await createPatch();
      const before = census();
      const answer = await send("POST", "/patches", { ...body, ...members });
      assert.deepEqual([answer.status, answer.body.code], [status, status]);
      assert.deepEqual(census(), before);
    });
  }

  it("refuses another kind of object with 422", async () => {
    const { send, body, world } = await createPatch();
    const blob = world.hello.put("blob", new Uint8Array(1));
    assert.equal((await send("POST", "/patches", { ...body, oid: blob })).status, 422);
  });
});

describe("PATCH /projects/:project/patches/:id", () => {
  it("does all that can be done to a patch", async () => {
    const { done, show, id, parent, head, initial } = await createPatch();
    const ALICE = (await show()).author.id;
    const location = {
      commit: head,
      path: "README",
      old: null,
      new: { type: "lines", range: { start: 0, end: 1 } },
    };
    await done({ type: "edit", title: "New", target: "delegates" });
    await done({ type: "label", labels: ["l"] });
    await done({ type: "lifecycle", state: { status: "draft" } });
    await done({ type: "assign", assignees: [ALICE] });

    const revision = await done({ type: "revision", description: "Second", base: initial, oid: parent });
    await done({ type: "revision.edit", revision, description: "Edited" });
    await done({ type: "revision.react", revision, reaction: "✨", active: true, location });
    const comment = await done({ type: "revision.comment", revision, body: "hi", location });
    await done({ type: "revision.comment.edit", revision, comment, body: "edited", embeds: [] });
    await done({ type: "revision.comment.react", revision, comment, reaction: "✨", active: true });
    const oops = await done({ type: "revision.comment", revision, body: "oops", replyTo: comment });
    await done({ type: "revision.comment.redact", revision, comment: oops });

    const review = await done({
      type: "review",
      revision,
      summary: "fine",
      verdict: "accept",
      labels: ["x"],
    });
    await done({ type: "review.edit", review, summary: "fine indeed", verdict: "accept" });
    const note = await done({ type: "review.comment", review, body: "note", location, embeds: [] });
    const reply = await done({ type: "review.comment", review, body: "reply", replyTo: note });
    await done({ type: "review.comment.edit", review, comment: note, body: "noted", embeds: [] });
    await done({ type: "review.comment.react", review, comment: note, reaction: "✨", active: true });
    await done({ type: "review.comment.resolve", review, comment: note });
    await done({ type: "review.comment.unresolve", review, comment: note });
    await done({ type: "review.comment.resolve", review, comment: note });
    await done({
      type: "review.comment.redact",
      review,
      comment: await done({ type: "review.comment", review, body: "x" }),
    });
    await done({
      type: "review.redact",
      review: await done({ type: "review", revision: id, verdict: "reject" }),
    });

    const third = await done({ type: "revision", description: "Third", base: initial, oid: parent });
    await done({ type: "revision.redact", revision: third });
    await done({ type: "merge", revision: id, commit: head });

    const patch = await show();
    assert.deepEqual(
      [patch.title, patch.labels, patch.assignees, patch.state],
      ["New", ["l"], [ALICE], { status: "merged", revision: id, commit: head }],
    );
    assert.equal(patch.merges.length, 1);
    assert.deepEqual(patch.revisions.map((one: { id: string }) => one.id), [id, revision]);
    const [first, second] = patch.revisions;
    assert.deepEqual([first.reviews, second.description, second.reviews.length], [[], "Edited", 1]);
    assert.deepEqual(second.discussions.map((one: { body: string }) => one.body), ["edited"]);
    const comments = second.reviews[0].comments as [
      string,
      { body: string; resolved: boolean; replyTo: string },
    ][];
    assert.deepEqual(
      comments.map(([id, { body, resolved, replyTo }]) => [id, body, resolved, replyTo ?? null]),
      [[note, "noted", true, null], [reply, "reply", false, note]],
    );
  });

  it("takes a location without a commit to be in the head of its revision (2.10)", async () => {
    const { done, show, change, id, initial, parent, head } = await createPatch();
    const lines = { type: "lines", range: { start: 0, end: 1 } };
    const location = { path: "README", old: null, new: lines };
    const revision = await done({ type: "revision", description: "2", base: initial, oid: parent });
    const review = await done({ type: "review", revision, verdict: "accept" });
    await done({ type: "review.comment", review, body: "a", location });
    await done({ type: "revision.comment", revision, body: "b", location });
    await done({ type: "revision.comment", revision: id, body: "c", location: { path: "README" } });
    await done({ type: "revision.comment", revision, body: "d", location: { ...location, commit: initial } });
    await done({ type: "revision.react", revision: id, reaction: "❤\ufe0f", active: true, location });
    const [first, second] = (await show()).revisions;
    assert.deepEqual(second.reviews[0].comments[0][1].location, { commit: parent, ...location });
    assert.deepEqual(
      [...first.discussions, ...second.discussions].map((one: { location: unknown }) => one.location),
      [
        { commit: head, path: "README", old: null, new: null },
        { commit: parent, ...location },
        { commit: initial, ...location },
      ],
    );
    assert.deepEqual(
      first.reactions.map((one: { location: unknown; emoji: string }) => [one.location, one.emoji]),
      [[{ commit: head, ...location }, "❤"]],
    );
    await done({ type: "revision.redact", revision });
    for (const place of [revision, NOWHERE]) {
      const answer = await change({ type: "revision.comment", revision: place, body: "e", location });
      assert.equal(answer.status, 404);
    }
  });

  const REFUSED: readonly (readonly [what: string, status: number, (id: Oid) => object])[] = [
    ["an unknown revision", 404, () => ({ type: "revision.edit", revision: NOWHERE, description: "" })],
    ["an unknown review", 404, () => ({ type: "review.redact", review: NOWHERE })],
    [
      "an unknown comment",
      404,
      (id) => ({ type: "revision.comment.redact", revision: id, comment: NOWHERE }),
    ],
    ["an unknown commit", 404, (id) => ({ type: "merge", revision: id, commit: NOWHERE })],
    ["a review without content", 422, (id) => ({ type: "review", revision: id })],
    ["an entry as a commit", 422, (id) => ({ type: "merge", revision: id, commit: id })],
    ["a state that only merges give", 422, () => ({ type: "lifecycle", state: { status: "merged" } })],
    [
      "a target that older programs do not know",
      422,
      () => ({ type: "edit", title: "", target: { branch: "x" } }),
    ],
    [
      "an action that is not served",
      422,
      (id) => ({ type: "review.react", review: id, reaction: "✨", active: true }),
    ],
    ["the end of the first revision", 409, (id) => ({ type: "revision.redact", revision: id })],
  ];
  for (const [what, status, action] of REFUSED) {
    it(`refuses ${what} with ${status} and leaves nothing behind`, async () => {
      const { change, census, id } = await createPatch();
      const before = census();
      const answer = await change(action(id));
      assert.deepEqual([answer.status, answer.body.code], [status, status]);
      assert.deepEqual(census(), before);
    });
  }

  it("takes one review of a revision by a node (409), and any number where all rules are of 2024", async () => {
    for (
      const [evaluation, generation, status] of [
        ["newest", "newest", 409],
        ["2024", "newest", 409],
        ["2024", "2024", 200],
      ] as const
    ) {
      const { done, change, id } = await createPatch({
        compatibility: { evaluation, generation: () => generation },
      });
      await done({ type: "review", revision: id, verdict: "accept" });
      assert.equal((await change({ type: "review", revision: id, verdict: "reject" })).status, status);
    }
  });

  it("lets others than delegates do what is theirs (403)", async () => {
    const world = createWorld();
    const { id, done } = await createPatch({}, world);
    const review = await done({ type: "review", revision: id, verdict: "accept" });
    const bob = await createChangeApi({}, world, BOB_SEED);
    const send = async (action: object) => (await bob.send("PATCH", `/patches/${id}`, action)).status;
    assert.equal(await send({ type: "merge", revision: id, commit: world.commits[2] }), 403);
    assert.equal(await send({ type: "edit", title: "x", target: "delegates" }), 403);
    assert.equal(await send({ type: "review.edit", review, verdict: "reject" }), 403);
    assert.equal(
      await send({ type: "revision", description: "", base: world.commits[0], oid: world.commits[1] }),
      200,
    );
    assert.equal(await send({ type: "review", revision: id, verdict: "reject" }), 200);
  });
});
