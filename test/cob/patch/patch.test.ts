/** Patches: what actions do, who may do them, and where generations differ. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyToPatch, beginPatchEntry, idlePatchAction } from "../../../src/cob/patch/patch.ts";
import { decodePatchAction } from "../../../src/cob/patch/patch_action.ts";
import { copyPatch, listReviews, listRevisions, type Patch } from "../../../src/cob/patch/patch_state.ts";
import { Refusal } from "../../../src/cob/op.ts";
import { type Generation, RULES } from "../../../src/cob/rules.ts";
import { toPatchRow } from "../../../src/cob/rad_cache/cache_rows.ts";
import { didOfNid, type NodeId } from "../../../src/ids/nid.ts";
import { AUTHOR, createDoc, DELEGATE, entryId, FRIEND, refusal, STRANGER } from "../ops.ts";
import { apply, BASE, decode, HEAD, NEXT, open, openBusy, patchOp, ROOT } from "../patches.ts";
import { createRandom, type Random } from "../random.ts";
import { runSync } from "../../../src/scheduling/task.ts";

const GENERATIONS: readonly Generation[] = ["newest", "2024"];
const first = entryId(1);
const second = entryId(2);
const review = entryId(4);
const onRevision = { revision: second, comment: entryId(3) };
const inReview = { review, comment: entryId(5) };
const row = (patch: Patch) => JSON.stringify(toPatchRow(patch));

/** One of each. */
const ALL: Record<string, Record<string, unknown>> = {
  edit: { title: "New", target: "delegates" },
  label: { labels: ["bug"] },
  lifecycle: { state: { status: "draft" } },
  assign: { assignees: [didOfNid(FRIEND)] },
  merge: { revision: first, commit: HEAD },
  revision: { description: "Third", base: BASE, oid: NEXT },
  "revision.edit": { revision: second, description: "Better" },
  "revision.redact": { revision: second },
  "revision.react": { revision: second, reaction: "👍", active: true },
  "revision.comment": { revision: second, body: "hi", replyTo: entryId(3) },
  "revision.comment.edit": { ...onRevision, body: "other", embeds: [] },
  "revision.comment.redact": onRevision,
  "revision.comment.react": { ...onRevision, reaction: "👍", active: true },
  review: { revision: second, verdict: "reject" },
  "review.edit": { review, summary: "changed", verdict: "reject" },
  "review.redact": { review },
  "review.comment": { review, body: "hi", reply_to: entryId(5) },
  "review.comment.edit": { ...inReview, body: "other", embeds: [] },
  "review.comment.redact": inReview,
  "review.comment.react": { ...inReview, reaction: "👍", active: true },
  "review.comment.resolve": inReview,
  "review.comment.unresolve": inReview,
};
const LATER: typeof ALL = {
  "review.edit.v2": { review, summary: "changed", verdict: "reject", labels: ["a"] },
  "review.react": { review, reaction: "👍", active: true },
};
const typed = (type: string, members: object) => ({ type, ...members });

describe("decodePatchAction", () => {
  for (const [type, members] of Object.entries({ ...ALL, ...LATER })) {
    it(`understands ${type}, and nothing with a member less`, () => {
      decode(typed(type, members));
      const optional = ["summary", "verdict", "replyTo", "reply_to", "labels", "embeds"];
      for (const name of Object.keys(members)) {
        const rest = { ...members, [name]: undefined };
        const isOptional = optional.includes(name) && (name !== "embeds" || !type.endsWith(".edit")) &&
          type !== "label";
        assert.equal(
          runSync(decodePatchAction(typed(type, rest), RULES.newest)) !== undefined,
          isOptional,
          `${type} ${name}`,
        );
      }
    });
  }

  for (const [type, members] of Object.entries(LATER)) {
    it(`does not understand ${type} under the rules of 2024`, () => {
      assert.equal(runSync(decodePatchAction(typed(type, members), RULES["2024"])), undefined);
    });
  }

  for (
    const [target, understood] of [
      ["delegates", "delegates"],
      [{ branch: "stable" }, { branch: "refs/heads/stable" }],
      [{ branch: "refs/heads/a/b" }, { branch: "refs/heads/a/b" }],
      [{ branch: "refs/tags/v1" }, undefined],
      [{ branch: "a..b" }, undefined],
      [{ branch: "a", more: 1 }, undefined],
      ["stable", undefined],
      [null, undefined],
    ] as const
  ) {
    it(`takes ${JSON.stringify(target)} for ${JSON.stringify(understood) ?? "no target"}`, () => {
      const action = runSync(decodePatchAction({ type: "edit", title: "", target }, RULES.newest));
      assert.deepEqual(action?.type === "edit" ? action.target : undefined, understood);
      const early = runSync(decodePatchAction({ type: "edit", title: "", target }, RULES["2024"]));
      assert.equal(early !== undefined, target === "delegates");
    });
  }

  it("answers in reviews by `reply_to`, whatever `replyTo` says (as the real programs)", () => {
    const action = { type: "review.comment", review, body: "x", replyTo: entryId(5) };
    assert.deepEqual(decode(action), { type: "review.comment", review, body: "x", embeds: [] });
  });

  it("takes what revisions resolve as pairs", () => {
    const revision = { type: "revision", description: "", base: BASE, oid: HEAD };
    decode({ ...revision, resolves: [[first, second]] });
    for (const resolves of [[[first]], [[first, second, first]], [first], null]) {
      assert.equal(runSync(decodePatchAction({ ...revision, resolves }, RULES.newest)), undefined);
    }
  });
});

describe("openPatch", () => {
  it("makes a patch of the first entry", () => {
    assert.equal(
      row(open(AUTHOR)),
      JSON.stringify({
        title: "Title",
        author: { id: didOfNid(AUTHOR) },
        state: { status: "open" },
        target: "delegates",
        labels: [],
        merges: {},
        revisions: {
          [first]: {
            id: first,
            author: { id: didOfNid(AUTHOR) },
            description: [{ author: AUTHOR, timestamp: 1_001_000, body: "Description", embeds: [] }],
            base: BASE,
            oid: HEAD,
            discussion: { comments: {}, timeline: [] },
            reviews: {},
            timestamp: 1_001_000,
            resolves: [],
            reactions: [],
          },
        },
        assignees: [],
        timeline: [first],
        reviews: {},
      }),
    );
  });

  for (
    const actions of [[], [ROOT[0]], [ROOT[1], ROOT[0]], [ROOT[0], { type: "label", labels: [] }, ROOT[1]]]
  ) {
    it(`refuses ${JSON.stringify(actions).slice(0, 80)}`, () => {
      assert.throws(() => open(DELEGATE, actions), refusal("invalid"));
    });
  }

  it("asks for the right to what the first entry does, but not under the rules of 2024", () => {
    const label = [...ROOT, { type: "label", labels: ["bug"] }];
    assert.deepEqual(open(DELEGATE, label).labels, ["bug"]);
    assert.throws(() => open(AUTHOR, label), refusal("denied"));
    assert.deepEqual(open(AUTHOR, label, { generation: "2024" }).labels, ["bug"]);
    assert.equal(
      open(AUTHOR, [...ROOT, { type: "lifecycle", state: { status: "draft" } }]).state.status,
      "draft",
    );
  });
});

describe("applyToPatch", () => {
  const anybody = [
    "revision",
    "revision.react",
    "revision.comment",
    "revision.comment.react",
    "review",
    "review.comment",
    "review.comment.react",
    "review.react",
  ];
  const friendly = [
    "revision.edit",
    "revision.redact",
    "revision.comment.edit",
    "revision.comment.redact",
    "review.edit",
    "review.edit.v2",
    "review.redact",
    "review.comment.edit",
    "review.comment.redact",
    "review.comment.resolve",
    "review.comment.unresolve",
  ];
  const allowed: Record<string, readonly string[]> = {
    delegate: Object.keys({ ...ALL, ...LATER }),
    author: [...anybody, "edit", "lifecycle"],
    friend: [...anybody, ...friendly],
    stranger: anybody,
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
        for (const [type, members] of Object.entries(generation === "newest" ? { ...ALL, ...LATER } : ALL)) {
          const patch = openBusy(AUTHOR, FRIEND, { generation });
          const attempt = () => apply(patch, 6, node, typed(type, members), { generation });
          if (allowed[who]?.includes(type)) attempt();
          else assert.throws(attempt, refusal("denied"), type);
        }
      });
    }
  }

  it("lets comments of a review be resolved by their author, the reviewer and the author of the revision", () => {
    for (const node of [AUTHOR, FRIEND, STRANGER]) {
      const patch = openBusy(AUTHOR, FRIEND);
      apply(patch, 6, AUTHOR, { type: "review", revision: first, summary: "own" });
      apply(patch, 7, STRANGER, { type: "review.comment", review: entryId(6), body: "?" });
      const attempt = () =>
        apply(patch, 8, node, { type: "review.comment.resolve", review: entryId(6), comment: entryId(7) });
      if (node === FRIEND) assert.throws(attempt, refusal("denied"));
      else attempt();
    }
  });

  it("refuses what is about things that are not there", () => {
    for (const generation of GENERATIONS) {
      for (const [type, members] of Object.entries(ALL)) {
        if (type === "review" && generation === "newest") continue;
        for (const name of ["revision", "review", "comment", "replyTo", "reply_to"]) {
          if (!(name in members)) continue;
          const patch = openBusy(AUTHOR, FRIEND, { generation });
          const action = { type, ...members, [name]: entryId(99) };
          assert.throws(
            () => apply(patch, 6, DELEGATE, action, { generation }),
            refusal("missing"),
            `${type} ${name}`,
          );
        }
      }
    }
  });

  it("passes over what is about redacted revisions, for whomever", () => {
    for (const node of [DELEGATE, FRIEND, STRANGER]) {
      for (const [type, members] of Object.entries({ ...ALL, ...LATER })) {
        if (!("revision" in members || "review" in members) || type === "merge") continue;
        const patch = openBusy(AUTHOR, FRIEND);
        apply(patch, 6, FRIEND, { type: "revision.redact", revision: second });
        const before = row(patch);
        apply(patch, 7, node, typed(type, members));
        assert.equal(row({ ...patch, timeline: patch.timeline.slice(0, -1) }), before, type);
      }
    }
  });

  it("accepts the present labels from any node, since 2024-04", () => {
    const patch = open(DELEGATE, [...ROOT, { type: "label", labels: ["a", "b"] }]);
    apply(patch, 2, STRANGER, { type: "label", labels: ["b", "a"] });
    assert.throws(
      () => apply(patch, 3, STRANGER, { type: "label", labels: ["a", "b"] }, { generation: "2024" }),
      refusal("denied"),
    );
    assert.throws(() => apply(patch, 4, STRANGER, { type: "assign", assignees: [] }), refusal("denied"));
  });

  it("leaves the patch that was copied as it was", () => {
    const patch = openBusy(AUTHOR, FRIEND);
    const before = row(patch);
    for (const [type, members] of Object.entries({ ...ALL, ...LATER })) {
      const copy = copyPatch(patch);
      apply(copy, 6, DELEGATE, typed(type, members), {
        holdings: new Set([`${DELEGATE} refs/heads/main ${HEAD}`]),
      });
      assert.equal(row(patch), before, type);
    }
  });

  it("keeps what earlier actions of a refused entry did, and the entry in the timeline (as the real programs)", () => {
    const patch = open(AUTHOR);
    const op = patchOp(2, AUTHOR, [typed("edit", ALL["edit"]!), typed("assign", ALL["assign"]!)]);
    beginPatchEntry(patch, op.id);
    assert.throws(() => applyToPatch(patch, op, RULES.newest), refusal("denied"));
    assert.deepEqual([patch.title, patch.assignees, patch.timeline], ["New", [], [first, second]]);
  });

  for (const generation of GENERATIONS) {
    it(`throws nothing but refusals, whatever happens (${generation})`, () => {
      for (let seed = 0; seed < 40; seed++) {
        const random = createRandom(seed);
        const doc = createDoc([DELEGATE, FRIEND], 1 + random.below(2));
        const patch = open(AUTHOR, ROOT, { generation });
        for (let n = 2; n < 80; n++) {
          const actions = Array.from({ length: 1 + random.below(2) }, () => randomAction(random))
            .filter((action) => runSync(decodePatchAction(action, RULES[generation])) !== undefined);
          const author = random.pick([DELEGATE, AUTHOR, FRIEND, STRANGER]);
          const op = {
            ...patchOp(n, author, actions, { generation, doc }),
            branchContains: () => random.below(3) > 0,
          };
          try {
            beginPatchEntry(patch, op.id);
            applyToPatch(patch, op, RULES[generation]);
          } catch (error) {
            assert.ok(error instanceof Refusal, String(error));
          }
        }
        const revisions = listRevisions(patch);
        assert.equal(revisions[0]?.id, first);
        assert.ok(
          revisions.every((revision) =>
            listReviews(patch, revision).every((found) => found.review.summary.length > 0)
          ),
        );
        assert.equal(row(copyPatch(patch)), row(patch));
      }
    });
  }
});

describe("the action of a join", () => {
  for (const generation of GENERATIONS) {
    it(`changes nothing, whatever its author (${generation})`, () => {
      const patch = openBusy(AUTHOR, FRIEND, { generation });
      const reaction = { type: "revision.react", revision: first, reaction: "👍", active: true };
      apply(patch, 6, STRANGER, reaction, { generation });
      const before = JSON.parse(row(patch));
      for (const [i, node] of [AUTHOR, STRANGER, FRIEND, DELEGATE].entries()) {
        apply(patch, 7 + i, node, idlePatchAction(patch, node), { generation });
      }
      const timeline = [...before.timeline, ...[7, 8, 9, 10].map(entryId)];
      assert.deepEqual(JSON.parse(row(patch)), { ...before, timeline });
    });
  }
});

function randomAction(random: Random): unknown {
  const any = () => entryId(1 + random.below(40));
  return {
    type: random.pick([...Object.keys({ ...ALL, ...LATER }), "revision", "review", "nonsense"]),
    title: "t",
    target: random.pick(["delegates", { branch: "stable" }]),
    labels: random.pick([[], ["a"]]),
    state: { status: random.pick(["open", "draft", "archived", "merged"]) },
    assignees: [didOfNid(AUTHOR)],
    revision: random.pick([first, any()]),
    review: any(),
    comment: any(),
    commit: random.pick([HEAD, NEXT]),
    base: BASE,
    oid: random.pick([HEAD, NEXT]),
    description: "d",
    body: random.pick(["", "text"]),
    embeds: [],
    replyTo: random.pick([null, any()]),
    reply_to: random.pick([null, any()]),
    location: random.pick([null, undefined, { commit: HEAD, path: "a", old: null, new: null }]),
    reaction: random.pick(["👍", "\u{1fae0}"]),
    active: random.below(2) === 0,
    summary: random.pick([null, undefined, "", "words"]),
    verdict: random.pick([null, "accept", "reject"]),
  };
}
