import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Blobs, blobsOf, type Sides } from "../../src/diff/blobs.ts";
import { Budget, LARGEST_DIFF, OverBudgetError } from "../../src/diff/budget.ts";
import { DamagedError } from "../../src/errors.ts";
import { MAX_BLOB_BYTES } from "../../src/git/objects.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { blob, ELSEWHERE, emptyRepository, slowly, tree } from "./trees.ts";

/** Added files of these blobs. */
function adding(...oids: Oid[]): Sides[] {
  return oids.map((oid) => ({ new: { oid, mode: "blob" } }));
}

/** All that is read of blobs, piece by piece. */
async function readAll(blobs: Blobs, oids: Iterable<Oid> = blobs.sizes.keys()) {
  const pieces: (readonly (readonly [Oid, Uint8Array])[])[] = [];
  for await (const piece of blobs.read(oids)) pieces.push(piece);
  return pieces;
}

/** A repository full of blobs of one size. */
function fullOf(size: number): Repository {
  return {
    ...emptyRepository(),
    header: () => ({ kind: "blob", size }),
    objects: (oids) => oids.map(() => ({ kind: "blob", bytes: new Uint8Array() })),
  };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => String(i).padStart(40, "0") as Oid);

describe("blobs", () => {
  it("are on both sides of files, each once, without submodules", async () => {
    const repository = emptyRepository();
    const [one, two] = [blob(repository, "1"), blob(repository, "22")];
    const files: Sides[] = [
      { old: { oid: one, mode: "blob" }, new: { oid: two, mode: "blobExecutable" } },
      { old: { oid: two, mode: "link" } },
      { new: { oid: ELSEWHERE, mode: "commit" } },
    ];
    assert.deepEqual([...blobsOf(files)], [one, two]);
    for (const source of [repository, slowly(repository)]) {
      const blobs = await Blobs.of(source, files);
      assert.deepEqual([...blobs.sizes.keys()].map((oid) => blobs.sizeOf(oid)), [1, 2]);
      assert.deepEqual(files.map((file) => blobs.bytesOf(file)), [3, 2, 0]);
      assert.deepEqual((await readAll(blobs)).flat(), [
        [one, Uint8Array.of(0x31)],
        [two, Uint8Array.of(0x32, 0x32)],
      ]);
    }
  });

  it("have no size, and are not read, above the limit", async () => {
    for (const [size, pieces] of [[MAX_BLOB_BYTES, 1], [MAX_BLOB_BYTES + 1, 0]] as const) {
      const blobs = await Blobs.of(fullOf(size), adding(...numbered(1)));
      assert.equal(blobs.sizeOf(numbered(1)[0]!), pieces === 1 ? size : undefined);
      assert.equal((await readAll(blobs)).length, pieces);
    }
  });

  it("are read some megabytes at a time", async () => {
    const blobs = await Blobs.of(fullOf(2 ** 20), adding(...numbered(10)));
    assert.deepEqual((await readAll(blobs)).map((piece) => piece.length), [4, 4, 2]);
  });

  it("are refused by their sizes when one is larger than the budget allows, before any is read", async () => {
    const repository: Repository = { ...fullOf(200), objects: () => assert.fail("read") };
    const of = (blobBytes: number) =>
      Blobs.of(repository, adding(...numbered(2)), new Budget({ ...LARGEST_DIFF, blobBytes }));
    assert.equal((await of(200)).sizeOf(numbered(1)[0]!), 200);
    await assert.rejects(of(199), OverBudgetError);
  });

  it("are refused when they are more than the budget allows, however small, before any is asked for", async () => {
    const repository: Repository = { ...fullOf(0), header: () => assert.fail("asked for") };
    const budget = new Budget({ ...LARGEST_DIFF, files: 2 });
    assert.ok(await Blobs.of(fullOf(0), adding(...numbered(2)), budget));
    await assert.rejects(Blobs.of(repository, adding(...numbered(3)), budget), OverBudgetError);
  });

  it("let other work go on between sizes that are there at once; others are asked for together", async () => {
    let pauses = 0;
    const create = () => new Budget(LARGEST_DIFF, { yield: () => void pauses++ });
    await Blobs.of(fullOf(1), adding(...numbered(20)), create());
    assert.ok(pauses >= 20, `${pauses}`);
    const asked: Oid[] = [];
    const answer = Promise.withResolvers<void>();
    const remote: Repository = {
      ...fullOf(1),
      async header(oid) {
        asked.push(oid);
        await answer.promise;
        return { kind: "blob", size: 1 };
      },
    };
    const sizes = Blobs.of(remote, adding(...numbered(20)), create());
    await Promise.resolve();
    assert.equal(asked.length, 20);
    answer.resolve();
    assert.equal([...(await sizes).sizes.keys()].length, 20);
  });

  it("let other work go on before they are read", async () => {
    const slice = Promise.withResolvers<void>();
    let isOver = false;
    const budget = new Budget(LARGEST_DIFF, { yield: () => isOver ? slice.promise : undefined });
    const blobs = await Blobs.of(fullOf(1), adding(...numbered(1)), budget);
    isOver = true;
    const order: string[] = [];
    const reading = readAll(blobs).then(() => order.push("read"));
    await new Promise((resume) => setTimeout(resume, 0));
    order.push("others");
    slice.resolve();
    await reading;
    assert.deepEqual(order, ["others", "read"]);
  });

  it("fail as damage when one is missing, no blob, or gone when it is read", async () => {
    const repository = emptyRepository();
    const forgetful: Repository = { ...repository, objects: (oids) => oids.map(() => undefined) };
    await assert.rejects(Blobs.of(repository, adding(ELSEWHERE)), DamagedError);
    await assert.rejects(Blobs.of(repository, adding(tree(repository))), DamagedError);
    const blobs = await Blobs.of(forgetful, adding(blob(repository, "1")));
    await assert.rejects(readAll(blobs), DamagedError);
  });
});
