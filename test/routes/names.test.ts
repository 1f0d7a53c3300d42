/** Names of references wherever the id of a commit may stand, in both dialects. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { ALICE, createRepository, createWorld, publish, putCommit, setHead } from "../support/world.ts";
import { ALICE_SEED } from "../support/world.ts";

const FOLDER = { README: "Read me\n", docs: { guide: "Look here\n" } };

/** A repository of commits that all have the same files, so that nothing needs comparing. */
function setUp(isPrivate = false) {
  const world = createWorld();
  const repository = createRepository(world.storage, { name: "shelf", isPrivate });
  const [first, second] = ["One\n", "Two\n"].map((message) =>
    putCommit(repository, { folder: FOLDER, message })
  );
  setHead(repository, first!);
  return {
    repository,
    first: first!,
    second: second!,
    get: createTestApi({ api: "both" }, world).get,
    move: (oid: Oid) => setHead(repository, oid),
  };
}

const BELOW_PROJECT = [
  "/commits?parent=NAME",
  "/commits?parent=NAME&perPage=1",
  "/commits/NAME",
  "/diff/NAME/NAME",
  "/tree/NAME/",
  "/tree/NAME/docs",
  "/blob/NAME/docs/guide",
  "/readme/NAME",
];
const BELOW_REPO = [
  ...BELOW_PROJECT,
  "/diff/NAME/NAME/stats",
  "/stats/tree/NAME",
  "/stats/commits/NAME",
];

/** Paths with the name `NAME` in place of a commit, whose answers have a tag. */
function pathsOf({ rid }: MemoryRepository): string[] {
  return [
    ...BELOW_PROJECT.map((path) => `/projects/${rid}${path}`),
    ...BELOW_REPO.map((path) => `/repos/${rid}${path}`),
    `//raw/${rid}/NAME/docs/guide`,
  ];
}

describe("a name instead of a commit", () => {
  it("is answered as its commit, and caches must ask again", async () => {
    const { repository, first, get } = setUp();
    for (const path of pathsOf(repository)) {
      const byId = await get(path.replaceAll("NAME", first));
      for (const name of ["HEAD", "master"]) {
        for (let time = 0; time < 2; time++) {
          const byName = await get(path.replaceAll("NAME", name));
          assert.equal(byName.status, 200, path);
          assert.deepEqual(byName.body, byId.body, path);
          assert.equal(byName.headers.get("cache-control"), "no-cache", path);
        }
      }
      const again = await get(path.replaceAll("NAME", first));
      assert.deepEqual([...again.headers], [...byId.headers], path);
    }
  });

  it("is made again when its reference has moved, and 304 before", async () => {
    const { repository, first, second, get, move } = setUp();
    for (const path of pathsOf(repository).map((path) => path.replaceAll("NAME", "master"))) {
      move(first);
      const before = await get(path);
      const asked = { headers: { "if-none-match": before.headers.get("etag")! } };
      const unchanged = await get(path, STRANGER, asked);
      assert.deepEqual([unchanged.status, unchanged.headers.get("cache-control")], [304, "no-cache"], path);
      move(second);
      const after = await get(path, STRANGER, asked);
      assert.equal(after.status, 200, path);
      const byId = await get(path.replaceAll("master", second));
      assert.deepEqual(after.body, byId.body, path);
      assert.notEqual(after.headers.get("etag"), before.headers.get("etag"));
    }
  });

  it("may be a branch, a tag, a full name or a node's branch, with escaped slashes", async () => {
    const { repository, first, second, get } = setUp();
    const tag = new TextEncoder().encode(
      `object ${second}\ntype commit\ntag v2\ntagger A <a@b.c> 1 +0000\n\nv2\n`,
    );
    repository.setRef("refs/tags/v2", repository.put("tag", tag));
    repository.setRef("refs/heads/topic/one", second);
    repository.setRef("refs/heads/abc", second);
    repository.setRef(`refs/heads/${"a".repeat(41)}`, second);
    repository.setRef("refs/tags/master", second);
    publish(repository, ALICE_SEED, { "topic/two": second });
    const commitOf = async (name: string) => {
      const { status, body } = await get(`/repos/${repository.rid}/commits/${encodeURIComponent(name)}`);
      return status === 200 ? body.commit.id : status;
    };
    for (const name of ["HEAD", "refs/heads/master", "heads/master", first, first.toUpperCase()]) {
      assert.equal(await commitOf(name), first, name);
    }
    const ofNode = `refs/namespaces/${ALICE}/refs/heads/topic/two`;
    for (const name of ["v2", "topic/one", `${ALICE}/topic/two`, ofNode, "heads/abc", "tags/v2", "master"]) {
      assert.equal(await commitOf(name), second, name);
    }
    // Digits are an id, or nothing.
    assert.equal(await commitOf("abc"), 404);
    assert.equal(await commitOf("a".repeat(41)), 400);
    for (const name of ["none", "head", "topic", "heads", "-x", "ünï", "x".repeat(5000)]) {
      assert.equal(await commitOf(name), 404, name);
    }
    for (
      const name of ["master~1", "master^{}", "a..b", "@", "x.lock", ".x", "a//b", "/a", "a/", "a b", "\0"]
    ) {
      assert.equal(await commitOf(name), 400, name);
    }
  });

  it("is 404 on every route when there is no such reference, 400 when there cannot be one", async () => {
    const { repository, get } = setUp();
    for (const path of [...pathsOf(repository), `/repos/${repository.rid}/jobs/NAME`]) {
      const missing = await get(path.replaceAll("NAME", "none"));
      assert.deepEqual([missing.status, missing.body.error], [404, 'Commit "none" was not found'], path);
      assert.equal(missing.headers.get("cache-control"), "no-store");
      assert.equal((await get(path.replaceAll("NAME", "no..ne"))).status, 400, path);
    }
  });

  it("does not reach drafts, nor what is no commit", async () => {
    const { repository, second, get } = setUp();
    repository.setRef("refs/drafts/x", second);
    repository.setSymbolicRef("refs/heads/round", "refs/drafts/x");
    repository.setRef(`refs/namespaces/${ALICE}/refs/drafts/y`, second);
    repository.setRef("refs/tags/file", repository.put("blob", new Uint8Array(1)));
    const names = [
      "drafts/x",
      "refs/drafts/x",
      "round",
      `refs/namespaces/${ALICE}/refs/drafts/y`,
      `${ALICE}/y`,
      "file",
    ];
    for (const name of names) {
      for (const path of pathsOf(repository)) {
        const answer = await get(path.replaceAll("NAME", encodeURIComponent(name)));
        assert.equal(answer.status, 404, `${path} ${name}`);
      }
    }
  });

  it("in a private repository is found only for the owner, and no cache stores the answer", async () => {
    const { repository, get } = setUp(true);
    for (const path of pathsOf(repository).map((path) => path.replaceAll("NAME", "HEAD"))) {
      const owned = await get(path, OWNER);
      assert.deepEqual([owned.status, owned.headers.get("cache-control")], [200, "private, no-store"], path);
      const missing = await get(path.replaceAll("HEAD", "none"), OWNER);
      assert.equal(missing.headers.get("cache-control"), "private, no-store");
      const [strange, unknown] = [await get(path), await get(path.replaceAll("HEAD", "none"))];
      assert.equal(strange.status, 404, path);
      assert.deepEqual(strange.body, unknown.body);
    }
  });

  it("HEAD stands for the head that the delegates agree on when it leads nowhere", async () => {
    const world = createWorld();
    const repository = createRepository(world.storage, { name: "shelf" });
    const head = putCommit(repository, { folder: FOLDER, message: "One\n" });
    const { get } = createTestApi({ api: "both" }, world);
    assert.equal((await get(`/repos/${repository.rid}/commits/HEAD`)).status, 404);
    publish(repository, ALICE_SEED, { master: head });
    assert.equal((await get(`/repos/${repository.rid}/commits/HEAD`)).body.commit.id, head);
  });

  it("gives archives their name", async () => {
    const { repository, first, second, get, move } = setUp();
    const path = `//raw/${repository.rid}`;
    repository.setRef("refs/heads/topic/one", first);
    const { status, headers } = await get(`${path}/topic%2Fone.tar`);
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-cache"]);
    assert.equal(headers.get("content-disposition"), 'attachment; filename="shelf-topic-one.tar"');
    const asked = { headers: { "if-none-match": (await get(`${path}/master.zip`)).headers.get("etag")! } };
    assert.equal((await get(`${path}/master.zip`, STRANGER, asked)).status, 304);
    move(second);
    assert.equal((await get(`${path}/master.zip`, STRANGER, asked)).status, 200);
    assert.equal((await get(`${path}/none.zip`)).status, 404);
  });
});
