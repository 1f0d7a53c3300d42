/** Identity documents that are too large, or cannot be read: nobody pays for them twice. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError, TooLargeError } from "../../src/errors.ts";
import { MAX_DOC_BYTES, parseDocJson } from "../../src/identity/doc_json.ts";
import { Task } from "../../src/scheduling/task.ts";
import { Identities } from "../../src/identity/identity.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";

const find = () => Promise.resolve(undefined);

/** A repository with that document, which counts the objects that are read. */
function repositoryWith(doc: string) {
  const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
  const identity = putCommit(repository, { folder: { embeds: { "radicle.json": doc } }, message: "Doc" });
  repository.setRef("refs/rad/id", identity);
  const counted = { reads: 0 };
  const object: Repository["object"] = (oid: Oid, limits) => {
    counted.reads++;
    return repository.object(oid, limits);
  };
  return { repository: { ...repository, object }, counted };
}

describe("an identity document", () => {
  it("is not read when it is too large", async () => {
    const { repository } = repositoryWith(" ".repeat(MAX_DOC_BYTES + 1));
    await assert.rejects(() => new Identities(find).doc(repository, new Task()), TooLargeError);
    assert.throws(() => parseDocJson(new Uint8Array(MAX_DOC_BYTES + 1)), DamagedError);
  });

  it("that cannot be read is not read again", async () => {
    for (const doc of ["{", "[1]", "{}", " ".repeat(MAX_DOC_BYTES)]) {
      const { repository, counted } = repositoryWith(doc);
      const identities = new Identities(find);
      await assert.rejects(() => identities.doc(repository, new Task()), DamagedError);
      const { reads } = counted;
      await assert.rejects(() => identities.doc(repository, new Task()), DamagedError);
      assert.equal(counted.reads, reads);
    }
  });

  it("that is missing is searched again", async () => {
    const { repository } = repositoryWith("{}");
    repository.setRef("refs/rad/id", "1".repeat(40) as Oid);
    const identities = new Identities(find);
    await assert.rejects(() => identities.doc(repository, new Task()), DamagedError);
    await assert.rejects(() => identities.doc(repository, new Task()), /is not a commit/);
  });
});
