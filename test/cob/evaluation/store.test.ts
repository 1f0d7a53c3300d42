/** Stores of objects: finding, evaluating, caching. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import type { CacheName } from "../../../src/cache/caches.ts";
import { Memory } from "../../../src/cache/memory.ts";
import { toIssueRow, toPatchRow } from "../../../src/cob/rad_cache/cache_rows.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { issueType } from "../../../src/cob/evaluation/object_types.ts";
import { createCobs, ObjectStore } from "../../../src/cob/evaluation/store.ts";
import { listComments } from "../../../src/cob/issue/thread.ts";
import { createDocsByCommit } from "../../../src/cob/evaluation/evaluation_context.ts";
import { CommitGraph } from "../../../src/git/commit_graph.ts";
import type { NodeId } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../src/storage/memory.ts";
import { createRepository, putCommit } from "../../support/world.ts";
import { createWriter, type EntryDraft, putEntry, setTip, signatureLines, type Writer } from "../entries.ts";
import { createRandom } from "../random.ts";
import { Task } from "../../../src/scheduling/task.ts";

const ISSUE = "xyz.radicle.issue";
const PATCH = "xyz.radicle.patch";
const [alice, bob, carol] = [createWriter(1), createWriter(2), createWriter(3)];

/** A repository with alice as its delegate, a store, and counts of what is asked of the storage. */
function createSetting() {
  const repository = createRepository(createMemoryStorage(), { name: "x", delegates: [alice.nid] });
  const resource = repository.ref("refs/rad/id")!.oid;
  const asked = { objects: 0 };
  const counting: MemoryRepository = {
    ...repository,
    objects(oids) {
      asked.objects += oids.length;
      return repository.objects(oids);
    },
  };
  const log: string[] = [];
  const cobs = createCobs(RULES.newest, (_level, message) => log.push(message));
  const graph = new CommitGraph();
  const put = (
    writer: Writer,
    actions: readonly unknown[],
    parents: readonly Oid[] = [],
    more: Partial<EntryDraft> = {},
  ) => putEntry(repository, { writer, actions, parents, resource, ...more });
  const open = (title: string, timeSeconds?: number) => {
    const id = put(
      alice,
      [{ type: "comment", body: title }, { type: "edit", title }],
      [],
      timeSeconds === undefined ? {} : { timeSeconds },
    );
    setTip(repository, alice.nid, id, id);
    return id;
  };
  const comment = (writer: Writer, object: Oid, body: string, ...parents: readonly Oid[]) => {
    const id = put(
      writer,
      [{ type: "comment", body, replyTo: object }],
      parents.length > 0 ? parents : [object],
    );
    setTip(repository, writer.nid, object, id);
    return id;
  };
  return {
    repository,
    resource,
    asked,
    log,
    put,
    open,
    comment,
    issues: () => cobs.issues.list({ objects: counting, graph, task: new Task() }),
    issue: async (id: Oid) =>
      (await cobs.issues.get({ objects: counting, graph, task: new Task() }, id))?.state,
    tips: async (id: Oid) =>
      (await cobs.issues.get({ objects: counting, graph, task: new Task() }, id))?.tips,
    patches: () => cobs.patches.list({ objects: counting, graph, task: new Task() }),
    patch: async (id: Oid) =>
      (await cobs.patches.get({ objects: counting, graph, task: new Task() }, id))?.state,
    /** What a store that has seen nothing says of an issue. */
    afresh: async (id: Oid) =>
      (await createCobs(RULES.newest, () => {}).issues.get({
        objects: repository,
        graph: new CommitGraph(),
        task: new Task(),
      }, id))?.state,
  };
}

const bodies = (issue: { thread: Parameters<typeof listComments>[0] } | undefined) =>
  issue && listComments(issue.thread).map((comment) => comment.edits[0].body);

describe("a store of objects", () => {
  it("an entry counts that a node's reference leads to by way of tags", async () => {
    const { repository, open, put, tips, issues, issue } = createSetting();
    const id = open("Tagged");
    const entry = put(bob, [{ type: "comment", body: "by way of tags", replyTo: id }], [id]);
    const tag = (oid: Oid, kind: string) =>
      repository.put(
        "tag",
        new TextEncoder().encode(`object ${oid}\ntype ${kind}\ntag x\ntagger a <a@b> 1 +0000\n\nx\n`),
      );
    setTip(repository, bob.nid, id, tag(tag(entry, "commit"), "tag"));
    assert.deepEqual(await tips(id), [entry]);
    assert.equal((await issues()).length, 1);
    setTip(repository, bob.nid, id, tag("f".repeat(40) as Oid, "commit"));
    assert.equal(await issue(id), undefined);
  });

  it("lists objects in ascending order of their ids", async () => {
    const { open, issues } = createSetting();
    const ids = ["a", "b", "c", "d"].map((title) => open(title)).sort();
    assert.deepEqual((await issues()).map((issue) => issue.id), ids);
  });

  it("brings the entries of all nodes together", async () => {
    const { open, comment, issue, tips } = createSetting();
    const id = open("x");
    const one = comment(bob, id, "from bob");
    const two = comment(carol, id, "from carol");
    assert.deepEqual(bodies(await issue(id))?.sort(), ["from bob", "from carol", "x"]);
    assert.deepEqual(await tips(id), [one, two].sort());
  });

  // The real programs put an entry of a patch down before they load the identity document that it names.
  it("shows an entry with an invalid identity document in the timeline of a patch", async () => {
    const { put, patch, repository } = createSetting();
    const commit = putCommit(repository, { folder: {}, message: "x" });
    const related = [commit];
    const id = put(
      alice,
      [
        { type: "revision", description: "", base: commit, oid: commit },
        { type: "edit", title: "x", target: "delegates" },
      ],
      [],
      { type: PATCH, related },
    );
    const edit = { type: "edit", title: "y", target: "delegates" };
    const unnamed = put(alice, [edit], [id], { type: PATCH, resource: undefined });
    const unsigned = put(alice, [edit], [id], {
      type: PATCH,
      timeSeconds: 2,
      signatureLines: signatureLines(alice.publicKey, new Uint8Array(64)),
    });
    const unknown = put(alice, [{ type: "nothing" }], [id], { type: PATCH });
    for (const [writer, entry] of [[alice, unnamed], [bob, unsigned], [carol, unknown]] as const) {
      setTip(repository, writer.nid, id, entry, PATCH);
    }
    const found = (await patch(id))!;
    assert.deepEqual([found.title, found.timeline], ["x", [id, unnamed]]);
  });

  it("knows neither objects of other types nor ids that do not exist", async () => {
    const { open, issue, patch, patches, issues, repository } = createSetting();
    const id = open("x");
    repository.setRef(`refs/namespaces/${bob.nid}/refs/cobs/${ISSUE}/none`, id);
    repository.setRef(`refs/namespaces/${bob.nid}/refs/cobs/${ISSUE}/${id}/more`, id);
    repository.setRef(`refs/namespaces/${bob.nid}/refs/drafts/cobs/${ISSUE}/${id}`, id);
    assert.equal((await issues()).length, 1);
    assert.deepEqual([await patch(id), await patches()], [undefined, []]);
    assert.equal(await issue("a".repeat(40) as Oid), undefined);
  });

  it("asks the storage for nothing while references stay", async () => {
    const { open, comment, issues, asked } = createSetting();
    for (const title of ["a", "b", "c"]) comment(bob, open(title), "hi");
    await issues();
    const before = asked.objects;
    assert.ok(before > 0);
    assert.equal((await issues()).length, 3);
    assert.equal(asked.objects, before);
  });

  it("reads a new entry alone when it stands on top of all others", async () => {
    const { open, comment, issue, afresh, asked, tips } = createSetting();
    const id = open("x");
    const one = comment(bob, id, "one");
    const two = comment(carol, id, "two");
    const early = await issue(id);
    const before = asked.objects;
    const three = comment(alice, id, "three", one, two);
    const four = comment(bob, id, "four", three);
    assert.deepEqual(toIssueRow((await issue(id))!), toIssueRow((await afresh(id))!));
    assert.equal(asked.objects - before, 6);
    assert.deepEqual(await tips(id), [four]);
    assert.equal(listComments(early!.thread).length, 3);
  });

  it("says the same after more new entries than it adds to what it knows", async () => {
    const { open, comment, issue, afresh } = createSetting();
    const id = open("x");
    await issue(id);
    let tip = id;
    for (let n = 0; n < 300; n++) tip = comment(bob, id, `c${n}`, tip);
    assert.deepEqual(toIssueRow((await issue(id))!), toIssueRow((await afresh(id))!));
  });

  it("forgets the objects used least recently when they have too many entries together", async () => {
    const { repository, open, comment } = createSetting();
    const ids = Array.from({ length: 50 }, (_, i) => open(`${i}`));
    for (const id of ids) comment(bob, id, "hi");
    const applied: Oid[] = [];
    const counting: typeof issueType = {
      ...issueType,
      open(op, rules) {
        applied.push(op.id);
        return issueType.open(op, rules);
      },
    };
    class SmallMemory extends Memory {
      override share(name: CacheName): number {
        return name === "objects" ? 10_000 : super.share(name);
      }
    }
    const store = new ObjectStore(counting, RULES.newest, {
      docs: createDocsByCommit(),
      log: () => {},
      memory: new SmallMemory(),
    });
    const graph = new CommitGraph();
    const get = (id: Oid) => store.get({ objects: repository, graph, task: new Task() }, id);
    for (const id of ids) {
      await get(id);
      await get(ids[0]!);
    }
    assert.deepEqual(applied, ids);
    await get(ids.at(-1)!);
    assert.deepEqual(applied, ids);
    await get(ids[1]!);
    assert.deepEqual(applied, [...ids, ids[1]]);
  });

  it("evaluates again when an entry is on another branch, and reads only that entry", async () => {
    const { open, comment, issue, afresh, asked } = createSetting();
    const id = open("x");
    const one = comment(bob, id, "one");
    comment(bob, id, "two", one);
    await issue(id);
    const before = asked.objects;
    comment(carol, id, "beside", one);
    assert.deepEqual(toIssueRow((await issue(id))!), toIssueRow((await afresh(id))!));
    assert.equal(asked.objects - before, 3);
  });

  it("says the same as one that has seen nothing, however an object grew", async () => {
    for (let seed = 0; seed < 12; seed++) {
      const random = createRandom(seed);
      const { open, put, issue, afresh, repository, tips } = createSetting();
      const id = open("x");
      const entries: Oid[] = [id];
      for (let n = 0; n < 25; n++) {
        const writer = random.pick([alice, bob, carol]);
        const known = await tips(id) ?? [id];
        const parents = random.below(3) > 0 ? known : [random.pick(entries)];
        const action = random.pick([
          { type: "comment", body: `c${n}`, replyTo: random.pick(entries) },
          { type: "edit", title: `t${n}` },
          { type: "label", labels: [`l${n}`] },
          { type: "comment.redact", id: random.pick(entries) },
        ]);
        const entry = put(writer, [action], parents, { timeSeconds: 2000 + random.below(30) });
        setTip(repository, writer.nid, id, entry);
        entries.push(entry);
        if (random.below(2) === 0) continue;
        assert.deepEqual(
          toIssueRow((await issue(id))!),
          toIssueRow((await afresh(id))!),
          `seed ${seed}, entry ${n}`,
        );
      }
    }
  });

  it("forgets an object with its last reference", async () => {
    const { open, comment, issue, issues, repository } = createSetting();
    const id = open("x");
    comment(bob, id, "one");
    await issue(id);
    repository.deleteRef(`refs/namespaces/${bob.nid}/refs/cobs/${ISSUE}/${id}`);
    assert.deepEqual(bodies(await issue(id)), ["x"]);
    repository.deleteRef(`refs/namespaces/${alice.nid}/refs/cobs/${ISSUE}/${id}`);
    assert.deepEqual([await issue(id), await issues()], [undefined, []]);
  });

  it("evaluates once for requests that come together", async () => {
    const { open, comment, issues, asked } = createSetting();
    const id = open("x");
    comment(bob, id, "one");
    const lists = await Promise.all([issues(), issues(), issues()]);
    assert.ok(lists.every((list) => list.length === 1));
    assert.equal(asked.objects, 2 + 2 + 1 + 3, "commits, trees, a manifest, actions");
  });

  const damages: Record<string, (setting: ReturnType<typeof createSetting>) => Oid> = {
    "with a reference to nothing": ({ open, repository }) => {
      const id = open("broken");
      setTip(repository, bob.nid, id, "a".repeat(40) as Oid);
      return id;
    },
    "with a reference to what is no commit": ({ open, repository }) => {
      const id = open("broken");
      setTip(repository, bob.nid, id, repository.put("blob", new Uint8Array()));
      return id;
    },
    "whose first entry is not signed": ({ put, repository }) => {
      const id = put(alice, [{ type: "comment", body: "x" }], [], { signatureLines: "" });
      setTip(repository, alice.nid, id, id);
      return id;
    },
    "whose first entry is signed wrongly": ({ put, repository }) => {
      const id = put({ ...alice, sign: () => new Uint8Array(64) }, [{ type: "comment", body: "x" }]);
      setTip(repository, alice.nid, id, id);
      return id;
    },
    "whose first entry opens nothing": ({ put, repository }) => {
      const id = put(alice, [{ type: "edit", title: "x" }]);
      setTip(repository, alice.nid, id, id);
      return id;
    },
    "whose first entry names no identity": ({ put, repository }) => {
      const id = put(alice, [{ type: "comment", body: "x" }], [], { resource: undefined });
      setTip(repository, alice.nid, id, id);
      return id;
    },
    "whose first entry does more than its author may": ({ put, repository }) => {
      const id = put(bob, [{ type: "comment", body: "x" }, { type: "label", labels: ["y"] }]);
      setTip(repository, bob.nid, id, id);
      return id;
    },
    "whose references lead to another one": ({ open, repository }) => {
      const other = open("sound");
      repository.deleteRef(`refs/namespaces/${alice.nid}/refs/cobs/${ISSUE}/${other}`);
      const id = "b".repeat(40) as Oid;
      setTip(repository, alice.nid, id, other);
      return id;
    },
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`leaves out an object ${what}, with one line in the log`, async () => {
      const setting = createSetting();
      const good = setting.open("good");
      const bad = damage(setting);
      for (let i = 0; i < 2; i++) assert.deepEqual((await setting.issues()).map((issue) => issue.id), [good]);
      assert.equal(await setting.issue(bad), undefined);
      assert.equal(setting.log.length, 1);
      assert.match(setting.log[0]!, new RegExp(bad));
    });
  }

  it("logs the first objects that it leaves out, and how many more there are", async () => {
    const setting = createSetting();
    const good = setting.open("good");
    for (let i = 0; i < 100; i++) {
      setTip(setting.repository, alice.nid, i.toString(16).padStart(40, "b") as Oid, good);
    }
    for (let i = 0; i < 2; i++) assert.equal((await setting.issues()).length, 1);
    const logged = setting.log.length - 1;
    assert.ok(logged > 0 && logged < 50, `${logged} lines`);
    const more = `Left out ${100 - logged} more ${ISSUE} objects of ${setting.repository.rid}`;
    assert.equal(setting.log.at(-1), more);
  });

  it("drops entries that are not permitted or unreadable, and entries on top of them", async () => {
    const { open, put, comment, issue, repository } = createSetting();
    const id = open("x");
    const unknown = put(bob, [{ type: "pin" }], [id]);
    comment(bob, id, "on top of something unknown", unknown);
    const forged = put({ ...carol, sign: bob.sign }, [{ type: "comment", body: "forged", replyTo: id }], [
      id,
    ]);
    setTip(repository, carol.nid, id, forged);
    assert.deepEqual(bodies(await issue(id)), ["x"]);
  });

  it("tries again by id what could not be read when it was listed", async () => {
    const { open, comment, issue, issues, repository } = createSetting();
    const id = open("x");
    const entry = comment(bob, id, "one");
    const missing = new Set([entry]);
    const lossy: MemoryRepository = {
      ...repository,
      objects: (oids) =>
        repository.objects(oids).map((object, i) => missing.has(oids[i]!) ? undefined : object),
      objectsVersion: () => missing.size,
    };
    const cobs = createCobs(RULES.newest, () => {});
    const graph = new CommitGraph();
    assert.deepEqual(await cobs.issues.list({ objects: lossy, graph, task: new Task() }), []);
    missing.clear();
    assert.equal((await cobs.issues.get({ objects: lossy, graph, task: new Task() }, id))?.state.title, "x");
    assert.equal((await cobs.issues.list({ objects: lossy, graph, task: new Task() })).length, 1);
    assert.equal((await issues()).length, 1);
    assert.ok(await issue(id));
  });

  it("asks nothing again of what failed or is incomplete, listed or by id, before there are more objects", async () => {
    const { open, comment, put, repository } = createSetting();
    const good = open("good");
    const incomplete = open("incomplete");
    comment(bob, incomplete, "on top of nothing", "e".repeat(40) as Oid);
    const bad = put(bob, [{ type: "edit", title: "no description" }]);
    setTip(repository, bob.nid, bad, bad);
    let reads = 0;
    let version = 1;
    const counted: MemoryRepository = {
      ...repository,
      objects: (oids, limits) => {
        reads += oids.length;
        return repository.objects(oids, limits);
      },
      objectsVersion: () => version,
    };
    const cobs = createCobs(RULES.newest, () => {});
    const graph = new CommitGraph();
    const all = async () => {
      const list = await cobs.issues.list({ objects: counted, graph, task: new Task() });
      for (const id of [good, incomplete, bad]) {
        await cobs.issues.get({ objects: counted, graph, task: new Task() }, id);
      }
      return list;
    };
    const first = await all();
    assert.deepEqual(first.map(({ id }) => id), [good, incomplete].sort());
    reads = 0;
    assert.equal(await cobs.issues.list({ objects: counted, graph, task: new Task() }), await all());
    assert.equal(reads, 0);
    version = 2;
    await all();
    assert.ok(reads > 0);
  });

  it("lets errors of the storage through", async () => {
    const { open, repository } = createSetting();
    open("x");
    const failing: MemoryRepository = {
      ...repository,
      objects() {
        throw new RangeError("disk on fire");
      },
    };
    await assert.rejects(
      () =>
        createCobs(RULES.newest, () => {}).issues.list({
          objects: failing,
          graph: new CommitGraph(),
          task: new Task(),
        }),
      RangeError,
    );
  });

  it("lets others have their turn while it evaluates", async () => {
    const { open, comment, issues } = createSetting();
    for (let i = 0; i < 12; i++) {
      let last = open(`x${i}`);
      const id = last;
      for (let n = 0; n < 12; n++) last = comment(bob, id, `c${n}`, last);
    }
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await issues();
    isOver = true;
    assert.ok(turns > 2, `${turns} turns`);
  });
});

describe("a store of patches", () => {
  const openPatch = (setting: ReturnType<typeof createSetting>, base: Oid, head: Oid) => {
    const actions = [
      { type: "revision", description: "", base, oid: head },
      { type: "edit", title: "p", target: "delegates" },
    ];
    const id = setting.put(bob, actions, [], { type: PATCH, related: [base, head].sort() });
    setTip(setting.repository, bob.nid, id, id, PATCH);
    return id;
  };
  const merge = (
    setting: ReturnType<typeof createSetting>,
    id: Oid,
    commit: Oid,
    writer: Writer,
    ...parents: Oid[]
  ) => {
    const entry = setting.put(
      writer,
      [{ type: "merge", revision: id, commit }],
      parents.length > 0 ? parents : [id],
      { type: PATCH },
    );
    setTip(setting.repository, writer.nid, id, entry, PATCH);
    return entry;
  };
  const branch = (node: NodeId) => `refs/namespaces/${node}/refs/heads/master`;

  it("depends on the branches of those who merged", async () => {
    const setting = createSetting();
    const { repository, patch, patches } = setting;
    const base = putCommit(repository, { folder: { a: "1" }, message: "base" });
    const head = putCommit(repository, { folder: { a: "2" }, parents: [base], message: "head" });
    const later = putCommit(repository, { folder: { a: "3" }, parents: [head], message: "later" });
    const id = openPatch(setting, base, head);
    merge(setting, id, head, alice);
    const status = async () => [(await patch(id))?.state.status, (await patches())[0]?.state.status];
    assert.deepEqual(await status(), ["open", "open"]);
    repository.setRef(branch(alice.nid), later);
    assert.deepEqual(await status(), ["merged", "merged"]);
    repository.setRef(branch(alice.nid), base);
    assert.deepEqual(await status(), ["open", "open"]);
    repository.setRef(branch(alice.nid), head);
    assert.deepEqual(await status(), ["merged", "merged"]);
    repository.deleteRef(branch(alice.nid));
    assert.deepEqual(await status(), ["open", "open"]);
  });

  it("still depends on them after entries were added", async () => {
    const setting = createSetting();
    const { repository, patch } = setting;
    const base = putCommit(repository, { folder: { a: "1" }, message: "base" });
    repository.setRef(branch(alice.nid), base);
    const id = openPatch(setting, base, base);
    await patch(id);
    const merged = merge(setting, id, base, alice);
    assert.equal((await patch(id))?.state.status, "merged");
    const entry = setting.put(bob, [{ type: "revision.comment", revision: id, body: "x" }], [merged], {
      type: PATCH,
    });
    setTip(repository, bob.nid, id, entry, PATCH);
    assert.equal((await patch(id))?.state.status, "merged");
    repository.deleteRef(branch(alice.nid));
    const row = toPatchRow((await patch(id))!);
    assert.match(JSON.stringify(row), /"state":\{"status":"open"\}/);
  });

  /** A patch with an entry that is half a merge, half a new title, and an entry on top of it. */
  const mergeOdd = async (
    setting: ReturnType<typeof createSetting>,
    commit: (base: Oid) => Oid,
    hasBranch = true,
  ) => {
    const { repository, patch } = setting;
    const base = putCommit(repository, { folder: { a: "1" }, message: "base" });
    if (hasBranch) repository.setRef(branch(alice.nid), base);
    const id = openPatch(setting, base, base);
    const actions = [
      { type: "label", labels: ["before"] },
      { type: "merge", revision: id, commit: commit(base) },
      { type: "edit", title: "after", target: "delegates" },
    ];
    const entry = setting.put(alice, actions, [id], { type: PATCH });
    const top = setting.put(bob, [{ type: "revision.comment", revision: id, body: "x" }], [entry], {
      type: PATCH,
    });
    setTip(repository, bob.nid, id, top, PATCH);
    const { title, labels, revisions } = (await patch(id))!;
    return { title, labels: labels.length, comments: revisions.get(id)!.discussion.comments.size, id };
  };
  // As the real programs: what was done before the failure stays, the rest and what is on top of the entry is dropped.
  const DROPPED = { title: "p", labels: 1, comments: 0 };
  const COUNTS = { title: "after", labels: 1, comments: 1 };

  it("drops an entry that merges a missing commit, until it is there", async () => {
    const setting = createSetting();
    const gone = { folder: { a: "2" }, message: "gone" };
    const missing = putCommit(createMemoryStorage().create(setting.repository.rid), gone);
    const { id, ...found } = await mergeOdd(setting, () => missing);
    assert.deepEqual(found, DROPPED);
    putCommit(setting.repository, gone);
    assert.equal((await setting.patch(id))?.title, "after");
  });

  it("drops an entry that merges a blob", async () => {
    const setting = createSetting();
    const blob = setting.repository.put("blob", new Uint8Array());
    const { id: _, ...found } = await mergeOdd(setting, () => blob);
    assert.deepEqual(found, DROPPED);
  });

  it("passes over a merge of a commit that the branch does not hold, and every one without branch", async () => {
    const aside = createSetting();
    const { id: _, ...found } = await mergeOdd(
      aside,
      (base) => putCommit(aside.repository, { folder: { a: "2" }, parents: [base], message: "aside" }),
    );
    assert.deepEqual(found, COUNTS);
    const { id: __, ...other } = await mergeOdd(createSetting(), () => "c".repeat(40) as Oid, false);
    assert.deepEqual(other, COUNTS);
  });
});
