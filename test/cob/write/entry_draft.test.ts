/** New entries: what is in them, and what can be in none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_ACTION_BYTES } from "../../../src/cob/entry/entry.ts";
import { parseEntryCommit, parseEntryTree } from "../../../src/cob/entry/entry_commit.ts";
import { encodeEntry, type EntryDraft, MAX_CHANGE_VALUES } from "../../../src/cob/write/entry_draft.ts";
import { CoreError, type CoreErrorName } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { CONTRIBUTOR_SECRET, TIME_SECONDS } from "../fixture_world.ts";
import { signerOf } from "../../support/keys.ts";
import { RULES } from "../../../src/cob/rules.ts";

const oid = (n: number) => n.toString(16).padStart(40, "0") as Oid;
const signer = await signerOf(CONTRIBUTOR_SECRET);
const DRAFT: EntryDraft = {
  typeName: "xyz.radicle.issue",
  actions: [{ type: "edit", title: "x" }],
  files: [],
  tips: [oid(9), oid(8)],
  related: [oid(7), oid(6), oid(7)],
  resource: oid(5),
  person: { name: "seed", email: "seed@x" },
  timeSeconds: TIME_SECONDS,
  message: "Edit",
};
const encode = (draft: Partial<EntryDraft> = {}, by = signer) => encodeEntry({ ...DRAFT, ...draft }, by);
const is = (name: CoreErrorName) => (error: unknown) => error instanceof CoreError && error.name === name;

async function parse(draft: Partial<EntryDraft>) {
  const { id, objects } = await encode(draft);
  const commit = objects.at(-1)!;
  const tree = objects.findLast(({ kind }) => kind === "tree")!;
  return {
    id,
    commit: parseEntryCommit(commit.bytes, RULES.newest),
    text: new TextDecoder().decode(commit.bytes),
    tree,
  };
}

describe("a new entry", () => {
  it("has tips, related commits and resource as parents, in this order, the related ones sorted and once each", async () => {
    const { text, commit } = await parse({});
    assert.deepEqual([...text.matchAll(/^parent 0*(\d)$/gm)].map((line) => line[1]), [
      "9",
      "8",
      "6",
      "7",
      "5",
    ]);
    assert.deepEqual(commit.parents, [oid(9), oid(8)]);
    assert.equal(commit.resource, oid(5));
    assert.equal(commit.timeSeconds, TIME_SECONDS);
  });

  it("has its time in UTC, its author, and a trailer for each link", async () => {
    const { text } = await parse({});
    assert.match(
      text,
      /^author seed <seed@x> 1671125284 \+0000\ncommitter seed <seed@x> 1671125284 \+0000$/m,
    );
    assert.ok(text.endsWith(
      `\n\nEdit\n\nRad-Related: ${oid(6)}\nRad-Related: ${oid(7)}\nRad-Resource: ${oid(5)}\n`,
    ));
  });

  it("of the same content in the same second is the same", async () => {
    assert.equal((await encode()).id, (await encode()).id);
    assert.notEqual((await encode()).id, (await encode({ timeSeconds: TIME_SECONDS + 1 })).id);
  });

  it("gives back its actions as readers find them, in normalization form C", async () => {
    const { actions } = await encode({ actions: [{ type: "edit", title: "e\u0301", extra: undefined }] });
    assert.deepEqual(actions, [{ type: "edit", title: "\u00e9" }]);
  });

  it("has at least one action, and at most as many as readers accept", async () => {
    const actions = Array.from({ length: 100 }, (_, i) => ({ n: i }));
    assert.equal(parseEntryTree((await parse({ actions })).tree.bytes).actions.length, 100);
    await assert.rejects(() => encode({ actions: [...actions, ...actions] }), RangeError);
    await assert.rejects(() => encode({ actions: [] }), RangeError);
  });

  it("has actions as large as readers take, even where normalization makes them longer", async () => {
    const size = (title: string) => JSON.stringify({ title }).length;
    const title = "x".repeat(MAX_ACTION_BYTES - size(""));
    assert.ok(await encode({ actions: [{ title }] }));
    await assert.rejects(() => encode({ actions: [{ title: title + "x" }] }), is("TooLargeError"));
    const labels = Array.from({ length: MAX_CHANGE_VALUES - 3 }, (_, i) => `${i}`);
    assert.ok(await encode({ actions: [{ labels }] }));
    await assert.rejects(() => encode({ actions: [{ labels }, { labels: ["x"] }] }), is("TooLargeError"));
    // Four bytes become twelve.
    const grows = "\u{1d160}".repeat(MAX_ACTION_BYTES / 12);
    await assert.rejects(() => encode({ actions: [{ title: grows }] }), is("TooLargeError"));
  });

  it("joins no more branches than fit into a commit that readers take", async () => {
    const tips = Array.from({ length: 10_000 }, (_, i) => oid(i + 1));
    await assert.rejects(() => encode({ tips }), is("ConflictError"));
    assert.ok(await encode({ tips: tips.slice(5000) }));
  });

  it("is not made with a key whose signature does not verify", async () => {
    const broken = { ...signer, sign: () => Promise.resolve(new Uint8Array(64)) };
    await assert.rejects(() => encode({}, broken), is("UnauthorizedError"));
  });
});
