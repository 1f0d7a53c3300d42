/** Truncated texts in answers about one object: which of them are read again, how often, and how they are written. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TextSource } from "../../src/cob/entry/state_forms.ts";
import type { Truncated } from "../../src/cob/op.ts";
import { DamagedError } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { CachedTexts } from "../../src/views/cached_texts.ts";
import { type ReadActions, WholeTexts } from "../../src/views/whole_texts.ts";
import { Task } from "../../src/scheduling/task.ts";

const NOBODY = { aliases: () => Promise.resolve(new Map()) };
const LIMIT = 100;
const FORTY = 40;

/** A part of a state whose text is in an action of the entry `name`. */
function part(name: string, action = 0, bytes = FORTY): Truncated & { readonly source: TextSource } {
  return { source: { entry: name.repeat(40) as Oid, action, bytes } };
}

/** Reads entries of ten comments; `asked` has the first letters of their ids. */
function createReader() {
  const asked: string[] = [];
  const read: ReadActions = (entry) => {
    asked.push(entry[0]!);
    return Promise.resolve(Array.from({ length: 10 }, (_, i) => ({ body: `${entry[0]}${i}`, embeds: [i] })));
  };
  return { asked, read };
}

async function written(view: unknown): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of new CachedTexts().pieces(NOBODY, {}, () => view, new Task())) pieces.push(piece);
  assert.ok(!pieces.includes(""), "an empty piece");
  return pieces.join("");
}

describe("truncated texts", () => {
  it("are read again in the order of the answer, up to a limit, each group whole or not at all", async () => {
    const { asked, read } = createReader();
    const [a, b, b1, c, d, kept] = [part("a"), part("b"), part("b", 1), part("c"), part("d", 0, 20), {}];
    const whole = new WholeTexts([[kept], [a], [b, c], [b, b1], [d]], read, LIMIT);
    assert.deepEqual([a, b, b1, c, d, kept].map((one) => whole.leavesOut([one])), [
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
    assert.equal(whole.leavesOut([b, c]), true);
    assert.equal(whole.isComplete, false);
    assert.equal(whole.heldBytes, 3 * FORTY);
    const view = [kept, a, b, b1, c, d].map((one) => [whole.text(one, "short"), whole.embeds(one, [])]);
    assert.equal(
      await written(view),
      '[["short",[]],["a0",[0]],["b0",[0]],["b1",[1]],["short",[]],["d0",[0]]]',
    );
    assert.deepEqual(asked, ["a", "b", "d"]);
  });

  it("count whenever their entry follows another one", () => {
    const { read } = createReader();
    const turns = [[part("a"), part("b")], [part("a", 1)]];
    assert.equal(new WholeTexts(turns, read, 3 * FORTY).isComplete, true);
    assert.equal(new WholeTexts(turns, read, 3 * FORTY - 1).isComplete, false);
    assert.equal(new WholeTexts([[part("a")], [part("a", 1), part("a", 2)]], read, FORTY).isComplete, true);
  });

  it("break the answer off when their entry is gone", async () => {
    const a = part("a");
    const whole = new WholeTexts([[a]], () => Promise.reject(new DamagedError("gone")), LIMIT);
    await assert.rejects(written({ before: "x", body: whole.text(a, "a") }), DamagedError);
  });
});

describe("long texts", () => {
  it("are written as JSON.stringify writes them, wherever a piece ends", async () => {
    for (const head of ["", "x", "xy"]) {
      const text = `${head}${'😀"\n\u0001é'.repeat(40_000)}\ud83d`;
      assert.equal(await written([text, { text }]), JSON.stringify([text, { text }]));
    }
  });
});
