import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CountingRepository } from "../../src/diff_service/repositories.ts";
import { blob, emptyRepository, slowly } from "../diff/trees.ts";

describe("a counting repository", () => {
  it("answers as the one behind it", async () => {
    const repository = emptyRepository();
    const oid = blob(repository, "text");
    repository.setRef("refs/heads/main", oid);
    for (const behind of [repository, slowly(repository)]) {
      const counting = new CountingRepository(behind);
      assert.equal(counting.rid, repository.rid);
      assert.deepEqual(await counting.ref("refs/heads/main"), { name: "refs/heads/main", oid });
      assert.deepEqual(await counting.refs("refs/heads/"), [{ name: "refs/heads/main", oid }]);
      assert.deepEqual(await counting.header(oid), { kind: "blob", size: 4 });
      assert.deepEqual(await counting.object(oid), await repository.object(oid));
    }
  });

  it("knows how much was read", async () => {
    const repository = emptyRepository();
    const counting = new CountingRepository(repository);
    await counting.header(blob(repository, "not read"));
    await counting.object(blob(repository, "read"));
    assert.equal(counting.readBytes, 4);
  });
});
