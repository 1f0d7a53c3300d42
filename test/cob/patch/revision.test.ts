/** Revisions: versions of their description, reactions to places, redaction. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPatchRow } from "../../../src/cob/rad_cache/cache_rows.ts";
import { listRevisions, type Patch } from "../../../src/cob/patch/patch_state.ts";
import { latest } from "../../../src/cob/issue/thread.ts";
import { AUTHOR, DELEGATE, entryId, FRIEND, refusal } from "../ops.ts";
import { apply, BASE, HEAD, NEXT, open } from "../patches.ts";

const first = entryId(1);
const row = (patch: Patch) => JSON.parse(JSON.stringify(toPatchRow(patch))).revisions;
const propose = (patch: Patch, n: number, members: object = {}) =>
  apply(patch, n, FRIEND, { type: "revision", description: "", base: BASE, oid: NEXT, ...members });

describe("a revision", () => {
  it("comes in the order in which entries count, whatever its author", () => {
    const patch = open(AUTHOR);
    propose(patch, 9);
    propose(patch, 3);
    assert.deepEqual(listRevisions(patch).map(({ id }) => parseInt(id, 16)), [1, 9, 3]);
  });

  it("keeps versions of its description", () => {
    const patch = open(AUTHOR);
    apply(patch, 2, DELEGATE, {
      type: "revision.edit",
      revision: first,
      description: "",
      embeds: [{ name: "n", content: "c" }],
    });
    const [revision] = listRevisions(patch);
    assert.deepEqual(latest(revision!.description), {
      author: DELEGATE,
      timeSeconds: 1002,
      body: "",
      embeds: [{ name: "n", content: "c" }],
    });
  });

  it("vanishes with all that belongs to it when it is redacted, unless it is the first", () => {
    const patch = open(AUTHOR);
    propose(patch, 2);
    apply(patch, 3, FRIEND, { type: "revision.redact", revision: entryId(2) });
    assert.deepEqual(listRevisions(patch).map(({ id }) => id), [first]);
    assert.equal(row(patch)[entryId(2)], null);
    assert.throws(
      () => apply(patch, 4, DELEGATE, { type: "revision.redact", revision: first }),
      refusal("invalid"),
    );
    apply(patch, 5, DELEGATE, { type: "revision.redact", revision: entryId(2) });
  });

  it("has reactions by location: without one first, then by commit, path and lines", () => {
    const patch = open(AUTHOR);
    const place = (path: string) => ({
      commit: HEAD,
      path,
      old: null,
      new: { type: "lines", range: { start: 1, end: 2 } },
    });
    const react = (n: number, location: object | null, reaction: string, active = true) =>
      apply(patch, n, FRIEND, { type: "revision.react", revision: first, location, reaction, active });
    react(2, place("b"), "🚀");
    react(3, place("a"), "🚀");
    react(4, null, "🚀");
    react(5, null, "👍");
    react(6, place("a/./"), "👍");
    apply(patch, 7, AUTHOR, { type: "revision.react", revision: first, reaction: "👍", active: true });
    assert.deepEqual(row(patch)[first].reactions, [
      { location: null, emoji: "👍", authors: [AUTHOR, FRIEND] },
      { location: null, emoji: "🚀", authors: [FRIEND] },
      { location: place("a"), emoji: "👍", authors: [FRIEND] },
      { location: place("a"), emoji: "🚀", authors: [FRIEND] },
      { location: place("b"), emoji: "🚀", authors: [FRIEND] },
    ]);
    react(8, place("b"), "🚀", false);
    assert.equal(row(patch)[first].reactions.length, 4);
  });

  it("keeps what it resolves, in order and once", () => {
    const patch = open(AUTHOR);
    propose(patch, 2, {
      resolves: [[entryId(5), entryId(7)], [entryId(5), entryId(6)], [entryId(5), entryId(7)]],
    });
    assert.deepEqual(row(patch)[entryId(2)].resolves, [[entryId(5), entryId(6)], [entryId(5), entryId(7)]]);
  });
});
