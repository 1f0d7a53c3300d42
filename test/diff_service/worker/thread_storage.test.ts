/** A storage that is read from another thread. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  answerReads,
  isAboutReads,
  type ReadsMessage,
  ThreadStorage,
} from "../../../src/diff_service/worker/thread_storage.ts";
import { UnavailableError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { Repository, Storage } from "../../../src/ports/storage.ts";
import { createMemoryStorage } from "../../../src/storage/memory.ts";
import { blob } from "../../diff/trees.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji" as RepoId;
const ABSENT = "1".repeat(40) as Oid;

/** A storage, and the same one as a worker reads it. */
function connect(storage: Pick<Storage, "repository">) {
  const messages: ReadsMessage[] = [];
  const far = new ThreadStorage((message) => {
    messages.push(message);
    void answerReads(storage, structuredClone(message)).then(({ answer, transfer }) => {
      const moved = structuredClone(answer, { transfer });
      assert.ok(isAboutReads(moved));
      far.take(moved);
    });
  });
  return { far, messages };
}

describe("a storage that is read through another thread", () => {
  it("has the objects of that storage", async () => {
    const storage = createMemoryStorage();
    const repository = storage.create(RID);
    const oids = ["1\n", "22\n", "333\n"].map((text) => blob(repository, text));
    const { far } = connect(storage);
    const read = far.repository(RID);
    for (const oid of [...oids, ABSENT]) {
      assert.deepEqual(await read.header(oid), await repository.header(oid));
      assert.deepEqual(await read.object(oid), await repository.object(oid));
    }
    const mixed = [oids[2]!, ABSENT, oids[0]!];
    assert.deepEqual(await read.objects(mixed), await repository.objects(mixed));
    assert.equal((await read.objects(oids, { batchBytes: 3 })).length, 2);
    await assert.rejects(async () => await read.object(oids[2]!, { limitBytes: 2 }), {
      name: "TooLargeError",
    });
    // The bytes that were moved are copies.
    assert.deepEqual(await read.object(oids[0]!), await repository.object(oids[0]!));
  });

  it("sends the reads of a moment together", async () => {
    const storage = createMemoryStorage();
    const repository = storage.create(RID);
    const oids = ["a", "b", "c"].map((text) => blob(repository, text));
    const { far, messages } = connect(storage);
    const read = far.repository(RID);
    const [headers, objects] = await Promise.all([
      Promise.all(oids.map((oid) => read.header(oid))),
      read.objects(oids),
    ]);
    assert.deepEqual(headers.map((header) => header?.size), [1, 1, 1]);
    assert.equal(objects.length, 3);
    assert.equal(messages.length, 1);
  });

  it("gives large objects back when it has copied them", async () => {
    let released = 0;
    const bytes = new Uint8Array(10);
    const repository = {
      object: () => ({ kind: "blob", bytes: bytes.subarray(2, 5), release: () => released++ }),
    } as unknown as Repository;
    const { far } = connect({ repository: () => repository });
    const object = await far.repository(RID).object(ABSENT);
    assert.equal(object?.bytes.buffer.byteLength, 3);
    assert.equal(released, 1);
    assert.equal(bytes.length, 10);
  });

  it("reports failures as that storage does", async () => {
    const { far: empty } = connect(createMemoryStorage());
    await assert.rejects(async () => await empty.repository(RID).header(ABSENT), { name: "DamagedError" });
    const away = new UnavailableError("The bucket cannot be read now", { retryAfterSeconds: 5 });
    const { far } = connect({ repository: () => Promise.reject(away) });
    await assert.rejects(async () => await far.repository(RID).object(ABSENT), (error) => {
      assert.ok(error instanceof UnavailableError);
      assert.deepEqual([error.message, error.retryAfterSeconds], [
        away.message,
        5,
      ]);
      return true;
    });
  });
});
