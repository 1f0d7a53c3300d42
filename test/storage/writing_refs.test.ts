/** References on the disk, beside a git that changes them, packs them and holds their locks. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { hashObject } from "../../src/git/encode.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { WritableRepository } from "../../src/ports/storage.ts";
import { WriteError, type WriteObstacle } from "../../src/ports/write_error.ts";
import { fileSystem } from "../support/files.ts";
import { watchFiles, type WritingCall } from "../support/watched_files.ts";
import { WrittenHome } from "../support/written_home.ts";
import { blob, writeCommit } from "./writing_suite.ts";

const MAIN = "refs/heads/main";
const DEEP = "refs/heads/deep/er";

describe("references on the disk", () => {
  let home: WrittenHome;
  let repository: WritableRepository;
  let one: Oid;
  let two: Oid;

  beforeEach(async () => {
    home = new WrittenHome();
    repository = home.open();
    one = await writeCommit(repository, "One");
    two = await writeCommit(repository, "Two");
  });
  afterEach(() => {
    home.check();
    assert.deepEqual(home.leftovers().filter((name) => !name.includes("held")), []);
    home.remove();
  });

  const create = (name: string, target = repository) => target.updateRef(name, { from: undefined, to: one });
  const gitTarget = (name: string) => home.git.text(["rev-parse", "--verify", name]);
  const filesIn = (name: string) => readdirSync(join(home.path, name));
  const failsWith = (obstacle: WriteObstacle) => (error: unknown) =>
    error instanceof WriteError && error.obstacle === obstacle;

  it("are read by git", async () => {
    await create(DEEP);
    assert.equal(gitTarget(DEEP), one);
    assert.equal(readFileSync(join(home.path, DEEP), "latin1"), `${one}\n`);
    assert.equal(statSync(join(home.path, DEEP)).mode & 0o777, 0o666 & ~process.umask());
  });

  it("are changed when they are packed", async () => {
    await create(MAIN);
    home.git.run(["pack-refs", "--all", "--prune"]);
    assert.equal(existsSync(join(home.path, MAIN)), false);
    assert.equal(await create(MAIN), false);
    assert.equal(await repository.updateRef(MAIN, { from: one, to: two }), true);
    assert.equal(gitTarget(MAIN), two);
    assert.equal((await repository.ref(MAIN))?.oid, two);
  });

  it("are not made next to packed ones that need their names as folders", async () => {
    await create("refs/heads/a/b");
    await create("refs/heads/c");
    home.git.run(["pack-refs", "--all", "--prune"]);
    rmSync(join(home.path, "refs/heads/a"), { recursive: true, force: true });
    await assert.rejects(async () => await create("refs/heads/a"), failsWith("conflict"));
    await assert.rejects(async () => await create("refs/heads/c/d/e"), failsWith("conflict"));
    assert.deepEqual(filesIn("refs/heads"), []);
  });

  it("take the place of empty folders", async () => {
    mkdirSync(join(home.path, "refs/heads/a/b/c"), { recursive: true });
    mkdirSync(join(home.path, "refs/heads/a/d"));
    assert.equal(await create("refs/heads/a"), true);
    assert.equal(gitTarget("refs/heads/a"), one);
  });

  it("do not take the place of folders that hold files", async () => {
    mkdirSync(join(home.path, "refs/heads/a/b"), { recursive: true });
    writeFileSync(join(home.path, "refs/heads/a/b/held.lock"), "");
    await assert.rejects(async () => await create("refs/heads/a"), failsWith("conflict"));
    rmSync(join(home.path, "refs/heads/a/b/held.lock"));
  });

  it("leave no folders behind that were made for nothing", async () => {
    const files = watchFiles(fileSystem, ({ call, newPath }) => {
      if (call === "rename" && newPath?.endsWith(DEEP)) throw new WriteError("full", "No room");
    });
    await assert.rejects(async () => await create(DEEP, home.open({ fileSystem: files })), failsWith("full"));
    assert.deepEqual(filesIn("refs/heads"), []);
  });

  it("are made in folders that git removes meanwhile", async () => {
    let removals = 0;
    const files = watchFiles(fileSystem, ({ newPath = "" }) => {
      if (newPath.endsWith(".lock") && removals++ < 3) rmSync(dirname(newPath), { recursive: true });
    });
    assert.equal(await create(DEEP, home.open({ fileSystem: files })), true);
    assert.equal(gitTarget(DEEP), one);
  });

  it("are given up when their folders are always removed", async () => {
    let removals = 0;
    const files = watchFiles(fileSystem, ({ newPath = "" }) => {
      if (!newPath.endsWith(".lock")) return;
      rmSync(dirname(newPath), { recursive: true });
      removals++;
    });
    await assert.rejects(async () => await create(DEEP, home.open({ fileSystem: files })), failsWith("busy"));
    assert.ok(removals > 10 && removals < 1000, `${removals} attempts`);
  });

  it("are not reached through symbolic links", async () => {
    const elsewhere = join(home.root, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(home.path, "refs/heads/linked"));
    await assert.rejects(async () => await create("refs/heads/linked/main"), failsWith("conflict"));
    await assert.rejects(async () => await create("refs/heads/linked"), DamagedError);
    assert.deepEqual(readdirSync(elsewhere), []);
    rmSync(join(home.path, "refs/heads/linked"));
  });

  it("are not changed when their file is no reference", async () => {
    for (const text of ["", "nonsense\n", `${"1".repeat(39)}\n`]) {
      writeFileSync(join(home.path, MAIN), text);
      for (const from of [undefined, one]) {
        await assert.rejects(async () => await repository.updateRef(MAIN, { from, to: two }), DamagedError);
      }
      assert.equal(readFileSync(join(home.path, MAIN), "latin1"), text);
    }
    rmSync(join(home.path, MAIN));
  });

  it("refuse names that are too long for the disk", async () => {
    await assert.rejects(async () => await create(`refs/heads/${"x".repeat(300)}`), failsWith("denied"));
    await assert.rejects(async () => await create(`refs/heads/${"x".repeat(300)}/y`), failsWith("denied"));
  });

  it("have no reflog", async () => {
    await create(MAIN);
    assert.equal(existsSync(join(home.path, "logs")), false);
  });

  describe("under another process's lock", () => {
    const HELD = "refs/heads/held";
    let lock: string;

    beforeEach(async () => {
      await create(HELD);
      lock = join(home.path, HELD + ".lock");
      writeFileSync(lock, "");
    });

    it("are waited for", async () => {
      let pauses = 0;
      const patient = home.open({
        pause() {
          if (++pauses === 5) rmSync(lock);
          return Promise.resolve();
        },
      });
      assert.equal(await patient.updateRef(HELD, { from: one, to: two }), true);
      assert.equal(pauses, 5);
      assert.equal(gitTarget(HELD), two);
    });

    it("are checked again when the lock is free", async () => {
      const third = await writeCommit(repository, "Three");
      const patient = home.open({
        pause() {
          rmSync(lock);
          home.git.run(["update-ref", HELD, two]);
          return Promise.resolve();
        },
      });
      assert.equal(await patient.updateRef(HELD, { from: one, to: third }), false);
      assert.equal(gitTarget(HELD), two);
    });

    it("are given up after a while, the lock stays", async () => {
      let waitedMs = 0;
      let longestMs = 0;
      const patient = home.open({
        pause(ms) {
          waitedMs += ms;
          longestMs = Math.max(longestMs, ms);
          return Promise.resolve();
        },
      });
      await assert.rejects(
        async () => await patient.updateRef(HELD, { from: one, to: two }),
        (error) => failsWith("busy")(error) && String(error).includes(lock),
      );
      assert.ok(waitedMs >= 3000 && waitedMs < 9000, `waited ${waitedMs} ms`);
      assert.ok(longestMs <= 100, `paused for ${longestMs} ms`);
      assert.equal(existsSync(lock), true);
      assert.equal(gitTarget(HELD), one);
    });

    it("are not waited for when it would be in vain", async () => {
      const impatient = home.open({ pause: () => assert.fail("waited") });
      assert.equal(await impatient.updateRef(HELD, { from: two, to: one }), false);
    });

    it("do not keep others from being changed", async () => {
      const impatient = home.open({ pause: () => assert.fail("waited") });
      assert.equal(await create(MAIN, impatient), true);
    });
  });

  it("keep git out while they are changed, and let it in again", async () => {
    await create(MAIN);
    let refusals = 0;
    const files = watchFiles(fileSystem, ({ call }) => {
      if (call !== "rename") return;
      assert.throws(
        () => home.git.run(["update-ref", MAIN, one]),
        /Unable to create .*\.lock|unable to lock/i,
      );
      refusals++;
    });
    await home.open({ fileSystem: files }).updateRef(MAIN, { from: one, to: two });
    assert.equal(refusals, 1);
    home.git.run(["update-ref", MAIN, one, two]);
    assert.equal((await repository.ref(MAIN))?.oid, one);
  });

  it("are changed by git between the read and the lock, and then not by us", async () => {
    await create(MAIN);
    const third = await writeCommit(repository, "Three");
    const files = watchFiles(fileSystem, ({ newPath = "" }) => {
      if (newPath.endsWith(".lock")) home.git.run(["update-ref", MAIN, third]);
    });
    assert.equal(await home.open({ fileSystem: files }).updateRef(MAIN, { from: one, to: two }), false);
    assert.equal(gitTarget(MAIN), third);
  });

  it("have the objects that come with a change on the disk before they lead there", async () => {
    const tag = "refs/tags/one";
    const objects = [blob("one more\n"), blob("and one more\n")];
    const to = hashObject(objects[0]!.kind, objects[0]!.bytes);
    const calls: string[] = [];
    const files = watchFiles(fileSystem, ({ call, path, newPath = "" }) => {
      if (newPath.endsWith(tag)) calls.push("placed");
      else if (/objects\/[0-9a-f]{2}(\/|$)/.test(path) && call.startsWith("sync")) calls.push(call);
    });
    assert.equal(
      await home.open({ fileSystem: files }).updateRef(tag, { from: undefined, to, objects }),
      true,
    );
    assert.deepEqual(calls, ["sync", "sync", "syncDirectory", "syncDirectory", "placed"]);
    assert.equal(gitTarget(tag), to);
  });

  it("bring no objects when they have changed", async () => {
    await create(MAIN);
    const object = blob("not needed\n");
    const to = hashObject(object.kind, object.bytes);
    assert.equal(await repository.updateRef(MAIN, { from: two, to, objects: [object] }), false);
    assert.equal(await repository.header(to), undefined);
  });

  it("are on the disk before they have their names, and their names before the call ends", async () => {
    await create(MAIN);
    const calls: WritingCall[] = [];
    const files = watchFiles(fileSystem, (call) => void calls.push(call));
    await create("refs/heads/a/b/c", home.open({ fileSystem: files }));
    const steps = calls.map(({ call, path, newPath }) =>
      `${call} ${(newPath ?? path).slice(home.path.length + 1)}`
    )
      .map((step) => step.replace(/tmp_obj_\w+/, "DRAFT"));
    const fixed = [
      "create objects/DRAFT",
      "write objects/DRAFT",
      "sync objects/DRAFT",
      "makeDirectory refs/heads/a",
      "makeDirectory refs/heads/a/b",
      "link refs/heads/a/b/c.lock",
      "rename refs/heads/a/b/c",
      "remove refs/heads/a/b/c.lock",
      "remove objects/DRAFT",
    ];
    assert.deepEqual(steps.slice(0, fixed.length), fixed);
    assert.deepEqual(steps.slice(fixed.length).sort(), [
      "syncDirectory refs/heads",
      "syncDirectory refs/heads/a",
      "syncDirectory refs/heads/a/b",
    ]);
  });
});
