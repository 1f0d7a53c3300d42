/** Entries of very many values: they count as any others, are shown, and the object can be written to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ITEM_BYTES, LISTED_TEXTS, OBJECT_TEXTS } from "../../src/cob/evaluation/text_budget.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createWriter, putEntry, setTip, type Writer } from "../cob/entries.ts";
import { createTestApi, STRANGER } from "../support/api.ts";
import { ALICE, createWorld } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";

/** The only delegate of the world's repositories, and a stranger. */
const [alice, bob] = [createWriter(0xff), createWriter(2)];
const [EMBEDS, LABELS] = [20_000, 20_000];
const many = <T>(count: number, item: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
const embeds = many(EMBEDS, (i) => ({ name: `${i}`, content: "git:x" }));

interface Comment {
  readonly id: Oid;
  readonly body: string;
  readonly embeds: readonly unknown[];
  readonly truncated?: boolean;
}

/** A world with an issue. */
function createSetting() {
  const world = createWorld();
  const resource = world.hello.ref("refs/rad/id")!.oid!;
  const put = (writer: Writer, actions: readonly unknown[], ...parents: readonly Oid[]) =>
    putEntry(world.hello, { writer, actions, parents, resource });
  const id = put(alice, [{ type: "comment", body: "description" }, { type: "edit", title: "title" }]);
  setTip(world.hello, alice.nid, id, id);
  /** Adds an entry on top of `parent`, to which its writer's reference leads. */
  const add = (writer: Writer, parent: Oid, action: unknown) => {
    const entry = put(writer, [action], parent);
    setTip(world.hello, writer.nid, id, entry);
    return entry;
  };
  const issues = `/projects/${world.helloRid}/issues`;
  return { world, id, add, issues, path: `${issues}/${id}` };
}

type Setting = ReturnType<typeof createSetting>;

/** The issue, after a comment was written to it; services of two sets of rules show the same. */
async function write({ world, id, path }: Setting) {
  const { send, get } = await createChangeApi({}, world);
  const action = { type: "comment", body: "answer", replyTo: id, embeds: [] };
  const { status } = await send("PATCH", `/issues/${id}`, action);
  assert.equal(status, 200);
  const { body } = await get(path);
  assert.equal(body.discussion.at(-1).body, "answer");
  const profile = { nodeId: ALICE, alias: "tester", pinned: () => [] };
  assert.deepEqual(
    (await createTestApi({ compatibility: { evaluation: "0.10" }, profile }, world).get(path)).body,
    body,
  );
  return body;
}

describe("an entry with very many values", () => {
  for (const writer of [alice, bob]) {
    it(`counts, by the ${writer === alice ? "owner" : "stranger"}, and the object can be written to`, async () => {
      const setting = createSetting();
      const { id, add } = setting;
      const more = many(EMBEDS, (i) => i % 2 === 0 ? [] : {});
      const first = add(writer, id, { type: "comment", body: "embeds", replyTo: id, embeds, more });
      const last = add(writer, first, ["comment", "arrays", id, many(EMBEDS, () => ["a", "b"])]);
      if (writer === alice) add(writer, last, { type: "label", labels: many(LABELS, String) });
      const { labels, discussion } = await write(setting);
      assert.deepEqual(discussion.map(({ body }: Comment) => body), [
        "description",
        "embeds",
        "arrays",
        "answer",
      ]);
      assert.deepEqual(discussion.map((comment: Comment) => comment.embeds.length), [0, EMBEDS, EMBEDS, 0]);
      assert.deepEqual(discussion[1].embeds, embeds);
      assert.deepEqual(labels, writer === alice ? many(LABELS, String).sort() : []);
    });
  }

  it("is shown in pieces when it is asked for alone", async () => {
    const { world, id, add, path } = createSetting();
    const labels = many(LABELS, String);
    const first = add(alice, id, { type: "label", labels });
    add(alice, first, { type: "comment", body: "embeds", replyTo: id, embeds });
    const { api } = createTestApi({}, world);
    const answer = await api.fetch(new Request(`http://localhost/api/v1${path}`), STRANGER);
    const pieces = await Array.fromAsync(answer.body!);
    assert.ok(pieces.length > 5, `${pieces.length} pieces`);
    const issue = JSON.parse(await new Blob(pieces).text());
    assert.deepEqual([issue.labels, issue.discussion[1].embeds], [labels.sort(), embeds]);
  });

  it("leaves the beginnings of its lists in lists of objects", async () => {
    const { world, id, add, issues } = createSetting();
    const long = many(10_000, (i) => `${i}`.padStart(500, "0"));
    const short = many(LABELS, String);
    const listed = async () => (await createTestApi({}, world).get(issues)).body[0];
    const first = add(alice, id, { type: "label", labels: long });
    const second = add(alice, first, { type: "label", labels: long });
    const issue = await listed();
    assert.deepEqual([issue.labels, issue.truncated], [[], true]);
    add(alice, second, { type: "label", labels: short });
    assert.deepEqual((await listed()).labels, short.sort().slice(0, LISTED_TEXTS.tags));
  });

  it("counts as much for the texts of its object as it takes", async () => {
    const setting = createSetting();
    const { id, add } = setting;
    // The bytes of all entries are no more than three quarters of what an object may have.
    const text = "x".repeat(Math.floor(OBJECT_TEXTS.bytes / 5));
    const count = Math.ceil(OBJECT_TEXTS.bytes / ITEM_BYTES / 9);
    let tip = id;
    for (const body of [text, text, text]) tip = add(bob, tip, { type: "comment", body, replyTo: id });
    for (let i = 0; i < 4; i++) {
      tip = add(bob, tip, {
        type: "comment",
        body: `${i}`,
        replyTo: id,
        embeds: many(count, () => ["", ""]),
      });
    }
    const { discussion } = await write(setting);
    assert.deepEqual(discussion.map(({ body }: Comment) => body), [
      "description",
      text,
      text,
      text,
      "0",
      "1",
      "2",
      "3",
      "answer",
    ]);
    assert.deepEqual(discussion.map((comment: Comment) => comment.embeds.length), [
      0,
      0,
      0,
      0,
      count,
      count,
      count,
      4,
      0,
    ]);
    assert.deepEqual(
      discussion.filter(({ truncated }: Comment) => truncated).map(({ body }: Comment) => body),
      ["3"],
    );
  });
});
