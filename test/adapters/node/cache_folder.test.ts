/** The cache folder on the machine's files. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { createCacheFolder, MAX_CACHE_FILES, usualCachePath } from "../../../adapters/node/cache_folder.ts";
import { makeFolder, removeFolder } from "../../support/git.ts";

const root = makeFolder();
after(() => removeFolder(root));
let folders = 0;
const freshPath = () => join(root, `${folders++}`, "xylem");
const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value);
const isRoot = process.getuid?.() === 0;

describe("createCacheFolder", () => {
  it("stores bytes only for the owner", async () => {
    const path = freshPath();
    const folder = createCacheFolder(path);
    assert.equal(await folder.read("a.commits"), undefined);
    assert.ok(!existsSync(path));
    await folder.write("a.commits", bytes(3));
    assert.deepEqual(await folder.read("a.commits"), bytes(3));
    assert.deepEqual(await createCacheFolder(path).read("a.commits"), bytes(3));
    assert.equal(lstatSync(path).mode & 0o777, 0o700);
    assert.equal(lstatSync(join(path, readdirSync(path)[0]!)).mode & 0o777, 0o600);
  });

  it("closes a folder that another program has made", async () => {
    const path = freshPath();
    mkdirSync(join(path, "programs"), { recursive: true });
    chmodSync(path, 0o755);
    await createCacheFolder(path).write("a", bytes(3));
    assert.equal(lstatSync(path).mode & 0o777, 0o700);
    assert.equal(lstatSync(join(path, "..")).mode & 0o777, 0o777 & ~process.umask());
  });

  it("leaves a folder that users share as it is", async () => {
    const path = freshPath();
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o1777);
    await createCacheFolder(path).write("a", bytes(3));
    assert.equal(lstatSync(path).mode & 0o1777, 0o1777);
  });

  it("is made again after it was removed", async () => {
    const path = freshPath();
    const folder = createCacheFolder(path);
    await folder.write("a", bytes(3));
    rmSync(path, { recursive: true });
    assert.equal(await folder.read("a"), undefined);
    await folder.write("b", bytes(3));
    assert.deepEqual(await folder.read("b"), bytes(3));
    assert.equal(lstatSync(path).mode & 0o777, 0o700);
  });

  it("keeps short and long contents", async () => {
    const folder = createCacheFolder(freshPath());
    for (const length of [0, 1, 2 ** 18, 2 ** 18 + 1, 2 ** 20]) {
      await folder.write("a", bytes(length, 7));
      assert.deepEqual(await folder.read("a"), bytes(length, 7));
    }
  });

  it("replaces what was there, and leaves no drafts, even when several write at once", async () => {
    const path = freshPath();
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => createCacheFolder(path).write("a", bytes(100_000, i))),
    );
    const kept = await createCacheFolder(path).read("a");
    assert.deepEqual(kept, bytes(100_000, kept![0]));
    assert.equal(readdirSync(path).length, 1);
  });

  it("removes the oldest files first", async () => {
    const path = freshPath();
    const folder = createCacheFolder(path, 250);
    for (const [i, name] of ["a", "b", "c"].entries()) {
      await folder.write(name, bytes(100));
      const [file] = readdirSync(path).filter((entry) => entry.startsWith(name));
      utimesSync(join(path, file ?? ""), i, i);
    }
    await folder.write("d", bytes(100));
    assert.equal(await folder.read("a"), undefined);
    assert.equal(await folder.read("b"), undefined);
    assert.ok(await folder.read("c") && await folder.read("d"));
  });

  it("is checked as a whole from time to time, and then has no more than its bytes", async () => {
    const path = freshPath();
    const maxBytes = 3200;
    const folder = createCacheFolder(path, maxBytes);
    const sizeOf = (name: string) => name.startsWith("a") ? lstatSync(join(path, name)).size - 48 : 0;
    for (let i = 0; i < 200; i++) {
      await folder.write(`a${i}`, bytes(20));
      const total = readdirSync(path).reduce((sum, name) => sum + sizeOf(name), 0);
      assert.ok(total <= maxBytes, `${total} bytes after ${i}`);
      // A file that comes from elsewhere is seen with the next look.
      if (i === 100) writeFileSync(join(path, "strange.xylem"), bytes(maxBytes + 100));
    }
    assert.ok(!existsSync(join(path, "strange.xylem")));
    assert.ok(await folder.read("a199"));
    const left = readdirSync(path).length;
    assert.ok(left >= maxBytes * 15 / 16 / 20 - 1, `${left} files are left`);
  });

  it("has no more files than a check can read", async () => {
    const path = freshPath();
    const folder = createCacheFolder(path, MAX_CACHE_FILES * 2 ** 8);
    await folder.write("a", bytes(1));
    // Each counts as a part of the bytes, and a look is due after a part of these.
    mkdirSync(path, { recursive: true });
    for (let i = 0; i < MAX_CACHE_FILES; i++) writeFileSync(join(path, `b${i}.xylem`), "");
    for (let i = 0; i < MAX_CACHE_FILES / 16; i++) await folder.write(`c${i}`, bytes(1));
    const left = readdirSync(path).length;
    assert.ok(left <= MAX_CACHE_FILES, `${left} files are left`);
  });

  it("removes drafts of processes that ended, but nothing of others", async () => {
    const path = freshPath();
    mkdirSync(join(path, "programs"), { recursive: true });
    for (const name of ["a.1.xylem.tmp", "a.2.xylem.tmp", "notes.txt"]) writeFileSync(join(path, name), "x");
    const old = Date.now() / 1000 - 2 * 3600;
    for (const name of ["a.1.xylem.tmp", "notes.txt"]) utimesSync(join(path, name), old, old);
    await createCacheFolder(path, 0).write("a", bytes(3));
    assert.deepEqual(readdirSync(path).sort(), ["a.2.xylem.tmp", "notes.txt", "programs"]);
  });

  it("reads no links and no directories", async () => {
    const path = freshPath();
    const folder = createCacheFolder(path);
    await folder.write("a", bytes(3));
    const [file] = readdirSync(path);
    symlinkSync(join(path, file!), join(path, file!.replace("a", "b")));
    mkdirSync(join(path, file!.replace("a", "c")));
    assert.equal(await folder.read("b"), undefined);
    assert.equal(await folder.read("c"), undefined);
  });

  it("refuses names that lead elsewhere", async () => {
    const folder = createCacheFolder(freshPath());
    for (const name of ["", ".", "..", "../a", "a/b", ".a", "a\0"]) {
      await assert.rejects(async () => await folder.read(name), TypeError);
      await assert.rejects(async () => await folder.write(name, bytes(1)), TypeError);
    }
  });

  it("rejects when the folder cannot be written", { skip: isRoot && "root may write anywhere" }, async () => {
    const path = freshPath();
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o500);
    await assert.rejects(async () => await createCacheFolder(path).write("a", bytes(1)));
  });

  it("rejects when a file is in its place", async () => {
    const path = freshPath();
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "x");
    await assert.rejects(async () => await createCacheFolder(path).write("a", bytes(1)));
    assert.equal(await createCacheFolder(path).read("a"), undefined);
  });
});

describe("a file of a cache folder that is damaged", () => {
  const content = Uint8Array.from({ length: 1000 }, (_, i) => i & 255);
  const flipAt = (at: number) => (file: string) => {
    const bytes = readFileSync(file);
    bytes[at]! ^= 1;
    writeFileSync(file, bytes);
  };
  const DAMAGES: Readonly<Record<string, (file: string, other: string) => void>> = {
    "has a wrong bit in its content": flipAt(-1 + 48 + 500),
    "has a wrong bit in its digest": flipAt(20),
    "has another version": flipAt(7),
    "ends too early": (file) => truncateSync(file, 900),
    "ends within its seal": (file) => truncateSync(file, 10),
    "is empty": (file) => truncateSync(file, 0),
    "goes on": (file) => appendFileSync(file, "x"),
    "has no seal": (file) => writeFileSync(file, content),
    "is that of another name": (file, other) => copyFileSync(other, file),
    // More than a read could take into memory.
    "is huge": (file) => truncateSync(file, 2 ** 35),
    "is a link": (file, other) => (rmSync(file), symlinkSync(other, file)),
    "is a pipe": (file) => (rmSync(file), execFileSync("mkfifo", [file])),
    "is a folder": (file) => (rmSync(file), mkdirSync(file), writeFileSync(join(file, "x"), "x")),
  };
  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(`is not read when it ${name}, and is replaced`, async () => {
      const path = freshPath();
      const folder = createCacheFolder(path);
      await folder.write("a", content);
      await folder.write("other", content);
      const [file, other] = readdirSync(path).sort().map((name) => join(path, name)) as [string, string];
      damage(file, other);
      assert.equal(await folder.read("a"), undefined);
      assert.deepEqual(await folder.read("other"), content);
      await folder.write("a", content);
      assert.deepEqual(await folder.read("a"), content);
      assert.deepEqual(await folder.read("other"), content);
      assert.equal(readdirSync(path).length, 2);
    });
  }

  it("does not push out others when it is huge", async () => {
    const path = freshPath();
    // Each write is followed by a look at all files.
    const folder = createCacheFolder(path, 16 * content.length);
    await folder.write("a", content);
    await folder.write("huge", content);
    const [, file] = readdirSync(path).sort();
    truncateSync(join(path, file!), 2 ** 35);
    await folder.write("b", content);
    assert.deepEqual(await folder.read("a"), content);
    assert.ok(!existsSync(join(path, file!)));
  });
});

describe("usualCachePath", () => {
  const cases: [Record<string, string>, string | undefined][] = [
    [{ XDG_CACHE_HOME: "/x", HOME: "/h" }, "/x/xylem"],
    [{ XDG_CACHE_HOME: "relative", HOME: "/h" }, "/h/.cache/xylem"],
    [{ HOME: "/h" }, "/h/.cache/xylem"],
    [{}, undefined],
  ];
  for (const [variables, path] of cases) {
    it(`is ${path} for ${JSON.stringify(variables)}`, () => {
      assert.equal(usualCachePath((name) => variables[name]), path);
    });
  }
});
