/** The storage in memory. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { EMPTY_RID, RID, testStorage } from "./suite.ts";

testStorage("createMemoryStorage", ({ objects, refs }) => {
  const storage = createMemoryStorage();
  const repository = storage.create(RID);
  storage.create(EMPTY_RID);
  for (const { oid, kind, content } of objects) {
    assert.equal(repository.put(kind, new TextEncoder().encode(content)), oid);
  }
  for (const [name, value] of Object.entries(refs)) {
    if (value.startsWith("ref: ")) repository.setSymbolicRef(name, value.slice("ref: ".length));
    else repository.setRef(name, value as Oid);
  }
  return { storage };
});

describe("a repository in memory", () => {
  const OID = "ce013625030ba8dba906f756967f9e9ca394464a" as Oid;

  it("is made once", () => {
    const storage = createMemoryStorage();
    assert.equal(storage.create(RID), storage.create(RID));
    assert.equal(storage.repository(RID), storage.create(RID));
  });

  it("is gone when deleted", () => {
    const storage = createMemoryStorage();
    storage.create(RID);
    storage.delete(RID);
    storage.delete(EMPTY_RID);
    assert.equal(storage.repository(RID), undefined);
    assert.deepEqual(storage.repositoryIds(), []);
  });

  it("keeps its own copy of an object's content", () => {
    const repository = createMemoryStorage().create(RID);
    const bytes = new TextEncoder().encode("hello\n");
    repository.put("blob", bytes);
    bytes.fill(0);
    assert.deepEqual(repository.object(OID)?.bytes, new TextEncoder().encode("hello\n"));
  });

  it("shows the present state of a reference", () => {
    const repository = createMemoryStorage().create(RID);
    repository.setRef("refs/heads/main", OID);
    repository.setSymbolicRef("refs/heads/main", "refs/heads/other");
    assert.deepEqual(repository.ref("refs/heads/main"), {
      name: "refs/heads/main",
      target: "refs/heads/other",
    });
    repository.deleteRef("refs/heads/main");
    repository.deleteRef("refs/heads/main");
    assert.equal(repository.ref("refs/heads/main"), undefined);
    assert.deepEqual(repository.refs("refs/"), []);
  });

  it("refuses names that no reference can have", () => {
    const repository = createMemoryStorage().create(RID);
    for (const name of ["", "main", "refs/heads/a b", "refs/heads/", "refs/../x", "refs/heads/x.lock"]) {
      assert.throws(() => repository.setRef(name, OID), TypeError, name);
      assert.throws(() => repository.setSymbolicRef(name, "refs/heads/main"), TypeError, name);
    }
    assert.throws(() => repository.setSymbolicRef("HEAD", "refs/heads/a b"), TypeError);
  });
});
