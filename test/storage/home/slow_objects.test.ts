/** Objects that are large or cost much: refused by their sizes, or read in time slices. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import { deflateSync } from "node:zlib";
import { inflate } from "../../../adapters/node/zlib.ts";
import { DamagedError, TooLargeError } from "../../../src/errors.ts";
import { scheduler } from "../../../src/scheduling/scheduler.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { compareTrees } from "../../../src/diff/tree_comparison.ts";
import { encodeTree, hashObject } from "../../../src/git/encode.ts";
import {
  findPath,
  MAX_BLOB_BYTES,
  MAX_TREE_BYTES,
  OBJECT_LIMITS,
  splitPath,
} from "../../../src/git/objects.ts";
import { ABSENT, pathReader } from "../../../src/git/path_history.ts";
import { MODE } from "../../../src/git/tree.ts";
import type { GitObject, Repository } from "../../../src/ports/storage.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { MAX_WORK_FACTOR, MIN_WORK_SIZE } from "../../../src/git/pack/pack.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { RID } from "../suite.ts";
import { FakeFiles } from "./fake_files.ts";
import { buildPack, delta, type PackEntry } from "./pack_builder.ts";

const MIB = 2 ** 20;

/** A repository on files in memory that counts what is unpacked. */
class CountedHome {
  readonly files: FakeFiles = new FakeFiles();
  /** Bytes unpacked in one piece. */
  unpackedBytes = 0;
  readonly #path = `/home/storage/${RID.slice("rad:".length)}`;
  readonly repository: NonNullable<ReturnType<ReturnType<typeof createHomeStorage>["repository"]>>;

  constructor(entries: readonly PackEntry[], loose: Readonly<Record<Oid, Uint8Array>> = {}) {
    this.files.put(`${this.#path}/HEAD`, "ref: refs/heads/main\n");
    this.files.put(`${this.#path}/refs/heads/x`, "");
    const { pack, index } = buildPack(entries);
    this.files.put(`${this.#path}/objects/pack/pack-1.pack`, pack);
    this.files.put(`${this.#path}/objects/pack/pack-1.idx`, index);
    for (const [oid, packed] of Object.entries(loose)) {
      this.files.put(`${this.#path}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`, packed);
    }
    const count = (packed: Uint8Array, size: number) => {
      this.unpackedBytes += size;
      return inflate(packed, size);
    };
    const storage = createHomeStorage({ root: "/home/storage", fileSystem: this.files, inflate: count });
    this.repository = storage.repository(RID)!;
  }
}

const numbered = (position: number) => position.toString(16).padStart(40, "0") as Oid;

/** A delta that makes `size` bytes out of pieces of a base of `baseSize`. */
function stretch(baseSize: number, size: number): Uint8Array {
  const instructions: number[] = [];
  for (let left = size; left > 0;) {
    const length = Math.min(left, baseSize, 0xffffff);
    instructions.push(0xf0, length & 255, length >> 8 & 255, length >> 16);
    left -= length;
  }
  return delta(baseSize, size, ...instructions);
}

/** A chain of large trees that takes more work than its last, small one may, and the id of that. */
function expensiveChain(): readonly [PackEntry[], Oid] {
  const links = MAX_WORK_FACTOR * MIN_WORK_SIZE / MAX_TREE_BYTES + 1;
  const sizes = [MIB, ...Array.from({ length: links }, () => MAX_TREE_BYTES), 6];
  return [chain("tree", sizes), numbered(sizes.length - 1)];
}

/** A chain of deltas that makes objects of these sizes, one out of the other. */
function chain(kind: "blob" | "tree", sizes: readonly number[]): PackEntry[] {
  return sizes.map((size, i): PackEntry =>
    i === 0
      ? { oid: numbered(0), kind, data: new Uint8Array(size).fill(7) }
      : { oid: numbered(i), base: i - 1, data: stretch(sizes[i - 1]!, size) }
  );
}

/** How often the event loop goes round until something is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work.finally(() => isDone = true);
  return turns;
}

describe("an object that is larger than is read of its kind", () => {
  for (const kind of ["commit", "tree", "blob", "tag"] as const) {
    const limit = OBJECT_LIMITS[kind];

    it(`is refused by its size: a packed ${kind}`, async () => {
      const home = new CountedHome([{ oid: numbered(1), kind, data: new Uint8Array(limit + 1) }]);
      await assert.rejects(async () => await home.repository.object(numbered(1)), TooLargeError);
      assert.deepEqual(await home.repository.objects([numbered(1)]), [undefined]);
      assert.deepEqual(home.repository.header(numbered(1)), { kind, size: limit + 1 });
      assert.equal(home.unpackedBytes, 0);
    });

    it(`is refused by its size: a loose ${kind}`, async () => {
      const content = new Uint8Array(limit + 100);
      content.set(new TextEncoder().encode(`${kind} ${limit + 1}\0`));
      const home = new CountedHome([], { [numbered(1)]: deflateSync(content) });
      await assert.rejects(async () => await home.repository.object(numbered(1)), TooLargeError);
      assert.deepEqual(home.repository.header(numbered(1)), { kind, size: limit + 1 });
      assert.equal(home.unpackedBytes, 0);
    });

    it(`is refused by its size: a ${kind} that is a delta`, async () => {
      const base: PackEntry = { oid: numbered(0), kind, data: new Uint8Array(MIB) };
      const home = new CountedHome([base, { oid: numbered(1), base: 0, data: stretch(MIB, limit + 1) }]);
      await assert.rejects(async () => await home.repository.object(numbered(1)), TooLargeError);
      assert.deepEqual(home.repository.header(numbered(1)), { kind, size: limit + 1 });
      assert.ok(home.unpackedBytes <= 2 * MIB, "the base at most");
    });
  }
});

describe("an object that is as large as is read", () => {
  it("is read in time slices, and has its content", async () => {
    const content = new Uint8Array(MAX_BLOB_BYTES).map((_, i) => i * i % 251);
    const oid = hashObject("blob", content);
    const whole = new TextEncoder().encode(`blob ${content.length}\0`);
    const loose = deflateSync(Buffer.concat([whole, content]));
    for (
      const home of [
        new CountedHome([{ oid, kind: "blob", data: content }]),
        new CountedHome([], { [oid]: loose }),
      ]
    ) {
      const reading = home.repository.object(oid);
      assert.ok(reading instanceof Promise);
      assert.equal(hashObject("blob", (await reading)!.bytes), oid);
      assert.equal(home.unpackedBytes, 0, "nothing in one piece");
    }
  });

  it("is refused when the stream is broken, longer or shorter", async () => {
    const content = new Uint8Array(8 * MIB);
    for (const size of [content.length - 1, content.length + 1]) {
      const home = new CountedHome([{ oid: numbered(1), kind: "blob", data: content, size }]);
      await assert.rejects(async () => await home.repository.object(numbered(1)), DamagedError);
    }
    const packed = deflateSync(
      Buffer.concat([new TextEncoder().encode(`blob ${content.length}\0`), content]),
    );
    packed[packed.length - 1]! ^= 1;
    const home = new CountedHome([], { [numbered(1)]: packed });
    await assert.rejects(async () => await home.repository.object(numbered(1)), DamagedError);
  });
});

describe("a chain of deltas", () => {
  it("of large objects is read in time slices, as git makes them", async () => {
    const sizes = Array.from({ length: 50 }, (_, i) => 4 * MIB + 100 * i);
    const home = new CountedHome(chain("tree", sizes));
    const reading = home.repository.object(numbered(49));
    assert.ok(reading instanceof Promise);
    assert.equal((await reading)?.bytes.length, sizes[49]);
    assert.ok((await reading)?.bytes.every((byte) => byte === 7));
  });

  it("may pass objects that are somewhat larger than what is read", async () => {
    const home = new CountedHome(chain("blob", [1.5 * MAX_BLOB_BYTES, MAX_BLOB_BYTES, 6]));
    assert.equal((await home.repository.object(numbered(2)))?.bytes.length, 6);
    assert.equal((await home.repository.object(numbered(1)))?.bytes.length, MAX_BLOB_BYTES);
    await assert.rejects(async () => await home.repository.object(numbered(0)), TooLargeError);
  });

  it("is not followed through a larger one, whatever it makes of that", async () => {
    const size = 4 * MAX_TREE_BYTES;
    const first = new CountedHome(chain("tree", [size, 6]));
    await assert.rejects(async () => await first.repository.object(numbered(1)), TooLargeError);
    assert.equal(first.unpackedBytes, 0);
    const later = new CountedHome(chain("tree", [MIB, size, 6]));
    await assert.rejects(async () => await later.repository.object(numbered(2)), TooLargeError);
    assert.ok(later.unpackedBytes <= 2 * MIB);
    assert.deepEqual(later.repository.header(numbered(2)), { kind: "tree", size: 6 });
  });

  it("makes no more bytes than in proportion to its end, and not twice", async () => {
    const [entries, oid] = expensiveChain();
    const home = new CountedHome(entries);
    const reading = home.repository.object(oid);
    assert.ok(reading instanceof Promise);
    await assert.rejects(reading, TooLargeError);
    const { unpackedBytes } = home;
    for (let i = 0; i < 3; i++) {
      await assert.rejects(async () => await home.repository.object(oid), TooLargeError);
      assert.deepEqual(await home.repository.objects([oid]), [undefined]);
    }
    assert.equal(home.unpackedBytes, unpackedBytes);
  });

  it("that turns out damaged after much work is not followed again", async () => {
    const entries = chain("blob", [2 * MIB, 2 * MIB, 6]);
    const home = new CountedHome([...entries.slice(0, 2), { oid: numbered(2), base: 1, data: delta(6, 6) }]);
    await assert.rejects(async () => await home.repository.object(numbered(2)), DamagedError);
    const { unpackedBytes } = home;
    await assert.rejects(async () => await home.repository.object(numbered(2)), DamagedError);
    assert.equal(home.unpackedBytes, unpackedBytes);
  });

  it("is walked to its end once for the kinds of all its objects", () => {
    const sizes = Array.from({ length: 4000 }, (_, i) => 100 + i);
    const home = new CountedHome(chain("blob", sizes));
    home.repository.header(numbered(3999));
    let reads = 0;
    home.files.beforeCall = () => reads++;
    for (let i = 3000; i < 4000; i++) assert.equal(home.repository.header(numbered(i))?.kind, "blob");
    assert.ok(reads < 1000, `${reads} reads`);
  });

  it("gives way to a sound copy elsewhere", async () => {
    const [entries, oid] = expensiveChain();
    const content = Buffer.concat([new TextEncoder().encode("tree 6\0"), new Uint8Array(6).fill(7)]);
    const home = new CountedHome(entries, { [oid]: deflateSync(content) });
    assert.equal((await home.repository.object(oid))?.bytes.length, 6);
    assert.equal((await home.repository.object(oid))?.bytes.length, 6);
  });
});

describe("a large object", () => {
  const LARGE = new Uint8Array(MIB).fill(1);

  it("may be released by the reader that has it alone", async () => {
    const packed = new CountedHome([{ oid: numbered(1), kind: "blob", data: LARGE }]);
    const content = Buffer.concat([new TextEncoder().encode(`blob ${MIB}\0`), LARGE]);
    const loose = new CountedHome([], { [numbered(1)]: deflateSync(content) });
    for (const { repository } of [packed, loose]) {
      const [first, second] = [await repository.object(numbered(1)), await repository.object(numbered(1))];
      first!.release!();
      assert.equal(first!.bytes.length, 0);
      assert.deepEqual(second!.bytes, LARGE);
    }
  });

  it("is never released while it is a cached base of deltas", async () => {
    const home = new CountedHome(chain("blob", [MIB, 6]));
    await home.repository.object(numbered(1));
    assert.equal((await home.repository.object(numbered(0)))?.release, undefined);
  });

  it("is never released while several readers share it", async () => {
    const large = new Uint8Array(6 * MIB);
    const content = Buffer.concat([new TextEncoder().encode(`blob ${large.length}\0`), large]);
    const home = new CountedHome([], { [numbered(1)]: deflateSync(content) });
    const objects = await Promise.all([1, 2].map(() => home.repository.object(numbered(1))));
    for (const object of objects) assert.equal(object?.release, undefined);
    assert.notEqual((await home.repository.object(numbered(1)))?.release, undefined);
  });

  it("is a commit that is released when it took long, and any other one cached", async () => {
    const home = new CountedHome([
      { oid: numbered(1), kind: "commit", data: new Uint8Array(4.5 * MIB) },
      { oid: numbered(2), kind: "blob", data: new Uint8Array(6 * MIB) },
    ]);
    assert.notEqual((await home.repository.object(numbered(1)))?.release, undefined);
    const blob = (await home.repository.object(numbered(2)))!;
    blob.release!();
    const again = (await home.repository.object(numbered(2)))!;
    assert.ok(again.bytes === blob.bytes);
    assert.equal(again.bytes.length, 6 * MIB);
  });

  it("from the cache is freed when the cache has evicted it and its last reader has released it", async () => {
    const size = 15 * MIB;
    const home = new CountedHome([1, 2, 3].map((i): PackEntry => ({
      oid: numbered(i),
      kind: "blob",
      data: new Uint8Array(size).fill(i),
    })));
    const read = async (i: number) => (await home.repository.object(numbered(i)))!;
    const [one, other] = [await read(1), await read(1)];
    await read(2);
    await read(3);
    one.release!();
    one.release!();
    assert.equal(other.bytes.length, size);
    assert.equal(other.bytes.at(-1), 1);
    other.release!();
    assert.equal(other.bytes.length, 0);
    assert.equal((await read(1)).bytes.at(-1), 1);
  });

  it("in the cache stays whole while deltas are applied to it", async () => {
    const home = new CountedHome(chain("blob", [6 * MIB, 6 * MIB, 6]));
    for (const i of [0, 1, 2, 1, 0]) {
      const object = (await home.repository.object(numbered(i)))!;
      assert.equal(object.bytes.length, i === 2 ? 6 : 6 * MIB);
      object.release?.();
    }
  });

  it("is released by the readers of trees", async () => {
    const blob = hashObject("blob", new Uint8Array(0));
    const treeOf = (count: number) =>
      encodeTree(Array.from({ length: count }, (_, i) => ({
        mode: MODE.blob,
        name: new TextEncoder().encode(`${i}`),
        oid: blob,
      })));
    const home = new CountedHome([
      { oid: numbered(1), kind: "tree", data: treeOf(9000) },
      { oid: numbered(2), kind: "tree", data: treeOf(9001) },
    ]);
    const given: GitObject[] = [];
    const { repository } = home;
    const observed: Repository = {
      rid: repository.rid,
      ref: (name) => repository.ref(name),
      refs: (prefix) => repository.refs(prefix),
      header: (oid) => repository.header(oid),
      async object(oid, limits) {
        const object = await repository.object(oid, limits);
        given.push(object!);
        return object;
      },
      async objects(oids, limits) {
        const objects = await repository.objects(oids, limits);
        for (const object of objects) given.push(object!);
        return objects;
      },
    };
    assert.equal((await findPath(observed, numbered(1), splitPath("8999"), new Task()))?.oid, blob);
    assert.notEqual(await pathReader(observed, splitPath("8999"), new Task())(numbered(1)), ABSENT);
    assert.equal((await compareTrees(observed, numbered(1), numbered(2))).length, 1);
    assert.deepEqual(given.map(({ bytes }) => bytes.length), [0, 0, 0, 0]);
    assert.ok((await repository.object(numbered(1)))!.bytes.length > 9000);
  });
});

describe("slow objects", () => {
  it("are read once for all who ask meanwhile", async () => {
    const home = new CountedHome([{ oid: numbered(1), kind: "blob", data: new Uint8Array(6 * MIB) }]);
    const readings = Array.from({ length: 20 }, () => home.repository.object(numbered(1)));
    const objects = await Promise.all(readings);
    assert.ok(objects.every((object) => object!.bytes === objects[0]!.bytes));
  });

  it("are there when they are asked for again", async () => {
    const home = new CountedHome([{ oid: numbered(1), kind: "blob", data: new Uint8Array(MAX_BLOB_BYTES) }]);
    const object = await home.repository.object(numbered(1));
    const again = await home.repository.object(numbered(1));
    assert.ok(again!.bytes === object!.bytes);
  });

  it("come in batches of bounded bytes", async () => {
    const entries = Array.from({ length: 8 }, (_, i): PackEntry => ({
      oid: numbered(i),
      kind: "blob",
      data: new Uint8Array(6 * MIB),
    }));
    const home = new CountedHome(entries);
    const oids = entries.map(({ oid }) => oid);
    assert.equal((await home.repository.objects(oids, { batchBytes: 16 * MIB })).length, 3);
    assert.equal((await home.repository.objects(oids)).length, 8);
  });
});

describe("many objects", () => {
  it("let other requests through, though each is read at once", async () => {
    const entries = Array.from({ length: 60 }, (_, i): PackEntry => ({
      oid: numbered(i),
      kind: "blob",
      data: new Uint8Array(MIB),
    }));
    const home = new CountedHome(entries);
    const endRequests = [scheduler.requests.begin(), scheduler.requests.begin()];
    const reading = (async () => {
      for (const { oid } of entries) await home.repository.object(oid);
    })();
    const turns = await turnsDuring(reading);
    for (const end of endRequests) end();
    assert.ok(turns >= 30, `${turns} turns`);
  });
});
