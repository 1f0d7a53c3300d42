/** Saved objects: blocks and lists, what is read and written of them, and bytes that are none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compressed, decompressed } from "../../../../src/bytes/compressed.ts";
import { newestFirst } from "../../../../src/cob/evaluation/object_summary.ts";
import { RULES } from "../../../../src/cob/rules.ts";
import { createCobs } from "../../../../src/cob/evaluation/store.ts";
import { toFile } from "../../../../src/derived/derived_files.ts";
import { CommitGraph } from "../../../../src/git/commit_graph.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { createMemoryDerived, withDerived } from "../../../support/derived.ts";
import { createRepository } from "../../../support/world.ts";
import { createWriter, ENTRY_SECONDS, putEntry, setTip, type Writer } from "../../entries.ts";
import { createRandom } from "../../random.ts";
import { Task } from "../../../../src/scheduling/task.ts";

const [alice, bob, carol] = [createWriter(1), createWriter(2), createWriter(3)];

/** A repository of alice with a way to write issues, to save them, and to read them as another process. */
function createSetting() {
  const repository = createRepository(createMemoryStorage(), { name: "x", delegates: [alice.nid] });
  const resource = repository.ref("refs/rad/id")!.oid;
  const graph = new CommitGraph();
  const derived = createMemoryDerived();
  const publisher = createCobs(RULES.newest, () => {});
  const reads: string[] = [];
  const replica = withDerived(repository, derived, (oid) => reads.push(oid));
  const put = (writer: Writer, actions: readonly unknown[], parents: readonly Oid[], timeSeconds?: number) =>
    putEntry(repository, {
      writer,
      actions,
      parents,
      resource,
      ...timeSeconds !== undefined && { timeSeconds },
    });
  return {
    repository,
    replica,
    graph,
    derived,
    reads,
    put,
    open(i: number, body = `body ${i}`, ...more: readonly unknown[]) {
      const actions = [{ type: "comment", body }, { type: "edit", title: `issue ${i}` }, ...more];
      const id = put(alice, actions, [], ENTRY_SECONDS + i);
      setTip(repository, alice.nid, id, id);
      return id;
    },
    act(writer: Writer, object: Oid, action: unknown, ...parents: readonly Oid[]) {
      const id = put(writer, [action], parents.length > 0 ? parents : [object]);
      setTip(repository, writer.nid, object, id);
      return id;
    },
    async save(earlier = derived) {
      derived.written.length = 0;
      const root = await publisher.issues.save(
        { objects: repository, graph, task: new Task() },
        earlier,
        (file) => derived.write(file),
      );
      assert.ok(root);
      derived.publish(root);
      for (const { digest, bytes } of root.files) assert.equal(derived.files.get(digest)?.length, bytes);
      return root;
    },
    /** The issues that a process without any memory reads, and those that it evaluates. */
    later: () =>
      createCobs(RULES.newest, () => {}).issues.listed({ objects: replica, graph, task: new Task() }),
    fresh: () =>
      createCobs(RULES.newest, () => {}).issues.list({ objects: repository, graph, task: new Task() }),
  };
}

describe("saved objects", () => {
  it("of a first page are in the list and in two blocks at most", async () => {
    const { open, act, save, later, derived, reads, fresh } = createSetting();
    const ids = Array.from({ length: 200 }, (_, i) => open(i));
    const closed = ids.filter((_, i) => i % 3 > 0);
    for (const id of closed) {
      act(alice, id, { type: "lifecycle", state: { status: "closed", reason: "solved" } });
    }
    await save();
    for (const [status, blocks] of [["open", 2], ["closed", 2], ["all", 4]] as const) {
      const { summaries, states } = await later();
      derived.reads.length = 0;
      const page = newestFirst(summaries, status).slice(0, 10);
      assert.deepEqual(await states(page), newestFirst(await fresh(), status).slice(0, 10));
      assert.ok(derived.reads.length <= blocks, `${derived.reads.length} blocks of ${status} ones`);
    }
    assert.deepEqual(reads, []);
  });

  it("that have not changed are not written again", async () => {
    const { open, act, save, later, derived, fresh } = createSetting();
    const ids = Array.from({ length: 200 }, (_, i) => open(i));
    const { files } = await save();
    assert.equal(derived.written.length, files.length);
    assert.ok(files.length > 4 && files.length < 14, `${files.length} files`);
    await save();
    assert.equal(derived.written.length, 1, "the list");
    act(bob, ids[100]!, { type: "comment", body: "one more", replyTo: ids[100] });
    await save();
    assert.equal(derived.written.length, 2, "its block and the list");
    open(200);
    await save();
    assert.ok(derived.written.length <= 2, "the newest block and the list");
    const { summaries, states } = await later();
    assert.deepEqual(await states(summaries), await fresh());
  });

  it("are the fresh ones for any graph of entries", async () => {
    const random = createRandom(7);
    const { open, put, act, repository, save, later, fresh, reads } = createSetting();
    for (let i = 0; i < 30; i++) {
      const id = open(i);
      const entries = [id];
      for (let n = 0; n < random.below(12); n++) {
        const comment = random.pick(entries);
        const action = random.pick<unknown>([
          {
            type: "comment",
            body: `text ${n} \u2028 \ud83c\udf31`,
            replyTo: comment,
            embeds: [{ name: "a", content: "b" }],
          },
          { type: "comment.edit", id: comment, body: "edited", embeds: [] },
          { type: "comment.redact", id: comment },
          { type: "comment.react", id: comment, reaction: "🌱", active: true },
          { type: "label", labels: ["b", "a"] },
          { type: "assign", assignees: [`did:key:${bob.nid}`] },
          { type: "lifecycle", state: { status: random.pick(["open", "closed"]), reason: "other" } },
        ]);
        const parents = [...new Set([random.pick(entries), random.pick(entries)])];
        const writer = random.pick([alice, bob, carol]);
        entries.push(
          random.below(4) > 0 ? act(writer, id, action, ...parents) : put(writer, [action], parents),
        );
      }
      // Some lead nowhere.
      if (random.below(6) === 0) setTip(repository, carol.nid, id, "f".repeat(40) as Oid);
    }
    await save();
    const { summaries, states } = await later();
    assert.deepEqual(await states(summaries), await fresh());
    assert.deepEqual(reads, []);
  });

  it("that changed since are evaluated, and only they", async () => {
    const { open, act, save, later, fresh, reads } = createSetting();
    const ids = Array.from({ length: 20 }, (_, i) => open(i));
    await save();
    const entry = act(bob, ids[3]!, { type: "comment", body: "later", replyTo: ids[3] });
    const { summaries, states } = await later();
    assert.deepEqual(await states(summaries), await fresh());
    assert.ok(reads.includes(entry) && !reads.includes(ids[4]!));
  });

  it("give way to an evaluation once entries stand on top of them", async () => {
    const { open, act, save, replica, repository, graph } = createSetting();
    const id = open(1);
    const first = act(bob, id, { type: "comment", body: "one", replyTo: id });
    await save();
    const { issues } = createCobs(RULES.newest, () => {});
    const before = await issues.get({ objects: replica, graph, task: new Task() }, id);
    act(bob, id, { type: "comment", body: "two", replyTo: id }, first);
    const after = await issues.get({ objects: replica, graph, task: new Task() }, id);
    const expected = await createCobs(RULES.newest, () => {}).issues.get({
      objects: repository,
      graph,
      task: new Task(),
    }, id);
    assert.deepEqual([after?.state, after?.tips, after?.size], [expected?.state, expected?.tips, 3]);
    assert.equal(before?.size, 2);
  });

  it("that are long have blocks of their own, and those with long rows are not saved", async () => {
    const { open, save, later, fresh, reads } = createSetting();
    const long = "x".repeat(2 ** 18);
    for (let i = 0; i < 4; i++) open(i, long);
    const labels = [{ type: "label", labels: ["y".repeat(2 ** 16)] }];
    const unsaved = open(5, "short", ...labels);
    const { files } = await save();
    assert.equal(files.length, 5);
    const { summaries, states } = await later();
    assert.deepEqual(await states(summaries), await fresh());
    assert.ok(reads.length > 0 && reads.includes(unsaved));
  });

  it("count as absent if their bytes are not theirs", async () => {
    const { open, save, later, fresh, derived } = createSetting();
    for (let i = 0; i < 20; i++) open(i);
    const root = await save();
    const expected = await fresh();
    const list = derived.files.get(root.digest)!;
    const text = new TextDecoder().decode(await decompressed(list, 2 ** 20));
    const others: (readonly [string, Uint8Array<ArrayBuffer>])[] = [
      ["no zlib", new Uint8Array(10)],
      ["empty", await compressed(new Uint8Array())],
      ["half", (list as Uint8Array<ArrayBuffer>).slice(0, list.length >> 1)],
      ...await Promise.all(
        ([
          ["another repository", /"rid":"rad:z[^"]*"/, '"rid":"rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji"'],
          ["another version", /"version":\d+/, '"version":999'],
          ["no status", '"open"', '"ajar"'],
          ["no id", /"[0-9a-f]{40}"/, '"0"'],
          ["one row less", /\n[^\n]*$/, ""],
          ["no JSON", "[", ""],
        ] as const).map(async ([name, from, to]) =>
          [name, await compressed(new TextEncoder().encode(text.replace(from, to)))] as const
        ),
      ),
    ];
    for (const [name, bytes] of others) {
      const file = await toFile(bytes);
      await derived.write(file);
      derived.names.set(root.name, file.digest);
      const { summaries, states } = await later();
      assert.deepEqual(await states(summaries), expected, name);
    }
    derived.names.set(root.name, "a".repeat(64));
    assert.deepEqual(await (await later()).states(expected), expected, "an absent list");
  });

  it("are evaluated if their blocks are absent or foreign", async () => {
    const { open, save, later, fresh, derived } = createSetting();
    for (let i = 0; i < 20; i++) open(i);
    const root = await save();
    const expected = await fresh();
    for (const { digest } of root.files) {
      if (digest === root.digest) continue;
      const bytes = derived.files.get(digest)!;
      for (const other of [undefined, new Uint8Array(5), derived.files.get(root.digest)!]) {
        if (other === undefined) derived.files.delete(digest);
        else derived.files.set(digest, other);
        const { summaries, states } = await later();
        assert.deepEqual(await states(summaries), expected);
      }
      derived.files.set(digest, bytes);
    }
  });

  it("are not asked for when derived data cannot be read", async () => {
    const { open, repository, graph, fresh } = createSetting();
    open(1);
    const broken = withDerived(repository, {
      named: () => Promise.reject(new Error("away")),
      read: () => Promise.reject(new Error("away")),
    });
    assert.deepEqual(
      await createCobs(RULES.newest, () => {}).issues.list({ objects: broken, graph, task: new Task() }),
      await fresh(),
    );
  });
});
