/** Entries of very many values: they count as any others, are shown, and the object can be written to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toChange } from "../../src/cob/write/change.ts";
import type { Issue, IssueAction } from "../../src/cob/issue/issue.ts";
import { RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { ITEM_BYTES, LISTED_TEXTS, OBJECT_TEXTS } from "../../src/cob/evaluation/text_budget.ts";
import { latest, listComments } from "../../src/cob/issue/thread.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { toIssueView } from "../../src/views/issue.ts";
import { CachedTexts } from "../../src/views/cached_texts.ts";
import { createWriter as createPerson, putEntry, setTip, type Writer } from "./entries.ts";
import { createFixtureWorld, createWriter, SEED_SECRET } from "./fixture_world.ts";
import { Task } from "../../src/scheduling/task.ts";

const [alice, bob] = [createPerson(0xff), createPerson(2)];
const [EMBEDS, LABELS] = [20_000, 20_000];
const many = <T>(count: number, item: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
const embeds = many(EMBEDS, (i) => ({ name: `${i}`, content: "git:x" }));

async function createSetting() {
  const world = await createFixtureWorld(SEED_SECRET);
  const { repository, identity: resource } = world;
  const put = (writer: Writer, actions: readonly unknown[], ...parents: readonly Oid[]) =>
    putEntry(repository, { writer, actions, parents, resource });
  const id = put(alice, [{ type: "comment", body: "description" }, { type: "edit", title: "title" }]);
  setTip(repository, alice.nid, id, id);
  /** Adds an entry on top of `parent`, to which its writer's reference leads. */
  const add = (writer: Writer, parent: Oid, action: unknown) => {
    const entry = put(writer, [action], parent);
    setTip(repository, writer.nid, id, entry);
    return entry;
  };
  return { world, repository, id, add };
}

type Setting = Awaited<ReturnType<typeof createSetting>>;

/** The issue, after a comment was written to it under two sets of rules. */
async function write({ world, repository, id }: Setting): Promise<Issue> {
  const { writer, place, issues } = createWriter(world, { rules: "newest", generation: () => "0.10" });
  const action: IssueAction = { type: "comment", body: "answer", replyTo: id, embeds: [] };
  const entry = await writer.update(issues, place, id, () => toChange(repository, action));
  for (const rules of ["newest", "0.10"] as const) {
    const { tips, isWhole } = (await issues.under(RULES[rules]).get(
      { objects: repository, graph: place.graph, task: new Task() },
      id,
    ))!;
    assert.deepEqual([tips, isWhole], [[entry], true]);
  }
  const { state } = (await createCobs(RULES.newest, () => {}).issues.get({
    objects: repository,
    graph: new CommitGraph(),
    task: new Task(),
  }, id))!;
  assert.ok(state.thread.comments.has(entry));
  return state;
}

describe("an entry with very many values", () => {
  for (const writer of [alice, bob]) {
    it(`counts, by the ${writer === alice ? "owner" : "stranger"}, and the object can be written to`, async () => {
      const setting = await createSetting();
      const { id, add } = setting;
      const more = many(EMBEDS, (i) => i % 2 === 0 ? [] : {});
      const first = add(writer, id, { type: "comment", body: "embeds", replyTo: id, embeds, more });
      const last = add(writer, first, ["comment", "arrays", id, many(EMBEDS, () => ["a", "b"])]);
      if (writer === alice) add(writer, last, { type: "label", labels: many(LABELS, String) });
      const { labels, thread } = await write(setting);
      const texts = listComments(thread).map(({ edits }) => latest(edits));
      assert.deepEqual(texts.map(({ body }) => body), ["description", "embeds", "arrays", "answer"]);
      assert.deepEqual(texts.map(({ embeds }) => embeds.length), [0, EMBEDS, EMBEDS, 0]);
      assert.deepEqual(texts[1]!.embeds, embeds);
      assert.deepEqual(labels, writer === alice ? many(LABELS, String).sort() : []);
    });
  }

  it("is shown as JSON.stringify writes it, in pieces, when it is asked for alone", async () => {
    const setting = await createSetting();
    const { id, add } = setting;
    add(alice, add(alice, id, { type: "label", labels: many(LABELS, String) }), {
      type: "comment",
      body: "embeds",
      replyTo: id,
      embeds,
    });
    const issue = await write(setting);
    const view = (issue: Issue) => toIssueView(issue, { answers: "spec" });
    const names = { aliases: () => Promise.resolve(new Map()) };
    const expected = JSON.stringify(view(issue));
    const pieces: string[] = [];
    for await (const piece of new CachedTexts().pieces(names, issue, view, new Task())) pieces.push(piece);
    assert.ok(pieces.length > 20);
    assert.equal(pieces.join(""), expected);
    assert.deepEqual(await new CachedTexts().of(names, [issue], view, new Task()), [expected]);
  });

  it("leaves the beginnings of its lists in lists of objects", async () => {
    const setting = await createSetting();
    const { repository, id, add } = setting;
    const long = many(10_000, (i) => `${i}`.padStart(500, "0"));
    const short = many(LABELS, String);
    const listed = async () =>
      (await createCobs(RULES.newest, () => {}).issues.list({
        objects: repository,
        graph: new CommitGraph(),
        task: new Task(),
      }))[0]!;
    const first = add(alice, id, { type: "label", labels: long });
    const second = add(alice, first, { type: "label", labels: long });
    const issue = await listed();
    assert.deepEqual(issue.labels, []);
    assert.equal(toIssueView(issue, { answers: "spec" }).truncated, true);
    add(alice, second, { type: "label", labels: short });
    assert.deepEqual((await listed()).labels, short.sort().slice(0, LISTED_TEXTS.tags));
  });

  it("counts as much for the texts of its object as it takes", async () => {
    const setting = await createSetting();
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
    const { thread, truncated } = await write(setting);
    const comments = listComments(thread);
    assert.deepEqual(comments.map(({ edits }) => edits[0].body), [
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
    assert.deepEqual(comments.map(({ edits }) => edits[0].embeds.length), [
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
    assert.deepEqual(truncated, new Set([comments[7]!.id]));
  });
});
