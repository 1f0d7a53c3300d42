/** What clients ask of patches: what is refused before anything is written, and what is left out. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { type ServedActions, toChange } from "../../../src/cob/write/change.ts";
import type { PatchAction } from "../../../src/cob/patch/patch_action.ts";
import {
  checkPatchAction,
  checkReview,
  completeLocation,
  draftPatch,
  type NewPatch,
  PatchRequest,
} from "../../../src/cob/write/patch_request.ts";
import { type Generation, RULES } from "../../../src/cob/rules.ts";
import { CoreError, type CoreErrorName } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { signerOf } from "../../support/keys.ts";
import { putCommit } from "../../support/world.ts";
import { createFixtureWorld, createWriter } from "../fixture_world.ts";
import { Task } from "../../../src/scheduling/task.ts";

const A = "a".repeat(40);
const NOWHERE = "f".repeat(40) as Oid;
const is = (name: CoreErrorName) => (error: unknown) => error instanceof CoreError && error.name === name;
const parse = (body: unknown) => v.parse(PatchRequest, body);
const check = (body: unknown, generation: Generation = "newest", served: ServedActions = "early") =>
  checkPatchAction(parse(body), [RULES[generation]], served);

async function createSetting(rules: Generation = "newest") {
  const world = await createFixtureWorld();
  const { writer, place, patches } = createWriter(world, { rules });
  const [initial, parent, head] = world.commits;
  const open = async (draft: Partial<NewPatch> = {}) => {
    const patch = { title: "t", description: "d", target: parent, oid: head, labels: [], ...draft };
    return writer.create(
      patches,
      place,
      await draftPatch({ objects: world.repository, graph: place.graph, task: new Task() }, patch),
    );
  };
  const change = (patch: Oid, body: unknown, by = place.signer) => {
    const action = check(body, rules);
    return writer.update(patches, { ...place, signer: by }, patch, (state) => {
      checkReview(state, by.nodeId, action, RULES[rules]);
      return toChange(world.repository, completeLocation(state, action));
    });
  };
  const state = async (id: Oid) =>
    (await patches.get({ objects: world.repository, graph: place.graph, task: new Task() }, id))!.state;
  return { world, initial, parent, head, open, change, state };
}

describe("a place in code", () => {
  it("may have no numbers that cannot be written, though programs read them", () => {
    const on = (end: number) => ({
      type: "revision.comment",
      revision: A,
      body: "b",
      location: { commit: A, path: "a", new: { type: "lines", range: { start: 0, end } } },
    });
    assert.ok(check(on(2 ** 53 - 1)));
    assert.throws(() => check(on(2 ** 53)), is("InvalidError"));
  });
});

describe("a body", () => {
  const REPLY = { type: "review.comment", review: A, body: "b" };
  const CASES: readonly (readonly [what: string, members: object, replyTo: string | null | undefined])[] = [
    ["replyTo", { replyTo: A }, A],
    ["reply_to", { reply_to: A }, A],
    ["both: reply_to counts", { replyTo: NOWHERE, reply_to: A }, A],
    ["replyTo beside a reply_to that is null", { replyTo: A, reply_to: null }, A],
    ["neither", {}, undefined],
    ["null", { replyTo: null }, null],
  ];
  for (const [what, members, replyTo] of CASES) {
    it(`of a comment in a review may have ${what}`, () => {
      const action = parse({ ...REPLY, ...members });
      assert.ok(action.type === "review.comment");
      assert.equal(action.reply_to, replyTo);
    });
  }

  it("of other actions has replyTo alone", () => {
    const action = parse({ type: "revision.comment", revision: A, body: "b", reply_to: A });
    assert.ok(action.type === "revision.comment" && action.replyTo === undefined);
  });

  for (const members of [{ replyTo: 5 }, { reply_to: "xyz" }, { body: 5 }, { type: "review.commen" }]) {
    it(`is refused with ${JSON.stringify(members)}`, () =>
      assert.throws(() => parse({ ...REPLY, ...members })));
  }
});

describe("an action", () => {
  const REFUSED: Record<string, object> = {
    "a type that is not served": { type: "review.react", review: A, reaction: "✨", active: true },
    "another form of editing a review": { type: "review.edit.v2", review: A, summary: "s" },
    "a target that older programs do not know": { type: "edit", title: "t", target: { branch: "main" } },
    "a reaction that older programs do not know": {
      type: "revision.react",
      revision: A,
      reaction: "\u{1fae0}",
      active: true,
    },
  };
  for (const [what, body] of Object.entries(REFUSED)) {
    it(`that is ${what} is refused by all rules`, () => {
      for (const rules of ["newest", "2024"] as const) {
        assert.throws(() => check(body, rules), is("InvalidError"));
      }
    });

    it(`that is ${what} is served to clients of today where all programs know it`, () => {
      assert.deepEqual(check(body, "newest", "all"), parse(body));
      for (const rules of ["1.1", "0.10", "2024"] as const) {
        assert.throws(() => check(body, rules, "all"), is("InvalidError"));
        for (const both of [[RULES.newest, RULES[rules]], [RULES[rules], RULES.newest]] as const) {
          assert.throws(() => checkPatchAction(parse(body), both, "all"), is("InvalidError"));
        }
      }
    });
  }

  it("leaves a review neither without summary nor without verdict", () => {
    const edit = { type: "review.edit.v2", review: A };
    assert.throws(() => check(edit, "newest", "all"), is("InvalidError"));
    assert.ok(check({ ...edit, verdict: "reject" }, "newest", "all"));
  });

  for (const body of [{ type: "review", revision: A }, { type: "review.edit", review: A, summary: null }]) {
    it(`"${body.type}" without summary and verdict is refused by the newest rules alone`, () => {
      assert.throws(() => check(body), is("InvalidError"));
      assert.ok(check(body, "2024"));
      assert.ok(check({ ...body, verdict: "accept" }));
      assert.ok(check({ ...body, summary: "" }));
    });
  }

  it("does not settle reviews", () => {
    const body = { type: "revision", description: "", base: A, oid: A, resolves: [[A, A]] };
    assert.deepEqual((check(body) as PatchAction & { resolves: unknown }).resolves, []);
    assert.deepEqual(check(body, "newest", "all"), parse(body));
  });

  it("edits labels of reviews by the newest rules alone", () => {
    const labelsOf = (rules: Generation) => {
      const action = check({ type: "review.edit", review: A, summary: "s", labels: ["l"] }, rules);
      return action.type === "review.edit" ? action.labels : undefined;
    };
    assert.deepEqual(labelsOf("newest"), ["l"]);
    assert.deepEqual(labelsOf("2024"), []);
  });
});

describe("a comment without text", () => {
  const COMMENT = { revision: A, comment: A, review: A, body: "", embeds: [] };
  for (const type of ["revision.comment", "revision.comment.edit", "review.comment", "review.comment.edit"]) {
    it(`is refused (${type})`, async () => {
      const { world } = await createSetting();
      await assert.rejects(
        () => toChange(world.repository, check({ ...COMMENT, type }) as PatchAction),
        is("InvalidError"),
      );
      assert.ok(await toChange(world.repository, check({ ...COMMENT, type, body: " " }) as PatchAction));
    });
  }
});

describe("a new patch", () => {
  it("is based on where its commit and its target went apart", async () => {
    const { open, state, initial, parent, head, world } = await createSetting();
    const side = putCommit(world.repository, { folder: {}, parents: [initial], message: "side" });
    const baseOf = async (target: Oid, oid: Oid) =>
      [...(await state(await open({ target, oid }))).revisions.values()][0]?.base;
    assert.equal(await baseOf(parent, head), parent);
    assert.equal(await baseOf(head, side), initial);
    assert.equal(await baseOf(head, head), head);
    assert.equal(await baseOf(head, initial), initial);
  });

  const REFUSED = ["target", "oid"] as const;
  for (const member of REFUSED) {
    it(`is refused with an unknown ${member}, and with one that is no commit`, async () => {
      const { open, world, head } = await createSetting();
      const blob = world.repository.put("blob", new Uint8Array(3));
      const tag = world.repository.put(
        "tag",
        new TextEncoder().encode(`object ${head}\ntype commit\ntag v\n\n`),
      );
      await assert.rejects(() => open({ [member]: NOWHERE }), is("NotFoundError"));
      await assert.rejects(() => open({ [member]: blob }), is("InvalidError"));
      await assert.rejects(() => open({ [member]: tag }), is("InvalidError"));
    });
  }

  it("is refused when its commit has nothing in common with its target", async () => {
    const { open, world } = await createSetting();
    const stray = putCommit(world.repository, { folder: {}, message: "stray" });
    await assert.rejects(() => open({ oid: stray }), is("NotFoundError"));
  });
});

describe("commits of actions", () => {
  it("must be there", async () => {
    const { open, change, head } = await createSetting();
    const patch = await open();
    const revision = { type: "revision", description: "", base: head, oid: head };
    await assert.rejects(() => change(patch, { ...revision, base: NOWHERE }), is("NotFoundError"));
    await assert.rejects(() => change(patch, { ...revision, oid: NOWHERE }), is("NotFoundError"));
    await assert.rejects(
      () => change(patch, { type: "merge", revision: patch, commit: NOWHERE }),
      is("NotFoundError"),
    );
  });

  it("must be commits", async () => {
    const { open, change, world } = await createSetting();
    const patch = await open();
    const commit = world.repository.put("blob", new Uint8Array(3));
    await assert.rejects(
      () => change(patch, { type: "merge", revision: patch, commit }),
      is("InvalidError"),
    );
  });

  it("must not be what the entry goes on top of: it would hang in the air", async () => {
    const { open, change, head, state } = await createSetting();
    const patch = await open();
    const revision = { type: "revision", description: "", base: head, oid: patch };
    await assert.rejects(() => change(patch, revision), is("InvalidError"));
    const entry = await change(patch, { ...revision, oid: head });
    await assert.rejects(() => change(patch, { ...revision, base: entry }), is("InvalidError"));
    // Further down it does no harm.
    await change(patch, { ...revision, base: patch, oid: head });
    assert.equal((await state(patch)).revisions.size, 3);
  });
});

describe("a change of a comment that this node does not have", () => {
  it("is refused from others than delegates", async () => {
    const { open, change } = await createSetting();
    const patch = await open();
    const stranger = await signerOf("ab".repeat(32));
    const review = await change(patch, { type: "review", revision: patch, verdict: "accept" });
    for (
      const of of [
        { type: "revision.comment.edit", revision: patch, body: "x", embeds: [] },
        { type: "revision.comment.redact", revision: patch },
        { type: "review.comment.edit", review, body: "x", embeds: [] },
        { type: "review.comment.resolve", review },
      ]
    ) {
      await assert.rejects(() => change(patch, { ...of, comment: NOWHERE }, stranger), is("NotFoundError"));
    }
  });
});

describe("a review", () => {
  it("of an unknown revision is refused", async () => {
    const { open, change } = await createSetting();
    const patch = await open();
    await assert.rejects(
      () => change(patch, { type: "review", revision: NOWHERE, verdict: "accept" }),
      is("NotFoundError"),
    );
  });

  it("of a redacted revision is written without effect", async () => {
    for (const rules of ["newest", "2024"] as const) {
      const { open, change, state, head } = await createSetting(rules);
      const patch = await open();
      const revision = await change(patch, { type: "revision", description: "", base: head, oid: head });
      await change(patch, { type: "revision.redact", revision });
      await change(patch, { type: "review", revision, verdict: "accept" });
      assert.equal((await state(patch)).reviews.size, 0);
    }
  });

  it("is limited to one for each node and revision by the newest rules, until it is redacted", async () => {
    const { open, change, head } = await createSetting();
    const patch = await open();
    const body = { type: "review", revision: patch, verdict: "accept" };
    const review = await change(patch, body);
    await assert.rejects(() => change(patch, { ...body, verdict: "reject" }), is("ConflictError"));
    assert.ok(await change(patch, body, await signerOf("ab".repeat(32))));
    const revision = await change(patch, { type: "revision", description: "", base: head, oid: head });
    assert.ok(await change(patch, { ...body, revision }));
    await change(patch, { type: "review.redact", review });
    assert.ok(await change(patch, body));
  });

  it("replaces the one before by the rules of 2024", async () => {
    const { open, change, state } = await createSetting("2024");
    const patch = await open();
    const body = { type: "review", revision: patch, verdict: "accept" };
    await change(patch, body);
    await change(patch, { ...body, verdict: "reject" });
    const reviews = [...(await state(patch)).revisions.get(patch)!.reviews.values()];
    assert.deepEqual(reviews.map((review) => review?.verdict), ["reject"]);
  });
});
