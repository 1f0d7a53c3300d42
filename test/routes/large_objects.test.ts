/** Objects that are too large to be read: 413 for the request that names one, nothing lost of the others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_BLOB_BYTES, MAX_TREE_BYTES, OBJECT_LIMITS } from "../../src/git/objects.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createTestApi, type TestOptions } from "../support/api.ts";
import { ALICE_SEED, createWorld, publish, START_SECONDS } from "../support/world.ts";

const PERSON = "Mallory <m@example.org>";

/** A commit of a tree, its message filled up. */
function commitOf(repository: MemoryRepository, tree: Oid, parents: readonly Oid[], message: string): Oid {
  const lines = parents.map((parent) => `parent ${parent}\n`).join("");
  const time = `${PERSON} ${START_SECONDS + 10_000} +0000`;
  const text = `tree ${tree}\n${lines}author ${time}\ncommitter ${time}\n\n${message}`;
  return repository.put("commit", new TextEncoder().encode(text));
}

/** A world whose project has one more commit at its head. */
function worldWith(
  make: (repository: MemoryRepository, tip: Oid, tree: Oid) => Oid,
  options: TestOptions = {},
) {
  const world = createWorld();
  const repository = world.storage.repository(world.helloRid)!;
  const honest = world.commits.at(-1)!;
  const tree = new TextDecoder().decode(repository.object(honest)!.bytes).slice(5, 45) as Oid;
  const tip = make(repository, honest, tree);
  publish(repository, ALICE_SEED, { master: tip });
  repository.setRef("refs/heads/master", tip);
  const api = createTestApi(options, world);
  return { ...api, tip, honest, project: `/projects/${world.helloRid}` };
}

describe("a tree that is too large", () => {
  const world = () =>
    worldWith((repository, honest) => {
      const tree = new Uint8Array(MAX_TREE_BYTES + 1);
      return commitOf(repository, repository.put("tree", tree), [honest], "Large");
    });

  it("is 413 where it is asked for", async () => {
    const { get, project, tip } = world();
    const { status, body } = await get(`${project}/tree/${tip}/`);
    assert.deepEqual([status, body], [413, {
      error: `Tree is larger than ${MAX_TREE_BYTES} bytes`,
      code: 413,
    }]);
    assert.equal((await get(`${project}/commits/${tip}`)).status, 413);
    assert.equal((await get(`${project}/blob/${tip}/README`)).status, 413);
  });

  it("leaves the page of history as it is, without that diff", async () => {
    const { get, project, tip } = world();
    const { status, body } = await get(`${project}/commits`);
    assert.equal(status, 200);
    assert.equal(body.commits.length, 4);
    const one = body.commits.find(({ commit }: { commit: { id: string } }) => commit.id === tip);
    assert.deepEqual([one.commit.summary, one.diff], ["Large", null]);
    assert.notEqual(body.commits[1].diff ?? body.commits[0].diff, null);
  });
});

describe("a commit that is too large", () => {
  const world = () =>
    worldWith((repository, honest, tree) => {
      const large = commitOf(repository, tree, [honest], "x".repeat(OBJECT_LIMITS.commit));
      repository.setRef("refs/heads/large", large);
      return commitOf(repository, tree, [honest, large], "Merge");
    });

  it("is 413 where it is asked for, and damage of the history", async () => {
    const { get, project, tip } = world();
    const { status: history, body } = await get(`${project}/commits`);
    assert.deepEqual([history, body.error], [404, "Repository data is damaged"]);
    const merge = (await get(`${project}/commits/${tip}`)).body.commit;
    const [, large] = merge.parents;
    const { status, body: refused } = await get(`${project}/commits/${large}`);
    assert.deepEqual([status, refused.error], [413, `Commit is larger than ${OBJECT_LIMITS.commit} bytes`]);
    assert.equal((await get(`${project}/tree/${large}/`)).status, 413);
  });
});

describe("a large commit", () => {
  const message = "x".repeat(2 ** 20);

  for (const api of ["v1", "today"] as const) {
    it(`is read when the host has memory for it: ${api}`, async () => {
      const reserved: number[] = [];
      let hasRoom = true;
      const { get, project, tip, world } = worldWith(
        (repository, honest, tree) => commitOf(repository, tree, [honest], message),
        {
          api,
          answerRoom: {
            reserve(_request, bytes) {
              reserved.push(bytes);
              return Promise.resolve(hasRoom);
            },
          },
        },
      );
      const base = api === "v1" ? project : `/repos/${world.helloRid}`;
      const { body: { commit: shown } } = await get(`${base}/commits/${tip}`);
      assert.ok((shown.commit ?? shown).summary === message);
      await get(`${base}/commits?perPage=4`);
      assert.equal(reserved.length, 2);
      assert.ok(reserved.every((bytes) => bytes > message.length));
      hasRoom = false;
      const other = await get(`${base}/commits?perPage=3`);
      assert.deepEqual([other.status, other.headers.get("retry-after")], [503, "5"]);
      const small = await get(`${base}/commits?page=1&perPage=1`);
      assert.equal(small.status, 200);
    });
  }
});

describe("a file", () => {
  const world = (bytes: Uint8Array) =>
    worldWith((repository, honest) => {
      const file = repository.put("blob", bytes);
      const tree = new Uint8Array([...new TextEncoder().encode("100644 file\0"), ...oidToBytes(file)]);
      return commitOf(repository, repository.put("tree", tree), [honest], "File");
    });

  it("that is too large is 413", async () => {
    const { get, project, tip } = world(new Uint8Array(MAX_BLOB_BYTES + 1));
    assert.equal((await get(`${project}/blob/${tip}/file`)).status, 413);
    assert.equal((await get(`${project}/tree/${tip}/`)).status, 200);
  });

  for (
    const [what, bytes, content] of [
      ["text", new Uint8Array(3_000_000).fill(1), "\u0001".repeat(3_000_000)],
      ["no text", new Uint8Array(3_000_001).fill(0xff), `${"/".repeat(4_000_000)}/w==`],
    ] as const
  ) {
    it(`of megabytes is shown in full: ${what}`, async () => {
      const { get, project, tip } = world(bytes);
      const { status, body } = await get(`${project}/blob/${tip}/file`);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body), ["binary", "name", "content", "path", "lastCommit"]);
      assert.ok(body.content === content);
      assert.equal(body.lastCommit.id, tip);
    });
  }
});

describe("a commit message of megabytes", () => {
  it("is shown in full", async () => {
    const text = "\u0001".repeat(2_000_000);
    const { get, project, tip } = worldWith((repository, honest, tree) =>
      commitOf(repository, tree, [honest], `Summary\n\n${text}`)
    );
    for (const path of [`/commits/${tip}`, "/commits"]) {
      const { body } = await get(project + path);
      const { commit } = path === "/commits" ? body.commits[0] : body;
      assert.equal(commit.summary, "Summary");
      assert.ok(commit.description === text);
    }
    assert.ok((await get(`${project}/tree/${tip}/`)).body.lastCommit.description === text);
  });
});

describe("a history with a damaged commit", () => {
  for (const text of ["", "tree x", "tree TREE\nparent x\n", "author", `tree ${"x".repeat(1_000_000)}`]) {
    it(`is damaged, and its head is shown: ${JSON.stringify(text.slice(0, 20))}`, async () => {
      const { get, project, tip } = worldWith((repository, honest, tree) => {
        const damaged = repository.put("commit", new TextEncoder().encode(text.replace("TREE", tree)));
        return commitOf(repository, tree, [honest, damaged], "Merge");
      });
      const { status, body } = await get(`${project}/commits`);
      assert.deepEqual([status, body.error], [404, "Repository data is damaged"]);
      const { status: shown, body: { commit } } = await get(`${project}/commits/${tip}`);
      assert.deepEqual([shown, commit?.id], [200, tip]);
    });
  }
});
