/** What was found once of identities is not looked for again. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Task } from "../../../src/scheduling/task.ts";
import { cacheIdentities } from "../../../src/cob/identity/cached_identities.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { Ref, Repository } from "../../../src/ports/storage.ts";
import { createMemoryStorage } from "../../../src/storage/memory.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const COMMIT = "1".repeat(40) as Oid;
const ref = (name: string, target?: string): Ref =>
  target === undefined ? { name, oid: COMMIT } : { name, target };

/** A repository that hands out the same lists until it is told otherwise, and counts how often it is searched. */
function searched(version: number | undefined = 1) {
  const lists = new Map<string, Ref[]>();
  const state = { version, searches: 0 };
  const repository: Repository = {
    ...createMemoryStorage().create(RID),
    refs(prefix) {
      const list = lists.get(prefix) ?? [ref(`${prefix.replace("*", "n")}x`)];
      lists.set(prefix, list);
      return list;
    },
    objectsVersion: () => state.version!,
  };
  const find = cacheIdentities(() => {
    state.searches++;
    return Promise.resolve(COMMIT);
  });
  return { state, lists, find: () => find(repository, new Task()) };
}

describe("the identity of a repository without refs/rad/id", () => {
  it("is searched once while nothing changes", async () => {
    const { state, find } = searched();
    assert.deepEqual(await Promise.all([find(), find(), find()]), [COMMIT, COMMIT, COMMIT]);
    assert.equal(await find(), COMMIT);
    assert.equal(state.searches, 1);
  });

  it("is searched again when references or objects have changed", async () => {
    const { state, lists, find } = searched();
    await find();
    state.version = 2;
    await find();
    lists.delete("refs/namespaces/*/refs/rad/");
    await find();
    lists.delete("refs/namespaces/*/refs/cobs/xyz.radicle.id/");
    await find();
    assert.equal(state.searches, 4);
  });

  it("is searched each time if changes cannot be noticed", async () => {
    const { state, lists, find } = searched();
    lists.set("refs/namespaces/*/refs/rad/", [ref("refs/namespaces/n/refs/rad/id", "refs/heads/x")]);
    await find();
    await find();
    assert.equal(state.searches, 2);
  });
});
