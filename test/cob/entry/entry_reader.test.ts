/** Entries read from a repository: what is found, what is not, and what is asked for twice. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import type { CacheName } from "../../../src/cache/caches.ts";
import { Memory } from "../../../src/cache/memory.ts";
import { MAX_ACTION_BYTES } from "../../../src/cob/entry/entry.ts";
import { parseEntryTree } from "../../../src/cob/entry/entry_commit.ts";
import { EntryReader } from "../../../src/cob/entry/entry_reader.ts";
import { ExactChecks } from "../../../src/cob/entry/entry_signature.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { DamagedError } from "../../../src/errors.ts";
import { type Oid, oidToBytes } from "../../../src/ids/oid.ts";
import type { BatchLimits } from "../../../src/ports/storage.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../src/storage/memory.ts";
import { parseCommitHeader } from "../../../src/git/commit.ts";
import { openNode } from "../../../src/cob/entry/stored_json.ts";
import { Scheduler } from "../../../src/scheduling/scheduler.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { createWriter, ENTRY_SECONDS, type EntryDraft, putEntry, signatureLines } from "../entries.ts";

const alice = createWriter(1);
const RESOURCE = "c".repeat(40) as Oid;
const createEmpty = () => createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
const createReader = (memory?: Memory) =>
  new EntryReader(
    function* (stored) {
      const value = yield* openNode(stored);
      return typeof value === "number" ? value : undefined;
    },
    RULES.newest,
    memory,
  );

/** The tree of an entry, its manifest and its actions. */
function objectsBelow(repository: MemoryRepository, id: Oid): Oid[] {
  const { tree } = parseCommitHeader(repository.object(id)!.bytes);
  const { manifest, actions } = parseEntryTree(repository.object(tree)!.bytes);
  return [tree, manifest, ...actions];
}

/** The repository, with a list of all that is read from it. */
function watched(repository: MemoryRepository): { repository: MemoryRepository; asked: Oid[] } {
  const asked: Oid[] = [];
  const objects = (oids: readonly Oid[], limits?: BatchLimits) => {
    const found = repository.objects(oids, limits);
    asked.push(...oids.slice(0, found.length));
    return found;
  };
  return { repository: { ...repository, objects }, asked };
}

describe("an entry reader", () => {
  it("finds entries in the order of their ids, whatever else is asked for", async () => {
    const repository = createEmpty();
    const entry = putEntry(repository, {
      writer: alice,
      actions: [1, 2],
      resource: RESOURCE,
      parents: [RESOURCE],
    });
    const other = putEntry(repository, { writer: alice, actions: ["not understood"] });
    const blob = repository.put("blob", new Uint8Array());
    const gone = "a".repeat(40) as Oid;
    const found = await createReader().read(repository, [gone, entry, blob, other], new Task());
    const settled = found.map(async (item) => {
      if (typeof item === "string") return item;
      const { signature, ...others } = item;
      return { ...others, isAuthentic: await signature.verify(new ExactChecks(), new Task()) };
    });
    assert.deepEqual(await Promise.all(settled), [
      "missing",
      {
        id: entry,
        author: alice.nid,
        timeSeconds: ENTRY_SECONDS,
        parents: [],
        resource: RESOURCE,
        isAuthentic: true,
        actions: [1, 2],
        bytes: 2,
      },
      "damaged",
      {
        id: other,
        author: alice.nid,
        timeSeconds: ENTRY_SECONDS,
        parents: [],
        resource: undefined,
        isAuthentic: true,
        actions: undefined,
        bytes: '"not understood"'.length,
      },
    ]);
  });

  it("says of an entry that its signature does not verify", async () => {
    const repository = createEmpty();
    const forged = { ...alice, sign: (bytes: Uint8Array) => createWriter(2).sign(bytes) };
    const [entry] = await createReader().read(repository, [
      putEntry(repository, { writer: forged, actions: [1] }),
    ], new Task());
    assert.ok(typeof entry === "object");
    assert.equal(await entry.signature.verify(new ExactChecks(), new Task()), false);
  });

  it("reads and verifies nothing twice", async () => {
    const { repository, asked } = watched(createEmpty());
    const ids = [1, 2, 3].map((action) => putEntry(repository, { writer: alice, actions: [action] }));
    const reader = createReader();
    const first = await reader.read(repository, ids, new Task());
    const before = asked.length;
    assert.equal(before, 3 * 3 + 1);
    assert.deepEqual(await reader.read(repository, ids.toReversed(), new Task()), first.toReversed());
    assert.equal(asked.length, before);
  });

  it("asks again for what was not there, or no entry", async () => {
    const { repository, asked } = watched(createEmpty());
    const other = createEmpty();
    const id = putEntry(other, { writer: alice, actions: [1] });
    const reader = createReader();
    assert.deepEqual(await reader.read(repository, [id], new Task()), ["missing"]);
    putEntry(repository, { writer: alice, actions: [1] });
    assert.equal(typeof (await reader.read(repository, [id], new Task()))[0], "object");
    assert.equal(asked.filter((oid) => oid === id).length, 2);
  });

  it("asks once for what can never be an entry", async () => {
    const { repository, asked } = watched(createEmpty());
    const put = (draft: Partial<EntryDraft>) =>
      putEntry(repository, { writer: alice, actions: [1], ...draft });
    const ids = [
      put({ signatureLines: "" }),
      put({ message: "Change\n\nSigned-off-by: alice\n" }),
      put({ actions: [] }),
      put({ folder: { manifest: "{}" } }),
      put({ message: `Change\n\n${"x".repeat(2 ** 20)}` }),
    ];
    const reader = createReader();
    const first = await reader.read(repository, ids, new Task());
    assert.deepEqual(first, ids.map(() => "unreadable"));
    asked.length = 0;
    assert.deepEqual(await reader.read(repository, ids, new Task()), first);
    assert.deepEqual(asked, []);
  });

  it("asks again for an entry that lacks a blob", async () => {
    const { repository, asked } = watched(createEmpty());
    const other = createEmpty();
    const id = putEntry(other, { writer: alice, actions: [1, 2] });
    const objects = await Promise.all(
      [id, ...await objectsBelow(other, id)].map((oid) => other.object(oid)!),
    );
    const reader = createReader();
    for (const { kind, bytes } of objects.slice(0, -1)) repository.put(kind, bytes);
    assert.deepEqual(await reader.read(repository, [id], new Task()), ["unreadable"]);
    const { kind, bytes } = objects.at(-1)!;
    repository.put(kind, bytes);
    assert.equal(typeof (await reader.read(repository, [id], new Task()))[0], "object");
    assert.equal(asked.filter((oid) => oid === id).length, 2);
  });

  it("remembers a bounded number of what is no entry", async () => {
    const { repository, asked } = watched(createEmpty());
    const put = (i: number) =>
      repository.put("commit", new TextEncoder().encode(`tree ${RESOURCE}\nauthor\n\n${i}\n`));
    const first = put(-1);
    class SmallMemory extends Memory {
      override share(name: CacheName): number {
        return name === "entries" ? 64 * 1024 : super.share(name);
      }
    }
    const reader = createReader(new SmallMemory());
    const readOthers = (from: number, to: number) =>
      reader.read(repository, Array.from({ length: to - from }, (_, i) => put(from + i)), new Task());
    await reader.read(repository, [first], new Task());
    await readOthers(0, 400);
    asked.length = 0;
    assert.deepEqual(await reader.read(repository, [first], new Task()), ["damaged"]);
    assert.deepEqual(asked, []);
    await readOthers(400, 5000);
    await reader.read(repository, [first], new Task());
    assert.deepEqual(asked.filter((oid) => oid === first), [first]);
  });

  it("says of a commit whether git can read it, entry or not", async () => {
    const repository = createEmpty();
    const put = (draft: Partial<EntryDraft>) =>
      putEntry(repository, { writer: alice, actions: [1], ...draft });
    const odd = "alice 1671125284 +0000";
    const early = new EntryReader(function* () {
      yield undefined;
      return 1;
    }, RULES["2024"]);
    const [entry, other] = await early.read(repository, [put({ author: odd }), put({})], new Task());
    assert.ok(typeof entry === "object" && typeof other === "object");
    assert.deepEqual([entry.isMalformed, other.isMalformed], [true, undefined]);
    assert.deepEqual(
      await createReader().read(repository, [put({ author: odd }), put({ signatureLines: "" })], new Task()),
      [
        "damaged",
        "unreadable",
      ],
    );
  });

  it("reads no more of an entry that is too large, and what is there of others", async () => {
    const { repository, asked } = watched(createEmpty());
    const large = `"${"x".repeat(MAX_ACTION_BYTES / 2)}"`;
    const folder = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i, `${large}${" ".repeat(i)}`]));
    const bad = putEntry(repository, { writer: alice, actions: [1], folder });
    const tooLarge = putEntry(repository, {
      writer: alice,
      actions: [1],
      folder: { 0: `${" ".repeat(MAX_ACTION_BYTES)}1` },
    });
    const good = putEntry(repository, { writer: alice, actions: [2] });
    const found = await createReader().read(repository, [bad, tooLarge, good], new Task());
    assert.deepEqual(found.map((entry) => typeof entry === "object" ? entry.actions : entry), [
      "unreadable",
      "unreadable",
      [2],
    ]);
    const blobs = asked.filter((oid) => repository.object(oid)?.kind === "blob");
    assert.ok(blobs.length < 10, `${blobs.length} blobs`);
  });

  it("takes a tag of an action for the action, as git does when it reads a blob", async () => {
    const repository = createEmpty();
    const blob = repository.put("blob", new TextEncoder().encode("7"));
    const manifest = repository.put("blob", new TextEncoder().encode('{"typeName":"x"}'));
    const tag = (lines: string) => repository.put("tag", new TextEncoder().encode(lines));
    const put = (action: Oid, named = manifest) => {
      const entry = (
        name: string,
        oid: Oid,
      ) => [...new TextEncoder().encode(`100644 ${name}\0`), ...oidToBytes(oid)];
      const tree = repository.put(
        "tree",
        Uint8Array.from([...entry("0", action), ...entry("manifest", named)]),
      );
      const person = "a <a@b> 1 +0000";
      const header = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n`;
      const signature = signatureLines(alice.publicKey, alice.sign(oidToBytes(tree)));
      return repository.put("commit", new TextEncoder().encode(`${header}${signature}\nChange\n`));
    };
    const good = tag(`object ${blob}\ntype blob\ntag x\ntagger a <a@b> 1 +0000\n\nx\n`);
    const cases: [oid: Oid, expected: unknown][] = [
      [put(good), "7"],
      [put(tag(`object ${good}\ntype tag\ntag y\n`)), "7"],
      [put(tag(`object ${blob}\ntype blob\ntag x\ntagger nobody\n\nx\n`)), "unreadable"],
      [put(tag(`object ${blob}\ntype commit\ntag x\n`)), "unreadable"],
      [put(tag(`object ${RESOURCE}\ntype blob\ntag x\n`)), "unreadable"],
      [put(tag(`object ${blob}\n`)), "unreadable"],
      [put(blob, good), "unreadable"],
    ];
    const found = await createReader().read(repository, cases.map(([oid]) => oid), new Task());
    assert.deepEqual(
      found.map((entry) => typeof entry === "object" ? entry.actions?.join() : entry),
      cases.map(([, expected]) => expected),
    );
  });

  it("lets others have their turn", async () => {
    const repository = createEmpty();
    const ids = Array.from(
      { length: 30 },
      (_, i) => putEntry(repository, { writer: alice, actions: [1], message: `${i}\n` }),
    );
    let [turns, isOver] = [0, false];
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    let nowMs = 0;
    await createReader().read(
      repository,
      ids,
      new Task("user-visible", { scheduler: new Scheduler({ now: () => nowMs++ }) }),
    );
    isOver = true;
    assert.ok(turns >= ids.length / 2, `${turns} turns`);
  });

  it("reads commits of the worst messages once, and remembers that they are no entries", async () => {
    const { repository, asked } = watched(createEmpty());
    const ids = Array.from({ length: 4 }, (_, i) =>
      putEntry(repository, {
        writer: alice,
        actions: [1],
        message: `${i}\n\nRad-Resource: ${RESOURCE}${"\n x".repeat(2 ** 16)}\n`,
        ...i % 2 === 0 && { signatureLines: "" },
      }));
    const reader = createReader();
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await reader.read(repository, ids, new Task()), ids.map(() => "unreadable"));
    }
    assert.deepEqual(asked, [...ids]);
  });

  it("does not take an entry of one repository for one of another", async () => {
    const storage = createMemoryStorage();
    const [one, two] = [
      storage.create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp"),
      storage.create("rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG"),
    ];
    const id = putEntry(one, { writer: alice, actions: [1] });
    const reader = createReader();
    await reader.read(one, [id], new Task());
    assert.deepEqual(await reader.read(two, [id], new Task()), ["missing"]);
  });

  it("forgets the entries used least recently when their actions take too much room", async () => {
    const { repository, asked } = watched(createEmpty());
    const put = (bytes: number, fill: string) =>
      putEntry(repository, { writer: alice, actions: [1], folder: { 0: `1${fill.repeat(bytes)}` } });
    const [first, second] = [put(1, " "), put(2, " ")];
    const reader = createReader();
    await reader.read(repository, [first, second], new Task());
    const length = 2 ** 18;
    for (let i = 0; i * length < new Memory().share("entries"); i++) {
      await reader.read(repository, [put(length + i, " "), first], new Task());
    }
    const before = asked.length;
    await reader.read(repository, [first], new Task());
    assert.equal(asked.length, before);
    await reader.read(repository, [second], new Task());
    assert.equal(asked.length, before + 3);
  });

  it("gives large entries without their actions where that will do, and does not read these then", async () => {
    const repository = createEmpty();
    const put = (bytes: number) =>
      putEntry(repository, { writer: alice, actions: [1], folder: { 0: `1${" ".repeat(bytes)}` } });
    const ids = [put(1), put(MAX_ACTION_BYTES - 1), put(MAX_ACTION_BYTES), put(2)];
    const readBytes: number[] = [];
    const watched = {
      ...repository,
      objects: (...args: Parameters<MemoryRepository["objects"]>) => {
        const objects = repository.objects(...args);
        readBytes.push(...objects.map((object) => object?.bytes.length ?? 0));
        return objects;
      },
    };
    const found = await createReader().read(watched, ids, new Task(), true);
    assert.deepEqual(
      found.map((entry) => typeof entry === "object" ? [entry.bytes, entry.isBare, entry.actions] : entry),
      [[2, undefined, [1]], [MAX_ACTION_BYTES, true, undefined], "unreadable", [3, undefined, [1]]],
    );
    assert.ok(readBytes.every((bytes) => bytes < 1024));
    const whole = await createReader().read(watched, ids, new Task());
    assert.deepEqual(
      whole.map((entry) => typeof entry === "object" ? [entry.bytes, entry.isBare, entry.actions] : entry),
      [[2, undefined, [1]], [MAX_ACTION_BYTES, undefined, [1]], "unreadable", [3, undefined, [1]]],
    );
  });

  const unreadable: Record<string, (repository: MemoryRepository) => Oid> = {
    "that has more actions than a request can make, in bytes": (repository) =>
      putEntry(repository, { writer: alice, actions: [1], folder: { 0: " ".repeat(MAX_ACTION_BYTES + 1) } }),
    "with a manifest that is none": (repository) =>
      putEntry(repository, { writer: alice, actions: [1], folder: { manifest: "{}" } }),
    "without a signature": (repository) =>
      putEntry(repository, { writer: alice, actions: [1], signatureLines: "" }),
    "without actions": (repository) => putEntry(repository, { writer: alice, actions: [] }),
  };
  for (const [what, put] of Object.entries(unreadable)) {
    it(`cannot read an entry ${what}`, async () => {
      const repository = createEmpty();
      const sound = putEntry(repository, { writer: alice, actions: [1] });
      const [bad, good] = await createReader().read(repository, [put(repository), sound], new Task());
      assert.equal(bad, "unreadable");
      assert.equal(typeof good, "object");
    });
  }

  it("does not understand what is no JSON, no UTF-8, or begins with a byte order mark", async () => {
    const repository = createEmpty();
    const texts = ["{", "1 2", "\ufeff1", Uint8Array.of(0x22, 0xff, 0x22)];
    const ids = texts.map((text) =>
      putEntry(repository, { writer: alice, actions: [1], folder: { 0: text } })
    );
    for (const entry of await createReader().read(repository, ids, new Task())) {
      assert.ok(typeof entry === "object" && entry.actions === undefined);
    }
  });

  it("reads what is sound when the storage says that something is damaged", async () => {
    const repository = createEmpty();
    const ids = [1, 2, 3, 4, 5].map((action) => putEntry(repository, { writer: alice, actions: [action] }));
    const damaged: MemoryRepository = {
      ...repository,
      object(oid, limits) {
        if (oid === ids[3]) throw new DamagedError("a truncated object");
        return repository.object(oid, limits);
      },
      objects(oids) {
        if (oids.includes(ids[3]!)) throw new DamagedError("a truncated object");
        return repository.objects(oids);
      },
    };
    const found = await createReader().read(damaged, ids, new Task());
    assert.deepEqual(found.map((entry) => typeof entry), ["object", "object", "object", "string", "object"]);
  });
});
