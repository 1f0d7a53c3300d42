/** The budget for the texts of one object: whose texts are kept, and what is left of the others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  hasRoom,
  NO_TEXTS,
  OBJECT_TEXT_BYTES,
  TextBudget,
  TRUNCATED_UNITS,
  truncateText,
} from "../../../src/cob/evaluation/text_budget.ts";
import type { Oid } from "../../../src/ids/oid.ts";

const MIB = 2 ** 20;
const LONG = "x".repeat(TRUNCATED_UNITS + 1);
const oid = (n: number) => n.toString(16).padStart(40, "0") as Oid;
const entriesOf = (...sizes: readonly number[]) => sizes.map((bytes, i) => ({ id: oid(i), bytes }));
const comment = { type: "comment", body: LONG, embeds: [] };

/** Which of some entries keep their texts, when each comments. */
function keptOf(...sizes: readonly number[]): boolean[] {
  const entries = entriesOf(...sizes);
  const budget = TextBudget.of(entries);
  return entries.map((entry) => budget.take(entry, [comment])[0] === comment);
}

/** An action as it is applied when there is no room for it. */
function cut<A extends { readonly type: string }>(action: A): { action: A; truncated: Oid[] } {
  const budget = new TextBudget(1);
  const [short] = budget.take({ id: oid(7), bytes: MIB }, [action]);
  return { action: short!, truncated: [...budget.texts.truncated] };
}

describe("the budget for texts", () => {
  it("keeps all texts of an object that has no more than fit in", () => {
    assert.deepEqual(keptOf(OBJECT_TEXT_BYTES - 10, 5, 5), [true, true, true]);
  });

  it("keeps those of the shortest entries, and has room for later ones", () => {
    assert.deepEqual(keptOf(20 * MIB, 100, 15 * MIB, 8 * MIB, 100), [false, true, true, true, true]);
    const budget = TextBudget.of(entriesOf(20 * MIB, 15 * MIB));
    // There is room for more.
    assert.ok(budget.texts.bytes < OBJECT_TEXT_BYTES - MIB);
  });

  it("keeps those of the first of equal ones", () => {
    assert.deepEqual(keptOf(...Array(5).fill(10 * MIB)), [true, true, false, false, false]);
  });

  it("is never exceeded by later entries", () => {
    const budget = TextBudget.of(entriesOf(...Array(4).fill(10 * MIB)));
    for (let i = 0; i < 100; i++) budget.take({ id: oid(i), bytes: MIB }, [comment]);
    assert.ok(budget.texts.bytes <= OBJECT_TEXT_BYTES + 100 * TRUNCATED_UNITS);
    assert.ok(budget.texts.truncated.size > 50);
  });

  it("asks for an evaluation anew when it would be exceeded for the first time", () => {
    assert.ok(hasRoom(NO_TEXTS, OBJECT_TEXT_BYTES));
    assert.ok(!hasRoom(NO_TEXTS, OBJECT_TEXT_BYTES + 1));
    assert.ok(hasRoom({ ...NO_TEXTS, limitBytes: MIB }, OBJECT_TEXT_BYTES + 1));
  });
});

describe("an action without room", () => {
  it("keeps the beginnings of its texts, few embeds and no more than the beginning of a path", () => {
    const embeds = Array.from({ length: 9 }, (_, i) => ({ name: `${i}`, content: i === 0 ? LONG : "git:x" }));
    const location = { commit: oid(1), path: LONG, old: null, new: null };
    const { action } = cut({ type: "review.comment", body: LONG, embeds, location, review: oid(2) });
    assert.equal(action.body, LONG.slice(0, TRUNCATED_UNITS));
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
      assert.deepEqual(cut(action), { action, truncated: [] });
    }
  });

  it("is told of by the id of what it speaks about", () => {
    const edit = { body: LONG, embeds: [] };
    assert.deepEqual(cut(comment).truncated, [oid(7)]);
    assert.deepEqual(cut({ type: "comment.edit", id: oid(1), ...edit }).truncated, [oid(1)]);
    const place = { revision: oid(1), review: oid(2), comment: oid(3) };
    assert.deepEqual(cut({ type: "review.comment.edit", ...place, ...edit }).truncated, [oid(3)]);
    assert.deepEqual(cut({ type: "review.edit", review: oid(2), summary: LONG }).truncated, [oid(2)]);
    assert.deepEqual(cut({ type: "revision.edit", revision: oid(1), description: LONG }).truncated, [oid(1)]);
  });
});

describe("a shortened text", () => {
  it("is empty or blank only if the text is", () => {
    const blank = " \u0085".repeat(TRUNCATED_UNITS);
    assert.equal(truncateText(""), "");
    assert.equal(truncateText(`${blank}word`), "word");
    assert.equal(truncateText(blank), blank.slice(0, TRUNCATED_UNITS));
  });

  it("has no half of a character", () => {
    assert.ok(truncateText(`x${"🫶".repeat(TRUNCATED_UNITS)}`).isWellFormed());
  });
});
