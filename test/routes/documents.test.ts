/** Identity documents that are too large, or cannot be read: nobody pays for them twice. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_DOC_BYTES } from "../../src/identity/doc_json.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { createTestApi } from "../support/api.ts";
import { createRepository, createWorld, putCommit, setHead } from "../support/world.ts";

/** A service of a repository with that document, and the sizes of the objects that it reads there. */
function serve(doc: string) {
  const world = createWorld();
  const repository = world.storage.create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
  const identity = putCommit(repository, { folder: { embeds: { "radicle.json": doc } }, message: "Doc" });
  repository.setRef("refs/rad/id", identity);
  const sizes: number[] = [];
  const { object } = repository;
  repository.object = (oid, limits) => {
    const found = object.call(repository, oid, limits);
    sizes.push(found?.bytes.length ?? 0);
    return found;
  };
  const { get } = createTestApi({}, world);
  const status = async () => (await get(`/projects/${repository.rid}`)).status;
  return { sizes, status };
}

describe("an identity document", () => {
  it("is not read when it is too large", async () => {
    const { sizes, status } = serve(" ".repeat(MAX_DOC_BYTES + 1));
    assert.equal(await status(), 404);
    assert.ok(sizes.length > 0 && sizes.every((size) => size < MAX_DOC_BYTES));
  });

  it("that cannot be read is not read again", async () => {
    for (const doc of ["{", "[1]", "{}", " ".repeat(MAX_DOC_BYTES)]) {
      const { sizes, status } = serve(doc);
      assert.equal(await status(), 404);
      const { length } = sizes;
      assert.ok(length > 0);
      assert.equal(await status(), 404);
      assert.equal(sizes.length, length);
    }
  });

  it("that is missing is searched again", async () => {
    const draft = { name: "late" };
    const world = createWorld();
    const { rid, ref } = createRepository(createMemoryStorage(), draft);
    world.storage.create(rid).setRef("refs/rad/id", ref("refs/rad/id")!.oid!);
    const { get } = createTestApi({}, world);
    assert.equal((await get(`/projects/${rid}`)).status, 404);
    const repository = createRepository(world.storage, draft);
    setHead(repository, putCommit(repository, { folder: {}, message: "First\n" }));
    assert.equal((await get(`/projects/${rid}`)).status, 200);
  });
});
