import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  MeteredRepository,
  MIN_OBJECT_COST,
  ReadLimitError,
} from "../../src/diff_service/metered_repository.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { blob, emptyRepository, slowly, tree } from "../diff/trees.ts";
import { putTree } from "../support/world.ts";

describe("a metered repository", () => {
  it("answers as the one behind it", async () => {
    const repository = emptyRepository();
    const oid = blob(repository, "text");
    repository.setRef("refs/heads/main", oid);
    for (const behind of [repository, slowly(repository)]) {
      const metered = new MeteredRepository(behind);
      assert.equal(metered.rid, repository.rid);
      assert.deepEqual(await metered.ref("refs/heads/main"), { name: "refs/heads/main", oid });
      assert.deepEqual(await metered.refs("refs/heads/"), [{ name: "refs/heads/main", oid }]);
      assert.deepEqual(await metered.header(oid), { kind: "blob", size: 4 });
      assert.deepEqual(await metered.object(oid), await repository.object(oid));
    }
  });

  it("refuses to tell of a blob larger than one may be", async () => {
    const repository = emptyRepository();
    const [fits, exceeds] = [blob(repository, "x".repeat(200)), blob(repository, "y".repeat(201))];
    const metered = new MeteredRepository(repository, { bytes: 1e6, blobBytes: 200 });
    assert.equal((await metered.header(fits))?.size, 200);
    await assert.rejects(metered.header(exceeds), ReadLimitError);
  });

  it("refuses to tell of a blob beyond the limit", async () => {
    const repository = emptyRepository();
    const [fits, exceeds] = [blob(repository, "x".repeat(2000)), blob(repository, "y".repeat(2001))];
    assert.equal(
      (await new MeteredRepository(repository, { bytes: 2000, blobBytes: Infinity }).header(fits))?.size,
      2000,
    );
    await assert.rejects(
      new MeteredRepository(repository, { bytes: 2000, blobBytes: Infinity }).header(exceeds),
      ReadLimitError,
    );
  });

  it("counts every object, even an empty one", async () => {
    const repository = emptyRepository();
    const [empty, folder] = [blob(repository, ""), putTree(repository, {})];
    const metered = new MeteredRepository(repository, {
      bytes: 3 * MIN_OBJECT_COST,
      blobBytes: Infinity,
    });
    await metered.header(empty);
    await metered.objects([folder, empty]);
    await metered.header(empty);
    await assert.rejects(metered.objects([folder]), ReadLimitError);
  });

  it("lets others have their turn before it reads", async () => {
    const repository = emptyRepository();
    const oid = blob(repository, "text");
    const turn = Promise.withResolvers<void>();
    const said: string[] = [];
    const reading = new MeteredRepository(repository, undefined, () => turn.promise).object(oid)
      .then(() => said.push("read"));
    await new Promise((resume) => setTimeout(resume, 0));
    said.push("others");
    turn.resolve();
    await reading;
    assert.deepEqual(said, ["others", "read"]);
  });

  it("knows how much was read", async () => {
    const repository = emptyRepository();
    const metered = new MeteredRepository(repository);
    await metered.header(blob(repository, "not read"));
    await metered.object(blob(repository, "read"));
    assert.equal(metered.readBytes, 4);
  });

  it("reads no tree that is larger than all that may be read", async () => {
    const repository = emptyRepository();
    const large = tree(repository, ["100644", "x".repeat(3 * MIN_OBJECT_COST), blob(repository, "")]);
    const read: unknown[] = [];
    const behind: Repository = {
      ...repository,
      objects(oids, limits) {
        read.push(limits?.limitBytes);
        return oids.map((oid) =>
          repository.header(oid)!.size > limits!.limitBytes! ? undefined : repository.object(oid)
        );
      },
    };
    const bytes = 2 * MIN_OBJECT_COST;
    const metered = new MeteredRepository(behind, { bytes, blobBytes: 10 });
    await assert.rejects(metered.objects([large]), ReadLimitError);
    assert.deepEqual([read, metered.readBytes], [[bytes], 0]);
  });
});
