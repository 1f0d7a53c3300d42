/** A disk that fails at any moment: nothing is left behind, nothing is half done, and the next attempt succeeds. */
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import type { WritableRepository } from "../../src/ports/storage.ts";
import { WriteError, type WriteObstacle } from "../../src/ports/write_error.ts";
import { fileSystem } from "../support/files.ts";
import { signerOf } from "../support/keys.ts";
import { watchFiles } from "../support/watched_files.ts";
import { ALICE, ALICE_SEED } from "../support/world.ts";
import { WrittenHome } from "../support/written_home.ts";
import { blob, writeCommit } from "./writing_suite.ts";

const MAIN = `refs/namespaces/${ALICE}/refs/heads/main`;
const SIGREFS = `refs/namespaces/${ALICE}/refs/rad/sigrefs`;
/** More calls than any change makes, so that a loop over them ends. */
const MAX_CALLS = 1000;

describe("a disk that fails", () => {
  let home: WrittenHome;
  let sound: WritableRepository;
  let first: Oid;
  let second: Oid;
  let signer: Signer;

  beforeEach(async () => {
    home = new WrittenHome();
    sound = home.open();
    first = await writeCommit(sound, "First");
    second = await writeCommit(sound, "Second");
    await sound.updateRef(MAIN, { from: undefined, to: first });
    signer = await signerOf(ALICE_SEED);
  });
  afterEach(() => home.remove());

  const target = async (name: string) => (await sound.ref(name))?.oid;
  const failing = (obstacle: WriteObstacle) => (error: unknown) =>
    error instanceof WriteError && error.obstacle === obstacle;

  /** Runs a change as often as it makes calls, each time with a failure of another one; `check` judges what is there then. */
  async function failEverywhere(
    obstacle: WriteObstacle,
    change: (repository: WritableRepository, attempt: number) => Promise<unknown>,
    check: (isNamed: boolean) => Promise<void>,
  ): Promise<number> {
    for (let position = 0; position < MAX_CALLS; position++) {
      let calls = 0;
      let isNamed = false;
      const files = watchFiles(fileSystem, ({ call }) => {
        if (call === "rename") isNamed ||= calls !== position;
        // What cannot be removed stays; a file that cannot be stamped is still there.
        if (call === "remove" || call === "touch") return;
        if (calls++ === position) throw new WriteError(obstacle, `The ${call} fails`);
      });
      const attempt = change(home.open({ fileSystem: files }), position);
      if (await attempt.then(() => true, (error) => assert.ok(failing(obstacle)(error), error))) {
        return position;
      }
      assert.deepEqual(home.leftovers(), []);
      await check(isNamed);
    }
    assert.fail("The change never succeeds");
  }

  for (const obstacle of ["full", "denied"] as const) {
    it(`leaves whole objects or no objects (${obstacle})`, async () => {
      const texts = (attempt: number) =>
        Array.from({ length: 3 }, (_, i) => blob(`${obstacle} ${attempt} ${i}`));
      const calls = await failEverywhere(
        obstacle,
        (repository, attempt) => Promise.resolve(repository.writeObjects(texts(attempt))),
        () => Promise.resolve(home.check()),
      );
      assert.ok(calls >= 12, `${calls} calls`);
    });

    it(`leaves a reference as it was, or as it shall be (${obstacle})`, async () => {
      const calls = await failEverywhere(
        obstacle,
        async (repository) => assert.ok(await repository.updateRef(MAIN, { from: first, to: second })),
        async (isNamed) => {
          assert.equal(await target(MAIN), isNamed ? second : first);
          if (isNamed) await sound.updateRef(MAIN, { from: second, to: first });
        },
      );
      assert.ok(calls >= 5, `${calls} calls`);
      assert.equal(await target(MAIN), second);
    });

    it(`leaves signed references that verify, or none (${obstacle})`, async () => {
      await failEverywhere(
        obstacle,
        (repository) =>
          signRefs(repository, { nid: ALICE, signer, timeSeconds: 1671125284, generation: "2024" }),
        async (isNamed) => {
          assert.equal(await target(SIGREFS) !== undefined, isNamed);
          if (isNamed) home.git.run(["update-ref", "-d", SIGREFS]);
        },
      );
      home.check();
    });
  }

  it(
    "is reported to writers where only reading is allowed",
    { skip: process.getuid?.() === 0 },
    async () => {
      const folders = ["objects", "refs/namespaces", "refs/heads"].map((name) => join(home.path, name));
      for (const folder of folders) chmodSync(folder, 0o555);
      try {
        await assert.rejects(async () => await sound.writeObjects([blob("denied")]), failing("denied"));
        await assert.rejects(
          async () => await sound.updateRef("refs/heads/x", { from: undefined, to: first }),
          failing("denied"),
        );
      } finally {
        for (const folder of folders) chmodSync(folder, 0o755);
      }
    },
  );
});
