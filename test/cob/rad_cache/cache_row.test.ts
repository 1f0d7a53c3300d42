/** Rows of the objects database in the forms of each release of `rad`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toIssueRow, toPatchRow } from "../../../src/cob/rad_cache/cache_rows.ts";
import { decodeIssueAction, openIssue } from "../../../src/cob/issue/issue.ts";
import type { Patch } from "../../../src/cob/patch/patch_state.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { didOfNid } from "../../../src/ids/nid.ts";
import type { RowForm } from "../../../src/ports/cob_cache.ts";
import { AUTHOR, createOp, DELEGATE, entryId, FRIEND } from "../ops.ts";
import { apply, open, openBusy } from "../patches.ts";
import { runSync } from "../../../src/scheduling/task.ts";

const FORMS: readonly RowForm[] = ["0.10", "1.0", "1.1", "newest"];
/** Entry `n`'s time in rows. */
const ms = (n: number) => (1000 + n) * 1000;

interface Row {
  readonly revisions: Record<string, { readonly id: string; readonly reviews: object } | null>;
  readonly reviews: object;
}

function reviewsOf(patch: Patch, form: RowForm, revision: number): unknown {
  const row = toPatchRow(patch, form) as Row;
  return row.revisions[entryId(revision)]?.reviews;
}

describe("the row of a patch", () => {
  it("has a review of each node, its summary as text or with all its versions", () => {
    const patch = openBusy(AUTHOR, FRIEND);
    apply(patch, 6, FRIEND, {
      type: "review.edit.v2",
      review: entryId(4),
      summary: "finer",
      verdict: "reject",
    });
    const text = {
      id: entryId(4),
      author: { id: didOfNid(FRIEND) },
      verdict: "reject",
      summary: "finer",
      comments: {
        comments: {
          [entryId(5)]: {
            author: FRIEND,
            reactions: [],
            resolved: false,
            body: "in the review",
            edits: [{ author: FRIEND, timestamp: ms(5), body: "in the review", embeds: [] }],
          },
        },
        timeline: [entryId(5)],
      },
      labels: [],
      timestamp: ms(4),
    };
    const versions = [
      { author: FRIEND, timestamp: ms(4), body: "fine", embeds: [] },
      { author: FRIEND, timestamp: ms(6), body: "finer", embeds: [] },
    ];
    assert.deepEqual(reviewsOf(patch, "0.10", 2), { [FRIEND]: text });
    assert.deepEqual(reviewsOf(patch, "1.0", 2), { [FRIEND]: [text] });
    assert.deepEqual(reviewsOf(patch, "1.1", 2), { [FRIEND]: text });
    assert.deepEqual(reviewsOf(patch, "newest", 2), { [FRIEND]: { ...text, summary: versions } });
  });

  it("has null for a missing summary, but an empty one today", () => {
    const patch = open(AUTHOR);
    apply(patch, 2, FRIEND, { type: "review", revision: entryId(1), verdict: "accept" });
    const summaries = FORMS.map((form) => {
      const [review] = Object.values(reviewsOf(patch, form, 1) as object).flat();
      return review.summary;
    });
    assert.deepEqual(summaries.slice(0, 3), [null, null, null]);
    assert.deepEqual(summaries[3], [{ author: FRIEND, timestamp: ms(2), body: "", embeds: [] }]);
  });

  it("keeps redacted reviews as null until 0.10, then not at all", () => {
    const patch = openBusy(AUTHOR, FRIEND);
    apply(patch, 6, FRIEND, { type: "review.redact", review: entryId(4) });
    assert.deepEqual(FORMS.map((form) => reviewsOf(patch, form, 2)), [
      { [FRIEND]: null },
      { [FRIEND]: [] },
      {},
      {},
    ]);
    for (const form of FORMS) {
      assert.deepEqual((toPatchRow(patch, form) as Row).reviews, { [entryId(4)]: null });
    }
  });

  it("has the ids of revisions and null for redacted ones in every form", () => {
    const patch = openBusy(AUTHOR, FRIEND);
    apply(patch, 6, DELEGATE, { type: "revision.redact", revision: entryId(2) });
    for (const form of FORMS) {
      const { revisions } = toPatchRow(patch, form) as Row;
      assert.equal(revisions[entryId(1)]?.id, entryId(1));
      assert.equal(revisions[entryId(2)], null);
    }
  });
});

describe("times in rows", () => {
  const rowAt = (timeSeconds: number) => {
    const action = runSync(decodeIssueAction({ type: "comment", body: "b" }, RULES.newest));
    assert.ok(action);
    return JSON.stringify(
      toIssueRow(openIssue({ ...createOp(1, AUTHOR, [action]), timeSeconds }, RULES.newest)),
    );
  };

  it("are milliseconds", () => {
    assert.match(rowAt(1_700_000_000), /"timestamp":1700000000000,/);
  });

  it("stay whole numbers that programs can read, whatever an entry claims", () => {
    assert.match(rowAt(-5), /"timestamp":0,/);
    assert.match(rowAt(9.2e18), /"timestamp":9007199254740991,/);
    assert.match(rowAt(1e19), /"timestamp":9007199254740991,/);
  });
});
