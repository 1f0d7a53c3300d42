/** Reviews: one of a node for each revision, their versions, and where generations differ. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listReviews, type Patch } from "../../../src/cob/patch/patch_state.ts";
import { latest } from "../../../src/cob/issue/thread.ts";
import { AUTHOR, DELEGATE, entryId, FRIEND, refusal } from "../ops.ts";
import { apply, open, openBusy, type Setting } from "../patches.ts";

const first = entryId(1);
const OLD: Setting = { generation: "2024" };
const write = (patch: Patch, n: number, members: object, setting?: Setting) =>
  apply(patch, n, FRIEND, { type: "review", revision: first, ...members }, setting);
const shown = (patch: Patch) =>
  listReviews(patch, patch.revisions.get(first)!).map((
    { id, review },
  ) => [parseInt(id, 16), review.verdict, latest(review.summary).body]);

describe("a review", () => {
  it("needs neither verdict nor summary", () => {
    const patch = open(AUTHOR);
    write(patch, 2, {});
    assert.deepEqual(shown(patch), [[2, null, null]]);
  });

  it("counts once for each node and revision: the first stays", () => {
    const patch = open(AUTHOR);
    write(patch, 2, { verdict: "accept", summary: "one" });
    write(patch, 3, { verdict: "reject", summary: "two" });
    assert.deepEqual(shown(patch), [[2, "accept", "one"]]);
    assert.throws(
      () => apply(patch, 4, FRIEND, { type: "review.redact", review: entryId(3) }),
      refusal("missing"),
    );
  });

  it("was replaced by a second one in 2024, and shown under both ids", () => {
    const patch = open(AUTHOR);
    write(patch, 2, { verdict: "accept", summary: "one" }, OLD);
    write(patch, 3, { verdict: "reject", summary: "two" }, OLD);
    assert.deepEqual(shown(patch), [[2, "reject", "two"], [3, "reject", "two"]]);
    apply(patch, 4, FRIEND, { type: "review.edit", review: entryId(2), verdict: "accept" }, OLD);
    assert.deepEqual(shown(patch), [[2, "accept", null], [3, "accept", null]]);
    apply(patch, 5, FRIEND, { type: "review.redact", review: entryId(3) }, OLD);
    assert.deepEqual(shown(patch), []);
    apply(patch, 6, FRIEND, { type: "review.comment", review: entryId(2), body: "passed over" }, OLD);
  });

  it("may be written again after it was redacted", () => {
    for (const setting of [{}, OLD]) {
      const patch = open(AUTHOR);
      write(patch, 2, { summary: "one" }, setting);
      apply(patch, 3, FRIEND, { type: "review.redact", review: entryId(2) }, setting);
      apply(patch, 4, FRIEND, { type: "review.redact", review: entryId(2) }, setting);
      assert.deepEqual(shown(patch), []);
      write(patch, 5, { summary: "two" }, setting);
      assert.deepEqual(shown(patch), [[5, null, "two"]]);
    }
  });

  it("of an unknown revision is passed over, in 2024 it was refused", () => {
    const review = { type: "review", revision: entryId(9), verdict: "accept" };
    const patch = open(AUTHOR);
    apply(patch, 2, FRIEND, review);
    assert.equal(patch.reviews.size, 0);
    assert.throws(() => apply(patch, 2, FRIEND, review, OLD), refusal("missing"));
  });

  it("keeps versions of its summary, and what an edit does not say of it", () => {
    const patch = open(AUTHOR);
    write(patch, 2, { summary: "one", verdict: "accept", labels: ["x"] });
    apply(patch, 3, FRIEND, { type: "review.edit", review: entryId(2), verdict: "reject" });
    assert.deepEqual(shown(patch), [[2, "reject", "one"]]);
    apply(patch, 4, DELEGATE, { type: "review.edit", review: entryId(2), summary: "two", labels: ["y"] });
    assert.deepEqual(shown(patch), [[2, null, "two"]]);
    apply(patch, 5, FRIEND, {
      type: "review.edit.v2",
      review: entryId(2),
      summary: "three",
      embeds: [{ name: "n", content: "c" }],
    });
    const [found] = listReviews(patch, patch.revisions.get(first)!);
    assert.deepEqual(found?.review.summary, [
      { author: FRIEND, timeSeconds: 1002, body: "one", embeds: [] },
      { author: DELEGATE, timeSeconds: 1004, body: "two", embeds: [] },
      { author: FRIEND, timeSeconds: 1005, body: "three", embeds: [{ name: "n", content: "c" }] },
    ]);
    assert.deepEqual(found?.review.labels, []);
  });

  it("lost its summary in 2024 when an edit had no summary", () => {
    const patch = open(AUTHOR);
    write(patch, 2, { summary: "one" }, OLD);
    apply(patch, 3, FRIEND, { type: "review.edit", review: entryId(2) }, OLD);
    assert.deepEqual(shown(patch), [[2, null, null]]);
  });

  it("is not edited to say nothing", () => {
    const patch = open(AUTHOR);
    write(patch, 2, { summary: "one" });
    for (
      const action of [{ type: "review.edit" }, { type: "review.edit.v2" }, {
        type: "review.edit.v2",
        summary: "",
      }]
    ) {
      assert.throws(() => apply(patch, 3, FRIEND, { ...action, review: entryId(2) }), refusal("invalid"));
    }
    apply(patch, 4, FRIEND, { type: "review.edit", summary: "", review: entryId(2) });
  });

  it("that is redacted is edited without effect, in 2024 a delegate's edit was refused", () => {
    for (const setting of [{}, OLD]) {
      const patch = openBusy(AUTHOR, FRIEND, setting);
      apply(patch, 6, FRIEND, { type: "review.redact", review: entryId(4) }, setting);
      const edit = { type: "review.edit", review: entryId(4), summary: "x" };
      apply(patch, 7, FRIEND, edit, setting);
      if (setting === OLD) assert.throws(() => apply(patch, 8, DELEGATE, edit, setting), refusal("missing"));
      else apply(patch, 8, DELEGATE, edit, setting);
    }
  });

  // The programs of 2024 and 0.10 ask for the review's own entry before they look at its place in the revision.
  it("whose revision or place is redacted can be edited by any node, without effect", () => {
    for (const generation of ["newest", "0.10", "2024"] as const) {
      const setting = { generation };
      const edit = { type: "review.edit", review: entryId(4), summary: "x" };
      const gone = openBusy(AUTHOR, FRIEND, setting);
      apply(gone, 6, FRIEND, { type: "revision.redact", revision: entryId(2) }, setting);
      for (const node of [DELEGATE, FRIEND]) apply(gone, 7, node, edit, setting);
      if (generation === "newest") continue;
      const shared = openBusy(AUTHOR, FRIEND, setting);
      apply(shared, 6, FRIEND, { type: "review", revision: entryId(2), summary: "again" }, setting);
      apply(shared, 7, FRIEND, { type: "review.redact", review: entryId(6) }, setting);
      for (const node of [DELEGATE, FRIEND]) apply(shared, 8, node, edit, setting);
      const other = { ...edit, review: entryId(6) };
      assert.throws(() => apply(shared, 9, DELEGATE, other, setting), refusal("missing"));
    }
  });

  it("comes in order of ids, not of time", () => {
    const patch = open(AUTHOR);
    apply(patch, 9, DELEGATE, { type: "review", revision: first, verdict: "accept" });
    write(patch, 2, { verdict: "reject" });
    assert.deepEqual(shown(patch), [[2, "reject", null], [9, "accept", null]]);
  });
});
