/** Locks of references that killed processes have left, beside those of living ones and of git. */
import assert from "node:assert/strict";
import { existsSync, linkSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { readOnlyFiles, type WritableFileSystem } from "../../src/ports/file_system.ts";
import type { WritableRepository } from "../../src/ports/storage.ts";
import { WriteError } from "../../src/ports/write_error.ts";
import { fileSystem } from "../support/files.ts";
import { watchFiles } from "../support/watched_files.ts";
import { startLocking } from "../support/writing_children.ts";
import { WrittenHome } from "../support/written_home.ts";
import { writeCommit } from "./writing_suite.ts";

const MAIN = "refs/heads/main";
/** The least time that a writer waits for a lock of another. */
const SOME_SECONDS_MS = 3000;
const HELD = "refs/namespaces/z6Mk/refs/heads/held";

describe("the lock of a reference", () => {
  let home: WrittenHome;
  let repository: WritableRepository;
  let one: Oid;
  let two: Oid;
  const path = (name: string) => join(home.path, name);
  const isLocked = (name: string) => existsSync(path(`${name}.lock`));
  const linksOf = (name: string) => statSync(path(name)).nlink;
  const create = (name: string, target = repository) => target.updateRef(name, { from: undefined, to: one });
  const isBusy = (error: unknown) => error instanceof WriteError && error.obstacle === "busy";

  beforeEach(async () => {
    home = new WrittenHome();
    repository = home.open({ pause: () => assert.fail("waited") });
    one = await writeCommit(repository, "One");
    two = await writeCommit(repository, "Two");
  });
  afterEach(() => {
    home.check();
    home.remove();
  });

  /** Has a process killed that holds a lock. */
  async function leaveLock(name: string): Promise<void> {
    const child = await startLocking(home.root, name, one);
    assert.equal(isLocked(name), true);
    await child.kill();
    assert.equal(isLocked(name), true);
  }

  /** Leaves a lock as a killed process does; a moment's work, and possible before there are folders. */
  function imitateLock(name: string): void {
    linkSync(path("xylem/mark"), path(`${name}.lock`));
  }

  /** A repository that waits for locks without taking any time, and how long it has waited. */
  function openPatient(options: { fileSystem?: WritableFileSystem } = {}) {
    const waited = { ms: 0 };
    const patient = home.open({
      ...options,
      pause(ms) {
        waited.ms += ms;
        return Promise.resolve();
      },
    });
    return { patient, waited };
  }

  describe("left by a killed process", () => {
    beforeEach(() => leaveLock(HELD));
    afterEach(() => assert.deepEqual(home.leftovers().filter((name) => name.endsWith(".lock")), []));

    it("does not keep the next write waiting", async () => {
      assert.equal(await create(HELD), true);
    });

    it("is removed by the next write to any reference", async () => {
      assert.equal(await create(MAIN), true);
      assert.equal(isLocked(HELD), false);
      home.git.run(["update-ref", HELD, one]);
    });

    it("is removed when a service starts, for the sake of git", async () => {
      assert.throws(() => home.git.run(["update-ref", HELD, one]), /lock/i);
      await home.storage().removeStaleLocks();
      home.git.run(["update-ref", HELD, one]);
    });

    it("can be one of several", async () => {
      imitateLock("refs/heads/a");
      imitateLock("refs/tags/b");
      assert.equal(linksOf("xylem/mark"), 4);
      assert.equal(await create(MAIN), true);
      assert.equal(linksOf("xylem/mark"), 1);
    });
  });

  it("of a living process is kept, and given back by it", async () => {
    const child = await startLocking(home.root, HELD, one);
    const { patient, waited } = openPatient();
    await assert.rejects(async () => await create(HELD, patient), isBusy);
    assert.ok(waited.ms >= SOME_SECONDS_MS && waited.ms < 3 * SOME_SECONDS_MS, `waited ${waited.ms} ms`);
    assert.equal(await create(MAIN), true);
    await home.storage().removeStaleLocks();
    assert.equal(isLocked(HELD), true);
    assert.equal(await child.finish(), 0);
    assert.equal((await repository.ref(HELD))?.oid, one);
    assert.equal(isLocked(HELD), false);
  });

  it("left by a killed process is kept while another process has one, and removed then", async () => {
    await create(MAIN);
    imitateLock("refs/heads/left");
    const child = await startLocking(home.root, HELD, one);
    assert.equal(isLocked("refs/heads/left"), false);
    imitateLock("refs/heads/left");
    assert.equal(await repository.updateRef(MAIN, { from: one, to: two }), true);
    assert.equal(isLocked("refs/heads/left"), true);
    const waiting = home.open({
      async pause() {
        await child.finish();
      },
    });
    assert.equal(await create("refs/heads/left", waiting), true);
  });

  it("of git stays, next to locks that are removed", async () => {
    await create(MAIN);
    writeFileSync(path(`${MAIN}.lock`), "");
    imitateLock("refs/heads/a");
    const { patient, waited } = openPatient();
    const change = async () => await patient.updateRef(MAIN, { from: one, to: two });
    await assert.rejects(change, isBusy);
    assert.ok(waited.ms >= SOME_SECONDS_MS);
    await home.storage().removeStaleLocks();
    assert.deepEqual(["refs/heads/a", MAIN].map(isLocked), [false, true]);
    rmSync(path(`${MAIN}.lock`));
    assert.equal(await change(), true);
  });

  it("is known by a mark of its own, which the first write makes", async () => {
    await create(MAIN);
    const names = ["mark", "mutex"];
    assert.deepEqual(readdirSync(path("xylem")).sort(), names);
    for (const name of names) {
      const { mode, size } = statSync(path(`xylem/${name}`));
      assert.deepEqual([mode & 0o777, size], [0o666 & ~process.umask(), 0]);
    }
    assert.equal(await repository.ref("xylem/mark"), undefined);
    assert.equal((await repository.refs("refs/")).length, 1);
    home.git.run(["gc", "--quiet", "--prune=now"]);
    assert.deepEqual(readdirSync(path("xylem")).sort(), names);
  });

  it("is made again with its mark if that is removed", async () => {
    await create(MAIN);
    rmSync(path("xylem"), { recursive: true });
    assert.equal(await repository.updateRef(MAIN, { from: one, to: two }), true);
    assert.equal(linksOf("xylem/mark"), 1);
  });

  it("is found next to a backup made of links, without reading anything twice", async () => {
    let lists = 0;
    const files = { ...fileSystem, list: (name: string) => (lists++, fileSystem.list(name)) };
    const listing = home.open({ fileSystem: files });
    await create("refs/heads/a");
    const copy = join(home.root, "backup");
    linkSync(path("xylem/mark"), copy);
    const countLists = async (name: string) => {
      lists = 0;
      assert.equal(await create(name, listing), true);
      return lists;
    };
    const [looking, usual] = [await countLists("refs/heads/b"), await countLists("refs/heads/c")];
    assert.ok(looking > usual, `${looking} lists, then ${usual}`);
    imitateLock("refs/heads/d");
    assert.equal(await create("refs/heads/d", listing), true);
    rmSync(copy);
    imitateLock("refs/heads/e");
    assert.equal(await create("refs/heads/e", openPatient({ fileSystem: files }).patient), true);
    assert.equal(linksOf("xylem/mark"), 1);
  });

  it("is found though another name of the mark has gone meanwhile", async () => {
    const { patient } = openPatient();
    await create("refs/heads/a", patient);
    const copy = join(home.root, "backup");
    linkSync(path("xylem/mark"), copy);
    await create("refs/heads/b", patient);
    rmSync(copy);
    imitateLock(MAIN);
    assert.equal(await create(MAIN, patient), true);
  });

  it("that cannot be removed does not block other references", async () => {
    await create("refs/heads/a");
    imitateLock("refs/heads/held");
    const files = watchFiles(fileSystem, ({ call, path }) => {
      if (call === "remove" && path.endsWith("held.lock")) throw new WriteError("denied", "Not yours");
    });
    assert.equal(await create(MAIN, home.open({ fileSystem: files })), true);
    rmSync(path("refs/heads/held.lock"));
  });

  for (
    const [obstacle, files] of Object.entries<Partial<WritableFileSystem>>({
      "locks no files": { withFileLock: () => undefined },
      "gives files no second names": { link: () => "refused" },
      "makes no new folders in a repository": {
        makeDirectory(path) {
          if (path.endsWith("/xylem")) throw new WriteError("denied", path);
          return fileSystem.makeDirectory(path);
        },
      },
    })
  ) {
    it(`is as of git where the machine ${obstacle}`, async () => {
      const plain = watchFiles({ ...fileSystem, ...files }, ({ call }) => {
        if (call === "rename") assert.equal(linksOf(`${MAIN}.lock`), 1);
      });
      const { patient, waited } = openPatient({ fileSystem: plain });
      assert.equal(await create(MAIN, patient), true);
      assert.equal(isLocked(MAIN), false);
      writeFileSync(path(`${MAIN}.lock`), "");
      await assert.rejects(async () => await patient.updateRef(MAIN, { from: one, to: two }), isBusy);
      assert.ok(waited.ms >= SOME_SECONDS_MS);
      assert.equal(isLocked(MAIN), true);
      rmSync(path(`${MAIN}.lock`));
    });
  }

  it("stays where nothing may be changed, without a word", async () => {
    await create(MAIN);
    imitateLock("refs/heads/held");
    const lockless: WritableFileSystem = { ...fileSystem, withFileLock: () => undefined };
    const log = () => assert.fail("logged");
    await home.storage({ fileSystem: readOnlyFiles(fileSystem), log }).removeStaleLocks();
    await home.storage({ fileSystem: lockless, log })
      .removeStaleLocks();
    await home.storage({ log }).removeStaleLocks(AbortSignal.abort());
    assert.equal(isLocked("refs/heads/held"), true);
    await home.storage({ log }).removeStaleLocks();
    assert.equal(isLocked("refs/heads/held"), false);
  });
});
