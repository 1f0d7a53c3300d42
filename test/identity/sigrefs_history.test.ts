/** What is read of the history of signed references, and how far. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { encodeCommit, encodeTree } from "../../src/git/encode.ts";
import { createSigrefsHistory, readSigrefsTraits } from "../../src/identity/sigrefs_history.ts";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import { type Oid, oidFromBytes } from "../../src/ids/oid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { ALICE, putCommit } from "../support/world.ts";
import { changed, Namespace, TIME_SECONDS, ZERO } from "./namespace.ts";
import { Task } from "../../src/scheduling/task.ts";

describe("the history of signed references", () => {
  it("is read once", async () => {
    const namespace = await Namespace.create();
    const { repository, signer } = namespace;
    const history = createSigrefsHistory();
    const options = { nid: ALICE, signer, timeSeconds: TIME_SECONDS, generation: "2024", history } as const;
    let reads = 0;
    const counting = changed(repository, { object: (oid) => (reads++, repository.object(oid)) });
    for (let i = 0; i < 20; i++) {
      namespace.set("refs/heads/master", i % 2 ? namespace.one : namespace.two);
      await signRefs(counting, options);
    }
    reads = 0;
    namespace.set("refs/heads/master", namespace.two);
    await signRefs(counting, options);
    assert.ok(reads < 20, `${reads} objects read`);
  });

  for (const generation of ["2024", "newest"] as const) {
    it(`is known for what was signed a moment ago (${generation})`, async () => {
      const namespace = await Namespace.create();
      const { repository, signer } = namespace;
      const history = createSigrefsHistory();
      const options = { nid: ALICE, signer, timeSeconds: TIME_SECONDS, generation, history };
      const signed: Oid[] = [];
      for (const oid of [namespace.one, namespace.two, namespace.two]) {
        namespace.set("refs/heads/master", oid);
        signed.push(await signRefs(repository, options));
      }
      assert.equal(signed[2], signed[1]);
      assert.deepEqual(
        history.get(signed[1]!) ?? await readSigrefsTraits(repository, signed[1]!, history, new Task()),
        await readSigrefsTraits(repository, signed[1]!, createSigrefsHistory(), new Task()),
      );
    });
  }

  it("is missed when the last signed references are gone, however fresh the memory of them", async () => {
    const namespace = await Namespace.create();
    const { repository, signer } = namespace;
    const history = createSigrefsHistory();
    const options = { nid: ALICE, signer, timeSeconds: TIME_SECONDS, generation: "newest", history } as const;
    const last = await signRefs(repository, options);
    const without = changed(repository, {
      object: (oid) => oid === last ? undefined : repository.object(oid),
      header: (oid) => oid === last ? undefined : repository.header(oid),
    });
    namespace.set("refs/heads/master", namespace.two);
    await assert.rejects(signRefs(without, options), DamagedError);
  });

  it("is passed over where ancestors are missing", async () => {
    const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    const commit = putCommit(repository, {
      folder: { refs: "" },
      parents: [ZERO],
      message: "Update signed refs\n",
    });
    assert.deepEqual(await readSigrefsTraits(repository, commit, createSigrefsHistory(), new Task()), {
      hasRoot: false,
      isNewest: false,
    });
  });

  it("is not followed without end", async () => {
    const memory = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    const tree = memory.put("tree", encodeTree([]));
    let commits = 0;
    const endless = changed(memory, {
      object(oid: Oid) {
        if (oid === tree) return memory.object(oid);
        const bytes = new Uint8Array(20);
        new DataView(bytes.buffer).setUint32(0, ++commits);
        const parents = [oidFromBytes(bytes)];
        const author = { name: "a", email: "e" };
        return {
          kind: "commit",
          bytes: encodeCommit({ tree, parents, author, timeSeconds: 0, message: "" }),
        };
      },
    });
    await assert.rejects(readSigrefsTraits(endless, ZERO, createSigrefsHistory(), new Task()), DamagedError);
    assert.ok(commits <= 200_000, `${commits} commits read`);
  });
});
