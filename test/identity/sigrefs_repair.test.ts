/** Signing where something is wrong, or where others sign at the same time. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { DamagedError, UnauthorizedError } from "../../src/errors.ts";
import { createSigrefsCache, SigrefsReader } from "../../src/identity/sigrefs.ts";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import type { RefChange } from "../../src/ports/storage.ts";
import { WriteError } from "../../src/ports/write_error.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { signerOf } from "../support/keys.ts";
import { ALICE, BOB_SEED, putBlob, putCommit } from "../support/world.ts";
import { changed, fullName, Namespace, TIME_SECONDS, ZERO } from "./namespace.ts";
import { Task } from "../../src/scheduling/task.ts";

describe("signRefs", () => {
  let namespace: Namespace;
  let repository: MemoryRepository;
  let identity: Oid;
  let one: Oid;
  let two: Oid;

  beforeEach(async () => {
    namespace = await Namespace.create();
    ({ repository, identity, one, two } = namespace);
  });

  const set = (name: string, oid: Oid) => namespace.set(name, oid);
  const sign = (...how: Parameters<Namespace["sign"]>) => namespace.sign(...how);

  for (const generation of ["2024", "0.10", "newest"] as const) {
    it(`replaces signed references that do not verify (${generation})`, async () => {
      const text = await namespace.text(await sign(generation));
      const forged = await namespace.putSigned(text, [namespace.tip()!], new Uint8Array(64));
      const healed = await sign(generation);
      assert.deepEqual(namespace.parents(healed), [forged]);
      await new SigrefsReader(
        repository,
        createSigrefsCache(undefined, { generation: () => generation }),
        new Task(),
      ).read(ALICE);
    });

    it(`replaces what cannot be read as signed references (${generation})`, async () => {
      for (
        const folder of [{}, { refs: "no lines" }, { refs: "", signature: "short" }, {
          refs: {},
          signature: {},
        }]
      ) {
        const parent = putCommit(repository, { folder, message: "Update signed refs\n" });
        set("refs/rad/sigrefs", parent);
        const healed = await sign(generation);
        assert.deepEqual(namespace.parents(healed), [parent]);
        await new SigrefsReader(
          repository,
          createSigrefsCache(undefined, { generation: () => generation }),
          new Task(),
        ).read(ALICE);
      }
    });
  }

  it("replaces a line that names the wrong parent", async () => {
    const first = await sign("newest");
    const wrong = await namespace.putSigned(
      `${one} refs/heads/master\n${identity} refs/rad/root\n${one} refs/rad/sigrefs-parent\n`,
      [first],
    );
    const healed = await sign("newest");
    assert.match(await namespace.text(healed), new RegExp(`^${wrong} refs/rad/sigrefs-parent$`, "m"));
  });

  it("signs again, on top, when another process has signed meanwhile", async () => {
    await sign("newest");
    set("refs/heads/master", two);
    let other: Oid | undefined;
    const raced = changed(repository, {
      async updateRef(name: string, change: RefChange) {
        if (other === undefined) {
          other = await sign("newest");
          set("refs/heads/other", one);
        }
        return repository.updateRef(name, change);
      },
    });
    const signed = await sign("newest", raced);
    assert.equal(
      await namespace.text(signed),
      `${two} refs/heads/master\n${one} refs/heads/other\n${identity} refs/rad/root\n${other} refs/rad/sigrefs-parent\n`,
    );
  });

  it("signs nothing when another process has signed the same meanwhile", async () => {
    let other: Oid | undefined;
    const raced = changed(repository, {
      async updateRef(name: string, change: RefChange) {
        other ??= await sign("2024");
        return repository.updateRef(name, change);
      },
    });
    assert.equal(await sign("2024", raced, TIME_SECONDS + 1), other);
  });

  it("gives up when others sign all the time", async () => {
    let attempts = 0;
    const lost = changed(repository, { updateRef: () => (attempts++, false) });
    await assert.rejects(
      sign("2024", lost),
      (error) => error instanceof WriteError && error.obstacle === "busy",
    );
    assert.ok(attempts > 5 && attempts < 100, `${attempts} attempts`);
  });

  it("writes no signature that does not verify", async () => {
    const bob = await signerOf(BOB_SEED);
    const broken: Signer[] = [
      { nodeId: ALICE, sign: (message) => bob.sign(message) },
      { nodeId: ALICE, sign: () => Promise.resolve(new Uint8Array(64)) },
      { nodeId: ALICE, sign: () => Promise.resolve(new Uint8Array()) },
    ];
    for (const signer of broken) {
      await assert.rejects(
        signRefs(repository, { nid: ALICE, signer, timeSeconds: TIME_SECONDS, generation: "newest" }),
        (error) => error instanceof UnauthorizedError,
      );
    }
    assert.equal(namespace.tip(), undefined);
  });

  it("takes no other node's key", async () => {
    const signer = await signerOf(BOB_SEED);
    await assert.rejects(
      signRefs(repository, { nid: ALICE, signer, timeSeconds: TIME_SECONDS, generation: "2024" }),
      TypeError,
    );
  });

  it("refuses to build on signed references that are missing", async () => {
    for (const oid of [ZERO, putBlob(repository, "no commit")]) {
      set("refs/rad/sigrefs", oid);
      for (const generation of ["2024", "newest"] as const) {
        await assert.rejects(sign(generation), DamagedError);
      }
    }
    repository.setSymbolicRef(fullName(ALICE, "refs/rad/sigrefs"), fullName(ALICE, "refs/heads/master"));
    await assert.rejects(sign("2024"), DamagedError);
  });
});
