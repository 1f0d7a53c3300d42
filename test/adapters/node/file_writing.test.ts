/** How files are written: on every runtime, as all of them share it. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { deflate } from "../../../adapters/node/zlib.ts";
import { inflate } from "../../../adapters/node/zlib.ts";
import { isWritableFileSystem, type NewFile, readOnlyFiles } from "../../../src/ports/file_system.ts";
import { WriteError } from "../../../src/ports/write_error.ts";
import { fileSystem } from "../../support/files.ts";
import { makeFolder, removeFolder } from "../../support/git.ts";

const LONG_AGO_SECONDS = 1_000_000_000;
const encode = (text: string) => new TextEncoder().encode(text);

describe("files that are written", () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  const text = (name: string) => readFileSync(path(name), "utf8");
  const denied = (error: unknown) => error instanceof WriteError && error.obstacle === "denied";

  beforeEach(() => {
    folder = makeFolder();
    writeFileSync(path("file"), "old");
    mkdirSync(path("directory"));
    mkdirSync(path("full"));
    writeFileSync(path("full/inside"), "");
    symlinkSync("nothing", path("dangling"));
  });
  afterEach(() => removeFolder(folder));

  function create(name: string, mode = 0o666): NewFile {
    const file = fileSystem.create(path(name), mode);
    assert.ok(typeof file === "object");
    return file;
  }

  it("are known to be", () => {
    assert.equal(isWritableFileSystem(fileSystem), true);
    assert.equal(isWritableFileSystem(readOnlyFiles(fileSystem)), false);
  });

  it("are made, filled piece by piece, and closed", async () => {
    const file = create("new");
    file.write(encode("one "));
    file.write(new Uint8Array());
    file.write(encode("two"));
    await file.sync();
    file.close();
    file.close();
    assert.equal(text("new"), "one two");
  });

  it("have the permissions that were asked for, less the process's mask", () => {
    for (const mode of [0o444, 0o600, 0o666]) {
      create(`mode ${mode}`, mode).close();
      assert.equal(statSync(path(`mode ${mode}`)).mode & 0o777, mode & ~process.umask());
    }
  });

  it("may be large", () => {
    const bytes = Uint8Array.from({ length: 5_000_000 }, (_, i) => i % 251);
    const file = create("large");
    file.write(bytes);
    file.close();
    assert.deepEqual(Uint8Array.from(readFileSync(path("large"))), bytes);
  });

  it("cannot be written once they are closed", async () => {
    const file = create("closed");
    file.close();
    assert.throws(() => file.write(encode("late")), TypeError);
    await assert.rejects(file.sync(), TypeError);
  });

  it("are not made where something is, or where there is no folder", () => {
    for (const name of ["file", "directory", "dangling"]) {
      assert.equal(fileSystem.create(path(name), 0o666), "exists");
    }
    for (const name of ["none/x", "file/x", "dangling/x"]) {
      assert.equal(fileSystem.create(path(name), 0o666), undefined);
    }
    assert.equal(text("file"), "old");
  });

  it("cannot have names that are too long", () => {
    const long = path("x".repeat(300));
    assert.throws(() => fileSystem.create(long, 0o666), denied);
    assert.throws(() => fileSystem.makeDirectory(long), denied);
    assert.throws(() => fileSystem.rename(path("file"), long), denied);
    assert.throws(() => fileSystem.link(path("file"), long), denied);
    assert.throws(() => fileSystem.renameToFree(path("file"), long), denied);
  });

  it("are in directories, which are made one at a time", () => {
    assert.equal(fileSystem.makeDirectory(path("new")), "made");
    assert.equal(statSync(path("new")).mode & 0o777, 0o777 & ~process.umask());
    for (const name of ["new", "file", "dangling"]) {
      assert.equal(fileSystem.makeDirectory(path(name)), "exists");
    }
    for (const name of ["none/x", "file/x"]) assert.equal(fileSystem.makeDirectory(path(name)), undefined);
  });

  it("get another file's name", () => {
    create("new").close();
    assert.equal(fileSystem.rename(path("new"), path("file")), true);
    assert.equal(text("file"), "");
    assert.equal(existsSync(path("new")), false);
  });

  it("cannot take the name of a directory, or a name in a missing directory", () => {
    for (const name of ["directory", "full", "none/x", "file/x"]) {
      assert.equal(fileSystem.rename(path("file"), path(name)), false, name);
    }
    assert.equal(fileSystem.rename(path("none"), path("new")), false);
    assert.equal(text("file"), "old");
  });

  it("get a second name, if it is free", () => {
    for (const name of ["file", "directory", "dangling"]) {
      assert.equal(fileSystem.link(path("file"), path(name)), "exists", name);
    }
    assert.equal(fileSystem.link(path("file"), path("none/x")), undefined);
    assert.equal(fileSystem.link(path("none"), path("second")), undefined);
    assert.equal(fileSystem.link(path("directory"), path("second")), "refused");
    assert.equal(fileSystem.stat(path("file"))?.links, 1);
    assert.equal(fileSystem.link(path("file"), path("second")), "made");
    assert.equal(fileSystem.stat(path("file"))?.links, 2);
    assert.deepEqual(fileSystem.stat(path("file")), fileSystem.stat(path("second")));
    assert.equal(fileSystem.remove(path("file")), true);
    assert.equal(text("second"), "old");
  });

  it("are locked one at a time", () => {
    const inside = () =>
      fileSystem.withFileLock(path("full/inside"), "exclusive", () => assert.fail("locked twice"));
    assert.deepEqual(fileSystem.withFileLock(path("full/inside"), "exclusive", inside), { value: "busy" });
    assert.equal(fileSystem.withFileLock(path("none"), "shared", inside), undefined);
  });

  it("get a free name only if it is free", () => {
    create("new").close();
    for (const name of ["file", "directory", "dangling", "none/x"]) {
      assert.equal(fileSystem.renameToFree(path("new"), path(name)), false, name);
    }
    assert.equal(text("file"), "old");
    assert.equal(fileSystem.renameToFree(path("none"), path("free")), false);
    assert.equal(fileSystem.renameToFree(path("file"), path("free")), true);
    assert.equal(text("free"), "old");
    assert.equal(existsSync(path("file")), false);
    assert.equal(statSync(path("free")).nlink, 1);
  });

  it("are removed, as are empty directories, but no full ones", () => {
    for (const name of ["file", "directory", "dangling"]) {
      assert.equal(fileSystem.remove(path(name)), true, name);
    }
    for (const name of ["file", "none/x", "full"]) assert.equal(fileSystem.remove(path(name)), false, name);
    assert.deepEqual(readdirSync(folder), ["full"]);
  });

  it("are stamped as changed now", () => {
    utimesSync(path("file"), LONG_AGO_SECONDS, LONG_AGO_SECONDS);
    const startMs = Date.now();
    assert.equal(fileSystem.touch(path("file")), true);
    assert.ok(Math.abs(statSync(path("file")).mtimeMs - startMs) < 60_000);
    assert.equal(fileSystem.touch(path("none")), false);
  });

  it("have their names on the disk when their directory is synchronised, should it still be there", async () => {
    await fileSystem.syncDirectory(folder);
    await fileSystem.syncDirectory(path("none"));
  });

  it("hold zlib streams that can be unpacked again", () => {
    for (const bytes of [new Uint8Array(), encode("hello\n"), new Uint8Array(100_000)]) {
      assert.deepEqual(inflate(deflate(bytes), bytes.length), bytes);
    }
  });
});
