/** Objects with more text than is kept and shown: every entry counts as it does elsewhere, the list stands, and writing goes on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIST_TEXT_BYTES, LONG_OBJECTS_BYTES } from "../../src/cob/evaluation/object_lists.ts";
import { CUT_UNITS, LISTED_TEXTS, OBJECT_TEXTS } from "../../src/cob/evaluation/text_budget.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { CobCache } from "../../src/ports/cob_cache.ts";
import { createWriter, putEntry, setTip, type Writer } from "../cob/entries.ts";
import { createTestApi, type TestOptions } from "../support/api.ts";
import { createWorld } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";

const PATCH = "xyz.radicle.patch";
/** The only delegate of the world's repositories, and a stranger. */
const [alice, bob] = [createWriter(0xff), createWriter(2)];
/** Eleven of them are more than an object may have. */
const LONG = "x".repeat(3_900_000);
const MANY = 11;
const beginning = LONG.slice(0, CUT_UNITS);

interface Comment {
  readonly id: Oid;
  readonly author: { readonly id: string };
  readonly body: string;
  readonly truncated?: boolean;
  readonly edits: readonly { readonly body: string }[];
}

interface Issue {
  readonly id: Oid;
  readonly title: string;
  readonly labels: readonly string[];
  readonly discussion: readonly Comment[];
  readonly truncated?: boolean;
}

function createSetting(options: TestOptions = {}) {
  const world = createWorld();
  const resource = world.hello.ref("refs/rad/id")!.oid!;
  const put = (writer: Writer, actions: readonly unknown[], parents: readonly Oid[], type?: string) =>
    putEntry(world.hello, { writer, actions, parents, resource, ...type !== undefined && { type } });
  const open = (title = "title", body = "description") => {
    const id = put(alice, [{ type: "comment", body }, { type: "edit", title }], []);
    setTip(world.hello, alice.nid, id, id);
    return id;
  };
  const comment = (issue: Oid, parent: Oid, body: string, writer = bob) => {
    const entry = put(writer, [{ type: "comment", body, replyTo: issue }], [parent]);
    setTip(world.hello, writer.nid, issue, entry);
    return entry;
  };
  const project = `/projects/${world.helloRid}`;
  const { get, log } = createTestApi(options, world);
  const issue = async (id: Oid): Promise<Issue> => (await get(`${project}/issues/${id}`)).body;
  const list = async (): Promise<readonly Issue[]> => (await get(`${project}/issues?perPage=1000`)).body;
  return { world, get, log, project, put, open, comment, issue, list };
}

/** An issue with long comments, each the answer to the one before, and a short one after them. */
function createLongIssue(options: TestOptions = {}) {
  const setting = createSetting(options);
  const id = setting.open();
  const entries = [id];
  for (let i = 0; i < MANY; i++) {
    const parent = entries.at(-1)!;
    entries.push(setting.put(bob, [{ type: "comment", body: LONG, replyTo: parent }], [parent]));
  }
  entries.push(setting.comment(id, entries.at(-1)!, "short"));
  return { ...setting, id, entries };
}

/** A long issue for tests that change nothing. */
let unchanged: ReturnType<typeof createLongIssue> | undefined;
const shareLongIssue = () => unchanged ??= createLongIssue();

/** Bytes of the texts of an issue in memory. */
const bytesOf = ({ discussion }: Issue) => discussion.reduce((sum, { body }) => sum + body.length, 0);

describe("an issue with too much text", () => {
  it("has every entry, the short texts, and as many of the long ones as fit in, and says which are cut", async () => {
    const { issue, id } = shareLongIssue();
    const shown = await issue(id);
    const bodies = shown.discussion.map(({ body }) => body);
    const kept = bodies.filter((body) => body === LONG).length;
    assert.ok(kept > 0 && kept < MANY && bytesOf(shown) <= 2 * OBJECT_TEXTS.bytes);
    assert.deepEqual([bodies[0], bodies.at(-1), bodies.length], ["description", "short", MANY + 2]);
    assert.equal(shown.truncated, true);
    const cut = shown.discussion.filter(({ body }) => body === beginning);
    assert.equal(cut.length, MANY - kept);
    assert.deepEqual(shown.discussion.filter(({ truncated }) => truncated), cut);
  });

  it("keeps all that its author and the delegates write, whatever strangers write", async () => {
    const { world, open, put, issue } = createSetting();
    const id = open("title", LONG);
    let tip: Oid = id;
    for (let i = 0; i < MANY; i++) {
      tip = put(bob, [{ type: "comment", body: LONG, replyTo: id }], [tip]);
      if (i % 5 === 4) tip = put(alice, [{ type: "comment", body: LONG, replyTo: id }], [tip]);
    }
    setTip(world.hello, bob.nid, id, tip);
    const { discussion } = await issue(id);
    const own = discussion.filter(({ author }) => author.id.endsWith(alice.nid));
    assert.equal(own.length, 3);
    for (const { body } of own) assert.ok(body === LONG);
    assert.ok(discussion.filter(({ truncated }) => truncated).length > 5);
  });

  it("is evaluated once by itself, and once for lists", async () => {
    const { world: { hello }, issue, list, id, entries } = shareLongIssue();
    const shown = [await issue(id), await list()];
    const { object, objects } = hello;
    const unread = new Set(entries);
    hello.object = (oid, ...more) => {
      assert.ok(!unread.has(oid), "read again");
      return object.call(hello, oid, ...more);
    };
    hello.objects = (oids, ...more) => {
      assert.ok(!oids.some((oid) => unread.has(oid)), "read again");
      return objects.call(hello, oids, ...more);
    };
    assert.deepEqual([await issue(id), await list()], shown);
    Object.assign(hello, { object, objects });
  });

  it("can be changed", async () => {
    const { world, id, entries } = createLongIssue();
    const { send, get } = await createChangeApi({}, world);
    const change = async (action: object) => {
      const { status, body } = await send("PATCH", `/issues/${id}`, action);
      assert.equal(status, 200);
      return body.id;
    };
    await change({ type: "edit", title: "changed" });
    await change({ type: "comment", body: "answer", replyTo: entries[1]!, embeds: [] });
    const path = `/projects/${world.helloRid}/issues/${id}`;
    const answer: Comment = (await get(path)).body.discussion.at(-1);
    await change({ type: "comment.edit", id: answer.id, body: LONG, embeds: [] });
    for (const evaluation of ["newest", "0.10"] as const) {
      const shown: Issue = (await createTestApi({ compatibility: { evaluation } }, world).get(path)).body;
      assert.deepEqual([shown.title, shown.truncated], ["changed", true]);
      assert.ok(bytesOf(shown) <= 2 * OBJECT_TEXTS.bytes);
      const { edits, truncated } = shown.discussion.at(-1)!;
      assert.ok(edits[0]!.body === "answer" && edits[1]!.body === LONG && !truncated);
    }
  });

  it("counts and drops the entries that it would with less text", async () => {
    const { world, put, open, comment, issue, project } = createSetting();
    const id = open();
    let tip: Oid = id;
    for (let i = 0; i < MANY; i++) tip = comment(id, tip, LONG);
    const lines = put(alice, [{ type: "edit", title: `${LONG}\n` }], [tip]);
    const labels = put(alice, [{ type: "label", labels: [LONG] }], [tip]);
    const unchanged = put(bob, [{ type: "label", labels: [LONG] }], [labels]);
    setTip(world.hello, alice.nid, id, lines);
    setTip(world.hello, bob.nid, id, unchanged);
    const early = await createTestApi({ compatibility: { evaluation: "0.10" } }, world).get(
      `${project}/issues/${id}`,
    );
    assert.deepEqual([early.body.title, early.body.labels], ["title", [LONG]]);
    const newest = await issue(id);
    assert.ok(newest.title === `${LONG}\n`);
    assert.deepEqual(newest.labels, [LONG]);
  });

  it("has no row, and the log has the reason", async () => {
    const cobCache: CobCache = {
      read: () => ({ form: "newest", text: "{}" }),
      replace: () => assert.fail("wrote"),
      findBehind: () => [],
    };
    const { world, id } = createLongIssue();
    const { send, log } = await createChangeApi({ cobCache }, world);
    const { status } = await send("PATCH", `/issues/${id}`, { type: "edit", title: "changed" });
    assert.equal(status, 200);
    assert.deepEqual(log, [
      `Made no row of xyz.radicle.issue ${id} of ${world.helloRid} for rad: it is too large`,
    ]);
  });
});

describe("a patch with too much text", () => {
  it("has its revisions, reviews and comments, and says of which it has no more than the beginning", async () => {
    const { world, put, project } = createSetting();
    const [base, oid] = world.commits;
    const revision = { type: "revision", base, oid };
    const add = (parent: Oid, action: object) => put(bob, [action], [parent], PATCH);
    const first = [{ ...revision, description: "" }, { type: "edit", title: "t", target: "delegates" }];
    const id = put(alice, first, [], PATCH);
    const second = add(id, { ...revision, description: LONG });
    const review = add(second, { type: "review", revision: id, summary: LONG });
    let tip = add(review, { type: "review.comment", review, body: LONG });
    for (let i = 0; i < MANY; i++) tip = add(tip, { type: "revision.comment", revision: id, body: LONG });
    setTip(world.hello, bob.nid, id, tip, PATCH);
    const { get } = createTestApi({ compatibility: { answers: "objects" } }, world);
    const whole = (await get(`${project}/patches/${id}`)).body;
    const [listed] = (await get(`${project}/patches`)).body;
    const marks = [whole, listed].map(({ truncated, revisions: [first, other] }) => {
      assert.deepEqual([truncated, first.discussions.length], [true, MANY]);
      const all = [other, first.reviews[0], ...first.discussions, ...first.reviews[0].comments];
      const marked = all.map((part) => "truncated" in part);
      assert.deepEqual(
        marked,
        all.map(({ description, summary, body }) => [description, summary, body].includes(beginning)),
      );
      return marked.filter(Boolean).length;
    });
    assert.ok(marks[0]! < MANY && marks[1] === MANY + 3, `${marks}`);
  });
});

describe("a list of objects with much text", () => {
  it("has all of the short ones, and the beginnings of long texts for which it has no room", async () => {
    const { open, comment, issue, list } = createSetting();
    const text = "y".repeat(LISTED_TEXTS.bytes + 1);
    const fitting = Math.floor(LONG_OBJECTS_BYTES / text.length);
    for (let i = 0; i < fitting + 3; i++) {
      const id = open(`long ${i}`, text);
      comment(id, id, "answer");
    }
    const short = open("short", "z".repeat(LISTED_TEXTS.bytes / 2));
    const listed = await list();
    const cut = listed.filter(({ truncated }) => truncated);
    assert.equal(cut.length, 3);
    for (const { discussion, truncated: _, ...members } of cut) {
      const { discussion: whole, ...others } = await issue(members.id);
      assert.deepEqual(others, members);
      assert.equal(whole[0]!.body, text);
      assert.deepEqual(discussion.map(({ body }) => body), [text.slice(0, CUT_UNITS), "answer"]);
      assert.deepEqual(discussion.map(({ truncated }) => truncated), [true, undefined]);
    }
    const shown = listed.find(({ id }) => id === short)!;
    assert.equal(shown.discussion[0]!.body.length, LISTED_TEXTS.bytes / 2);
  });

  it("has the beginnings of texts when all of them have no room", async () => {
    const { open, list } = createSetting();
    const text = "y".repeat(LISTED_TEXTS.bytes - 1024);
    const fitting = Math.floor(LIST_TEXT_BYTES / LISTED_TEXTS.bytes);
    for (let i = 0; i < fitting + 3; i++) open(`issue ${i}`, text);
    const listed = await list();
    const cut = listed.filter(({ truncated }) => truncated);
    assert.deepEqual([listed.length, cut.length], [fitting + 3, 3]);
    for (const { discussion } of cut) {
      assert.deepEqual(discussion.map(({ body }) => body), [text.slice(0, CUT_UNITS)]);
    }
  });

  it("keeps the texts of an author when strangers comment at length", async () => {
    const { open, comment, list } = createSetting();
    const id = open("title", "z".repeat(LISTED_TEXTS.bytes / 2));
    let tip = id;
    // More than a list has room for.
    for (let i = 0; i < 9; i++) tip = comment(id, tip, "y".repeat(1_000_000));
    for (let i = 0; i < 400; i++) tip = comment(id, tip, "y".repeat(1000));
    const [issue] = await list();
    const [first, ...others] = issue!.discussion;
    assert.deepEqual([first!.body.length, first!.truncated], [LISTED_TEXTS.bytes / 2, undefined]);
    const cut = others.filter(({ truncated }) => truncated).length;
    assert.ok(cut > 100 && cut < 300, `${cut}`);
  });
});
