import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  MeteredRepository,
  MIN_OBJECT_COST,
  ReadLimitError,
} from "../../src/comparison/metered_repository.ts";
import { blob, emptyRepository, slowly } from "../diff/trees.ts";
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

  it("refuses to tell of a blob beyond the limit", async () => {
    const repository = emptyRepository();
    const [fits, exceeds] = [blob(repository, "x".repeat(1000)), blob(repository, "y".repeat(1001))];
    assert.equal((await new MeteredRepository(repository, 1000).header(fits))?.size, 1000);
    await assert.rejects(new MeteredRepository(repository, 1000).header(exceeds), ReadLimitError);
  });

  it("counts every object, even an empty one", async () => {
    const repository = emptyRepository();
    const [empty, folder] = [blob(repository, ""), putTree(repository, {})];
    const metered = new MeteredRepository(repository, 3 * MIN_OBJECT_COST);
    await metered.header(empty);
    await metered.objects([folder, empty]);
    await metered.header(empty);
    await assert.rejects(metered.objects([folder]), ReadLimitError);
  });

  it("knows how much was read", async () => {
    const repository = emptyRepository();
    const metered = new MeteredRepository(repository);
    await metered.header(blob(repository, "not read"));
    await metered.object(blob(repository, "read"));
    assert.equal(metered.readBytes, 4);
  });
});
