/** Objects with more text than is kept and shown: every entry counts as it does elsewhere, the list stands, and writing goes on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CacheRows, toIssueRow } from "../../src/cob/rad_cache/cache_rows.ts";
import { toChange } from "../../src/cob/write/change.ts";
import type { Issue, IssueAction } from "../../src/cob/issue/issue.ts";
import { RULES } from "../../src/cob/rules.ts";
import { LIST_TEXT_BYTES, LONG_OBJECTS_BYTES } from "../../src/cob/evaluation/object_lists.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { areCut, CUT_UNITS, LISTED_TEXTS, OBJECT_TEXTS } from "../../src/cob/evaluation/text_budget.ts";
import { latest, listComments } from "../../src/cob/issue/thread.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { CachedRow, CobCache } from "../../src/ports/cob_cache.ts";
import { toIssueView } from "../../src/views/issue.ts";
import { toPatchView } from "../../src/views/patch.ts";
import { createWriter as createPerson, putEntry, setTip, type Writer } from "./entries.ts";
import { createFixtureWorld, createWriter, type FixtureWorld, SEED_SECRET } from "./fixture_world.ts";
import { Task } from "../../src/scheduling/task.ts";

const ISSUE = "xyz.radicle.issue";
const PATCH = "xyz.radicle.patch";
const [alice, bob] = [createPerson(0xff), createPerson(2)];
/** Eleven of them are more than an object may have. */
const LONG = "x".repeat(3_900_000);
const MANY = 11;
const beginning = LONG.slice(0, CUT_UNITS);

function createSetting(world: FixtureWorld) {
  const { repository, identity: resource } = world;
  const cobs = createCobs(RULES.newest, () => {});
  const graph = new CommitGraph();
  const put = (writer: Writer, actions: readonly unknown[], ...parents: readonly Oid[]) =>
    putEntry(repository, { writer, actions, parents, resource });
  const open = (title = "title", body = "description") => {
    const id = put(alice, [{ type: "comment", body }, { type: "edit", title }]);
    setTip(repository, alice.nid, id, id);
    return id;
  };
  const comment = (issue: Oid, parent: Oid, body: string) => {
    const entry = put(bob, [{ type: "comment", body, replyTo: issue }], parent);
    setTip(repository, bob.nid, issue, entry);
    return entry;
  };
  const issue = async (id: Oid) =>
    (await cobs.issues.get({ objects: repository, graph, task: new Task() }, id))!;
  return { world, repository, resource, cobs, graph, put, open, comment, issue };
}

/** An issue with long comments, each the answer to the one before, and a short one after them. */
async function createLongIssue() {
  const setting = createSetting(await createFixtureWorld(SEED_SECRET));
  const id = setting.open();
  const entries = [id];
  for (let i = 0; i < MANY; i++) {
    const parent = entries.at(-1)!;
    const entry = setting.put(bob, [{ type: "comment", body: LONG, replyTo: parent }], parent);
    entries.push(entry);
  }
  entries.push(setting.comment(id, entries.at(-1)!, "short"));
  return { ...setting, id, entries };
}

/** A long issue for tests that change nothing. */
let unchanged: ReturnType<typeof createLongIssue> | undefined;
const shareLongIssue = () => unchanged ??= createLongIssue();

const bodies = ({ thread }: Issue) => listComments(thread).map(({ edits }) => latest(edits).body);

describe("an issue with too much text", () => {
  it("has every entry, the short texts, and as many of the long ones as fit in", async () => {
    const { issue, id, entries } = await shareLongIssue();
    const { state, size, isWhole, texts, tips } = await issue(id);
    assert.deepEqual([size, isWhole, tips], [MANY + 2, true, [entries.at(-1)]]);
    const all = bodies(state);
    const kept = all.filter((body) => body === LONG).length;
    assert.ok(kept > 0 && kept < MANY && texts.bytes <= 2 * OBJECT_TEXTS.bytes);
    assert.deepEqual([all[0], all.at(-1), all.length], ["description", "short", MANY + 2]);
    const cut = listComments(state.thread).filter(({ edits }) => edits[0].body === beginning);
    assert.deepEqual(new Set(cut.map(({ id }) => id)), state.truncated);
    assert.equal(cut.length, MANY - kept);
  });

  it("keeps all that its author and the delegates write, whatever strangers write", async () => {
    const setting = createSetting(await createFixtureWorld(SEED_SECRET));
    const id = setting.open("title", LONG);
    let tip: Oid = id;
    for (let i = 0; i < MANY; i++) {
      tip = setting.put(bob, [{ type: "comment", body: LONG, replyTo: id }], tip);
      if (i % 5 === 4) tip = setting.put(alice, [{ type: "comment", body: LONG, replyTo: id }], tip);
    }
    setTip(setting.repository, bob.nid, id, tip);
    const { state, isWhole } = await setting.issue(id);
    const own = listComments(state.thread).filter(({ author }) => author === alice.nid);
    assert.deepEqual([isWhole, own.length], [true, 3]);
    for (const { edits } of own) assert.ok(edits[0].body === LONG);
    assert.ok(state.truncated!.size > 5);
  });

  it("says so, and of which comments", async () => {
    const { issue, id } = await shareLongIssue();
    const view = toIssueView((await issue(id)).state, { answers: "spec" });
    assert.equal(view.truncated, true);
    for (const { body, truncated } of view.discussion) {
      assert.equal(truncated, body === beginning || undefined);
    }
  });

  it("is evaluated once by itself, and once for lists", async () => {
    const { issue, id, cobs, repository, graph } = await shareLongIssue();
    await issue(id);
    await cobs.issues.list({ objects: repository, graph, task: new Task() });
    const blind = { ...repository, objects: () => assert.fail("read"), object: () => assert.fail("read") };
    assert.equal((await cobs.issues.list({ objects: blind, graph, task: new Task() })).length, 1);
    assert.ok(await cobs.issues.get({ objects: blind, graph, task: new Task() }, id));
  });

  it("can be changed", async () => {
    const { world, id, repository, entries } = await createLongIssue();
    const { writer, place, issues } = createWriter(world, { rules: "newest", generation: () => "0.10" });
    const change = (action: IssueAction) =>
      writer.update(issues, place, id, () => toChange(repository, action));
    await change({ type: "edit", title: "changed" });
    const answer = await change({ type: "comment", body: "answer", replyTo: entries[1]!, embeds: [] });
    const edited = await change({ type: "comment.edit", id: answer, body: LONG, embeds: [] });
    for (const rules of ["newest", "0.10"] as const) {
      const { state, tips, texts } = (await issues.under(RULES[rules]).get(
        { objects: repository, graph: place.graph, task: new Task() },
        id,
      ))!;
      assert.deepEqual([state.title, tips], ["changed", [edited]]);
      assert.ok(areCut(texts) && texts.bytes <= 2 * OBJECT_TEXTS.bytes && !state.truncated!.has(answer));
      const { edits } = listComments(state.thread).at(-1)!;
      assert.ok(edits[0].body === "answer" && edits[1]?.body === LONG);
    }
  });

  it("counts and drops the entries that it would with less text", async () => {
    const setting = createSetting(await createFixtureWorld(SEED_SECRET));
    const { repository, put, open, comment } = setting;
    const id = open();
    let tip: Oid = id;
    for (let i = 0; i < MANY; i++) tip = comment(id, tip, LONG);
    const lines = put(alice, [{ type: "edit", title: `${LONG}\n` }], tip);
    const labels = put(alice, [{ type: "label", labels: [LONG] }], tip);
    const unchanged = put(bob, [{ type: "label", labels: [LONG] }], labels);
    setTip(repository, alice.nid, id, lines);
    setTip(repository, bob.nid, id, unchanged);
    const early = (await createCobs(RULES["0.10"], () => {}).issues.get({
      objects: repository,
      graph: setting.graph,
      task: new Task(),
    }, id))!;
    assert.deepEqual([early.tips, early.state.title], [[unchanged], "title"]);
    const newest = await setting.issue(id);
    assert.deepEqual(newest.tips, [lines, unchanged].sort());
    assert.ok(newest.state.title === `${LONG}\n`);
    assert.deepEqual(newest.state.labels, [LONG]);
  });

  it("has no row, and the log has the reason", async () => {
    const { world, id, cobs, graph } = await shareLongIssue();
    const before: CachedRow = { form: "newest", text: "{}" };
    const cache: CobCache = { read: () => before, replace: () => assert.fail("wrote"), findBehind: () => [] };
    const log: string[] = [];
    const tell = (_level: string, message: string) => void log.push(message);
    await new CacheRows({
      cache,
      cobs,
      log: tell,
      graphs: { open: (objects, task) => ({ objects, graph, task }) },
    }).update(
      world.repository,
      ISSUE,
      id,
    );
    assert.deepEqual(log, [`Made no row of ${ISSUE} ${id} of ${world.rid} for rad: it is too large`]);
  });
});

describe("a patch with too much text", () => {
  it("has its revisions, reviews and comments, and says of which it has no more than the beginning", async () => {
    const { repository, put, cobs, graph, world } = createSetting(await createFixtureWorld(SEED_SECRET));
    const [base, oid] = world.commits;
    const revision = { type: "revision", base, oid };
    const id = put(alice, [{ ...revision, description: "" }, {
      type: "edit",
      title: "t",
      target: "delegates",
    }]);
    const second = put(bob, [{ ...revision, description: LONG }], id);
    const review = put(bob, [{ type: "review", revision: id, summary: LONG }], second);
    let tip = put(bob, [{ type: "review.comment", review, body: LONG }], review);
    const comments: Oid[] = [tip];
    for (let i = 0; i < MANY; i++) {
      tip = put(bob, [{ type: "revision.comment", revision: id, body: LONG }], tip);
      comments.push(tip);
    }
    setTip(repository, bob.nid, id, tip, PATCH);
    const { state, isWhole } =
      (await cobs.patches.get({ objects: repository, graph, task: new Task() }, id))!;
    assert.ok(isWhole);
    const outline = (await createCobs(RULES.newest, () => {}).patches.list({
      objects: repository,
      graph,
      task: new Task(),
    }))[
      0
    ]!;
    for (const patch of [state, outline]) {
      const view = toPatchView(patch, new Map(), { answers: "objects" });
      const [first, other] = view.revisions;
      assert.deepEqual([view.truncated, first!.discussions.length], [true, MANY]);
      const all = [other!, first!.reviews[0]!, ...first!.discussions];
      const marked = all.map((part) => "truncated" in part);
      const isShort = all.map((part) => {
        const text = "description" in part ? part.description : "summary" in part ? part.summary : part.body;
        return text === beginning;
      });
      assert.deepEqual(marked, isShort);
    }
    assert.ok(outline.truncated!.size === MANY + 3 && state.truncated!.size < MANY);
  });
});

describe("a list of objects with much text", () => {
  it("has all of the short ones, and the beginnings of long texts for which it has no room", async () => {
    const { open, comment, cobs, repository, graph, issue } = createSetting(
      await createFixtureWorld(SEED_SECRET),
    );
    const text = "y".repeat(LISTED_TEXTS.bytes + 1);
    const fitting = Math.floor(LONG_OBJECTS_BYTES / text.length);
    for (let i = 0; i < fitting + 3; i++) {
      const id = open(`long ${i}`, text);
      comment(id, id, "answer");
    }
    const short = open("short", "z".repeat(LISTED_TEXTS.bytes / 2));
    const list = await cobs.issues.list({ objects: repository, graph, task: new Task() });
    const cut = list.filter(({ truncated }) => truncated !== undefined);
    assert.equal(cut.length, 3);
    for (const listed of cut) {
      const { state } = await issue(listed.id);
      assert.equal(bodies(state)[0], text);
      assert.deepEqual(bodies(listed), [text.slice(0, CUT_UNITS), "answer"]);
      assert.deepEqual(listed.truncated, new Set([listed.id]));
      const { thread: _, ...row } = toIssueRow(listed) as { thread: object };
      const { thread: __, ...whole } = toIssueRow(state) as { thread: object };
      assert.deepEqual(row, whole);
    }
    assert.equal(bodies(list.find(({ id }) => id === short)!)[0]!.length, LISTED_TEXTS.bytes / 2);
    assert.equal(await cobs.issues.list({ objects: repository, graph, task: new Task() }), list);
  });

  it("has the beginnings of texts when all of them have no room", async () => {
    const { open, cobs, repository, graph } = createSetting(await createFixtureWorld(SEED_SECRET));
    const text = "y".repeat(LISTED_TEXTS.bytes - 1024);
    const fitting = Math.floor(LIST_TEXT_BYTES / LISTED_TEXTS.bytes);
    for (let i = 0; i < fitting + 3; i++) open(`issue ${i}`, text);
    const list = await cobs.issues.list({ objects: repository, graph, task: new Task() });
    const cut = list.filter(({ truncated }) => truncated !== undefined);
    assert.deepEqual([list.length, cut.length], [fitting + 3, 3]);
    for (const issue of cut) assert.deepEqual(bodies(issue), [text.slice(0, CUT_UNITS)]);
  });

  it("keeps the texts of an author when strangers comment at length", async () => {
    const { open, comment, cobs, repository, graph } = createSetting(await createFixtureWorld(SEED_SECRET));
    const id = open("title", "z".repeat(LISTED_TEXTS.bytes / 2));
    let tip = id;
    // More than a list has room for.
    for (let i = 0; i < 9; i++) tip = comment(id, tip, "y".repeat(1_000_000));
    for (let i = 0; i < 400; i++) tip = comment(id, tip, "y".repeat(1000));
    const [issue] = await cobs.issues.list({ objects: repository, graph, task: new Task() });
    assert.equal(bodies(issue!)[0]!.length, LISTED_TEXTS.bytes / 2);
    assert.ok(issue!.truncated!.size > 100 && issue!.truncated!.size < 300 && !issue!.truncated!.has(id));
  });
});
