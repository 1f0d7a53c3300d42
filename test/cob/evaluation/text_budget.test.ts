/** The budget for the texts of one object: whose texts stay whole, and what is left of the others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CUT_UNITS,
  cutText,
  isWithin,
  ITEM_BYTES,
  NO_TEXTS,
  TextBudget,
  type TextLimits,
} from "../../../src/cob/evaluation/text_budget.ts";
import type { IdentityDoc } from "../../../src/identity/doc.ts";
import { didOfNid, type NodeId } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { createWriter } from "../entries.ts";

const KIB = 2 ** 10;
const LIMITS: TextLimits = { bytes: 100 * KIB, titleUnits: 9, tags: 3 };
const [author, delegate, other, stranger] = [1, 2, 3, 4].map((seed) => createWriter(seed).nid) as [
  NodeId,
  NodeId,
  NodeId,
  NodeId,
];
const LONG = "x".repeat(CUT_UNITS + 1);
const oid = (n: number) => n.toString(16).padStart(40, "0") as Oid;
const docOf = (...delegates: readonly NodeId[]) =>
  ({ delegates: delegates.map(didOfNid) }) as unknown as IdentityDoc;
const comment = { type: "comment", body: LONG, embeds: [] };

/** An entry of some bytes with one comment. */
interface Drafted {
  readonly by: NodeId;
  readonly bytes: number;
  readonly doc?: IdentityDoc;
}

/** Which of the entries of an object keep their texts; the first one opens it. */
function keptOf(...drafts: readonly Drafted[]): boolean[] {
  const budget = new TextBudget(drafts.map(({ bytes }, i) => ({ id: oid(i), bytes })), LIMITS);
  return drafts.map(({ by, bytes, doc = docOf(delegate) }, i) => {
    const op = { id: oid(i), author: by, timeSeconds: i, doc, actions: [comment] };
    return budget.take(op, bytes) === op;
  });
}

const opening: Drafted = { by: author, bytes: KIB };
const by = (node: NodeId, ...sizes: readonly number[]): Drafted[] =>
  sizes.map((kib) => ({ by: node, bytes: kib * KIB }));

/** An action as it is applied when there is no room for it. */
function cut<A extends { readonly type: string }>(action: A): { action: A; marked: Oid[] } {
  const budget = new TextBudget([], { ...LIMITS, bytes: 0 });
  const op = { id: oid(7), author, timeSeconds: 0, doc: docOf(), actions: [action] };
  const { actions: [short] } = budget.take(op, KIB);
  return { action: short!, marked: [...budget.cut] };
}

describe("the budget for texts", () => {
  it("keeps all texts of an object that has no more than fit in", () => {
    assert.deepEqual(keptOf(opening, ...by(stranger, 50, 40, 9)), [true, true, true, true]);
  });

  it("keeps the shortest texts of strangers, so that one cannot take the room of many", () => {
    assert.deepEqual(keptOf(opening, ...by(stranger, 90, 30, 80, 1, 40)), [
      true,
      false,
      true,
      false,
      true,
      true,
    ]);
    assert.deepEqual(keptOf(opening, ...by(stranger, 40, 40, 40)), [true, true, true, false]);
  });

  it("keeps the texts of the author and of delegates whatever strangers write", () => {
    const strangers = by(stranger, ...Array.from({ length: 200 }, () => 1), 99);
    const kept = keptOf(opening, ...strangers, ...by(author, 60), ...by(delegate, 30), ...by(author, 9));
    assert.deepEqual([kept[0], ...kept.slice(-3)], [true, true, true, true]);
    assert.ok(kept.filter((isKept) => !isKept).length > 100);
  });

  it("cuts texts of the author and of delegates in their order", () => {
    assert.deepEqual(keptOf(opening, ...by(delegate, 90), ...by(author, 10, 5)), [true, true, false, true]);
  });

  it("accepts a delegate that a delegate names, and not one that anyone else names", () => {
    const filler = by(stranger, ...Array.from({ length: 101 }, () => 1));
    const text = { by: other, bytes: 20 * KIB, doc: docOf(other) };
    assert.equal(keptOf(opening, ...filler, text).at(-1), false);
    const naming = { by: delegate, bytes: KIB, doc: docOf(delegate, other) };
    assert.equal(keptOf(opening, ...filler, naming, text).at(-1), true);
  });

  it("counts the items of lists, whose memory is more than their bytes", () => {
    const budget = new TextBudget([{ id: oid(1), bytes: KIB }], LIMITS);
    const embeds = Array.from({ length: LIMITS.bytes / ITEM_BYTES }, () => ({ name: "", content: "" }));
    const op = {
      id: oid(1),
      author,
      timeSeconds: 0,
      doc: docOf(),
      actions: [{ type: "comment", body: "", embeds }],
    };
    assert.equal(budget.take(op, KIB).actions[0]!.embeds.length, 4);
    assert.deepEqual(budget.texts, { bytes: CUT_UNITS, wholeBytes: LIMITS.bytes + KIB });
  });

  it("has room for a further entry until it is exceeded", () => {
    assert.ok(isWithin(NO_TEXTS, LIMITS));
    assert.ok(isWithin({ bytes: LIMITS.bytes, wholeBytes: LIMITS.bytes }, LIMITS));
    assert.ok(!isWithin({ bytes: LIMITS.bytes + 1, wholeBytes: LIMITS.bytes + 1 }, LIMITS));
    assert.ok(!isWithin({ bytes: 0, wholeBytes: 1 }, LIMITS));
  });
});

describe("an action without room", () => {
  it("keeps the beginnings of its texts, few embeds and no more than the beginning of a path", () => {
    const embeds = Array.from({ length: 9 }, (_, i) => ({ name: `${i}`, content: i === 0 ? LONG : "git:x" }));
    const location = { commit: oid(1), path: LONG, old: null, new: null };
    const { action } = cut({ type: "review.comment", body: LONG, embeds, location, review: oid(2) });
    assert.equal(action.body, LONG.slice(0, CUT_UNITS));
    assert.deepEqual(action.embeds.map(({ name }) => name), ["1", "2", "3"]);
    assert.ok(action.location.path.length < LONG.length + 16);
    const other = cut({ type: "comment", body: "", embeds: [], location: { ...location, path: `${LONG}y` } });
    assert.notEqual(other.action.location.path, action.location.path);
  });

  it("keeps what decides whether it counts", () => {
    for (
      const action of [
        { type: "edit", title: `${LONG}\n` },
        { type: "label", labels: [LONG, LONG] },
        { type: "assign", assignees: Array(99).fill("did:key:z6Mk") },
        { type: "comment", body: "short", embeds: [] },
      ]
    ) {
      assert.deepEqual(cut(action), { action, marked: [] });
    }
  });

  it("marks the comment, revision or review that it is about", () => {
    const edit = { body: LONG, embeds: [] };
    assert.deepEqual(cut(comment).marked, [oid(7)]);
    assert.deepEqual(cut({ type: "comment.edit", id: oid(1), ...edit }).marked, [oid(1)]);
    const place = { revision: oid(1), review: oid(2), comment: oid(3) };
    assert.deepEqual(cut({ type: "review.comment.edit", ...place, ...edit }).marked, [oid(3)]);
    assert.deepEqual(cut({ type: "review.edit", review: oid(2), summary: LONG }).marked, [oid(2)]);
    assert.deepEqual(cut({ type: "revision.edit", revision: oid(1), description: LONG }).marked, [oid(1)]);
  });
});

describe("a cut text", () => {
  it("is empty or blank only if the text is", () => {
    const blank = " \u0085".repeat(CUT_UNITS);
    assert.equal(cutText(""), "");
    assert.equal(cutText(`${blank}word`), "word");
    assert.equal(cutText(blank), blank.slice(0, CUT_UNITS));
  });

  it("has no half of a character", () => {
    assert.ok(cutText(`x${"🫶".repeat(CUT_UNITS)}`).isWellFormed());
  });
});
