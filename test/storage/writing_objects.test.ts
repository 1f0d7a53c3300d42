/** Loose objects on the disk: as git writes them, each once, and never half of one. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { WritableRepository } from "../../src/ports/storage.ts";
import { WriteError } from "../../src/ports/write_error.ts";
import { DRAFT_PREFIX } from "../../src/storage/home/draft_file.ts";
import { MAX_BLOB_BYTES } from "../../src/git/objects.ts";
import { fileSystem } from "../support/files.ts";
import { GitRepository } from "../support/git.ts";
import { watchFiles, type WritingCall } from "../support/watched_files.ts";
import { WrittenHome } from "../support/written_home.ts";
import { blob } from "./writing_suite.ts";

const HELLO = "ce013625030ba8dba906f756967f9e9ca394464a" as Oid;
const LONG_AGO_SECONDS = 1_000_000_000;

describe("objects on the disk", () => {
  let home: WrittenHome;
  let repository: WritableRepository;

  beforeEach(() => {
    home = new WrittenHome();
    repository = home.open();
  });
  afterEach(() => home.remove());

  const pathOf = (oid: Oid) => join(home.path, "objects", oid.slice(0, 2), oid.slice(2));
  const looseCount = () => Number(home.git.text(["count-objects"]).split(" ")[0]);

  it("are read by git", async () => {
    const oids = await repository.writeObjects([blob("hello\n"), blob("other\n")]);
    for (const [i, text] of ["hello", "other"].entries()) {
      assert.equal(home.git.text(["cat-file", "blob", oids[i]!]), text);
    }
    home.check();
  });

  it("can be read by all users and written by none", async () => {
    await repository.writeObjects([blob("hello\n")]);
    assert.equal(statSync(pathOf(HELLO)).mode & 0o777, 0o444 & ~process.umask());
    assert.equal(statSync(dirname(pathOf(HELLO))).mode & 0o777, 0o777 & ~process.umask());
  });

  it("leave nothing else behind", async () => {
    await repository.writeObjects([blob("hello\n")]);
    assert.deepEqual(home.leftovers(), []);
    assert.deepEqual(readdirSync(dirname(pathOf(HELLO))), [HELLO.slice(2)]);
  });

  it("are not written again, but count as new for git gc", async () => {
    await repository.writeObjects([blob("hello\n")]);
    utimesSync(pathOf(HELLO), LONG_AGO_SECONDS, LONG_AGO_SECONDS);
    const before = statSync(pathOf(HELLO));
    await repository.writeObjects([blob("hello\n")]);
    const after = statSync(pathOf(HELLO));
    assert.equal(after.ino, before.ino);
    assert.ok(after.mtimeMs > before.mtimeMs);
  });

  it("are not written when they are in a pack", async () => {
    home.git.put("blob", "hello\n");
    home.git.run(["update-ref", "refs/tags/hello", HELLO]);
    home.git.run(["repack", "-a", "-d", "-q"]);
    assert.equal(looseCount(), 0);
    const packs = join(home.path, "objects", "pack");
    const pack = join(packs, readdirSync(packs).find((name) => name.endsWith(".pack"))!);
    utimesSync(pack, LONG_AGO_SECONDS, LONG_AGO_SECONDS);
    assert.deepEqual(await repository.writeObjects([blob("hello\n")]), [HELLO]);
    assert.equal(looseCount(), 0);
    assert.ok(statSync(pack).mtimeMs > LONG_AGO_SECONDS * 1000, "the pack counts as new");
  });

  it("are not written when they are borrowed", async () => {
    const lender = GitRepository.create(join(home.root, "lender"));
    lender.put("blob", "hello\n");
    writeFileSync(join(home.path, "objects", "info", "alternates"), join(lender.path, "objects") + "\n");
    assert.deepEqual(await home.open().writeObjects([blob("hello\n")]), [HELLO]);
    assert.equal(looseCount(), 0);
  });

  it("are written when they are borrowed from where they cannot be kept", async () => {
    const lender = GitRepository.create(join(home.root, "lender"));
    lender.put("blob", "hello\n");
    writeFileSync(join(home.path, "objects", "info", "alternates"), join(lender.path, "objects") + "\n");
    const files = { ...fileSystem, touch: () => false };
    await home.open({ fileSystem: files }).writeObjects([blob("hello\n")]);
    assert.equal(looseCount(), 1);
  });

  it("that others write at the same moment stay as they are", async () => {
    const files = watchFiles(fileSystem, ({ call }) => {
      if (call === "renameToFree") home.git.put("blob", "hello\n");
    });
    await home.open({ fileSystem: files }).writeObjects([blob("hello\n")]);
    assert.deepEqual(readdirSync(dirname(pathOf(HELLO))), [HELLO.slice(2)]);
    home.check();
  });

  it("are refused when what is stored under their id is damaged", async () => {
    mkdirSync(dirname(pathOf(HELLO)));
    writeFileSync(pathOf(HELLO), "");
    await assert.rejects(async () => await repository.writeObjects([blob("hello\n")]), DamagedError);
  });

  it("are refused when they could not be read again", async () => {
    const bytes = { length: MAX_BLOB_BYTES + 1 } as Uint8Array;
    await assert.rejects(async () => await repository.writeObjects([{ kind: "blob", bytes }]), RangeError);
  });

  it("are written though git gc removes their folder or their file in the making", async () => {
    let removals = 0;
    const files = watchFiles(fileSystem, ({ call, path }) => {
      if (removals >= 2) return;
      if (call === "create" || call === "renameToFree") {
        rmSync(dirname(path), { recursive: true, force: true });
        removals++;
      }
    });
    assert.deepEqual(await home.open({ fileSystem: files }).writeObjects([blob("hello\n")]), [HELLO]);
    assert.equal(home.git.text(["cat-file", "blob", HELLO]), "hello");
    assert.equal(removals, 2);
    assert.deepEqual(home.leftovers(), []);
  });

  it("are given up when they are removed again and again", async () => {
    let creations = 0;
    const files = watchFiles(fileSystem, ({ call, path }) => {
      if (call === "create") creations++;
      if (call === "renameToFree") rmSync(path);
    });
    await assert.rejects(
      async () => await home.open({ fileSystem: files }).writeObjects([blob("hello\n")]),
      (error) => error instanceof WriteError && error.obstacle === "busy",
    );
    assert.ok(creations > 1 && creations < 100, `${creations} attempts`);
  });

  it("are given up when every name for a file in the making is taken", async () => {
    let names = 0;
    const files = { ...fileSystem, create: () => (names++, "exists" as const) };
    await assert.rejects(
      async () => await home.open({ fileSystem: files }).writeObjects([blob("hello\n")]),
      (error) => error instanceof WriteError && error.obstacle === "busy",
    );
    assert.ok(names > 1 && names < 100, `${names} names`);
  });

  it("are on the disk before they have their names, and their names before the call ends", async () => {
    const calls: WritingCall[] = [];
    const files = watchFiles(fileSystem, (call) => void calls.push(call));
    const objects = Array.from({ length: 100 }, (_, i) => blob(`number ${i}`));
    await home.open({ fileSystem: files }).writeObjects(objects);

    const after = (at: number, call: WritingCall["call"], path: string) =>
      calls.findIndex((other, i) => i > at && other.call === call && other.path === path);
    let named = 0;
    for (const [at, { call, path, newPath }] of calls.entries()) {
      if (call === "makeDirectory") assert.ok(after(at, "syncDirectory", dirname(path)) > at, path);
      if (call !== "renameToFree") continue;
      named++;
      const sync = calls.findIndex((other) => other.call === "sync" && other.path === path);
      const write = calls.findLastIndex((other) => other.call === "write" && other.path === path);
      assert.ok(write >= 0 && write < sync && sync < at, path);
      assert.ok(after(at, "syncDirectory", dirname(newPath!)) > at, newPath ?? "");
    }
    assert.equal(named, objects.length);
    const synced = calls.filter(({ call }) => call === "syncDirectory").map(({ path }) => path);
    assert.equal(new Set(synced).size, synced.length);
  });

  it("are open only so many at once", async () => {
    let open = 0;
    let most = 0;
    const files = {
      ...fileSystem,
      create(path: string, mode: number) {
        const file = fileSystem.create(path, mode);
        if (typeof file !== "object") return file;
        most = Math.max(most, ++open);
        let isOpen = true;
        return {
          write: (bytes: Uint8Array) => file.write(bytes),
          sync: () => file.sync(),
          close() {
            if (isOpen) open--;
            isOpen = false;
            file.close();
          },
        };
      },
    };
    const objects = Array.from({ length: 301 }, (_, i) => blob(`number ${i}`));
    await home.open({ fileSystem: files }).writeObjects(objects);
    assert.ok(most > 1 && most < 100, `${most} open`);
    assert.equal(open, 0);
  });

  it("in the making are removed by git gc when a crash has left them", async () => {
    const [oid] = await repository.writeObjects([blob("hello\n")]);
    const left = [
      join(dirname(pathOf(oid!)), DRAFT_PREFIX + "1"),
      join(home.path, "objects", DRAFT_PREFIX + "2"),
    ];
    for (const path of left) {
      writeFileSync(path, "half");
      utimesSync(path, LONG_AGO_SECONDS, LONG_AGO_SECONDS);
    }
    home.check();
    assert.equal(home.leftovers().length, 2);
    home.git.run(["prune", "--expire=1.hour.ago"]);
    assert.deepEqual(home.leftovers(), []);
  });
});
