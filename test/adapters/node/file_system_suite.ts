/** What the file system of every runtime must do, on real files. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import type { FileSystem } from "../../../src/ports/file_system.ts";
import { makeFolder, removeFolder } from "../../support/git.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Runs the suite, unless this runtime is not the file system's own. */
export function testFileSystem(name: string, fileSystem: FileSystem, { skip = false } = {}): void {
  describe(name, { skip }, () => {
    let folder: string;
    const path = (name: string) => join(folder, name);

    before(() => {
      folder = makeFolder();
      writeFileSync(path("file"), "0123456789");
      writeFileSync(path("empty"), "");
      mkdirSync(path("directory"));
      writeFileSync(path("directory/inside ü"), "");
      symlinkSync("file", path("link"));
      symlinkSync("directory", path("link to directory"));
      symlinkSync("nothing", path("dangling"));
      symlinkSync("loop", path("loop"));
      execFileSync("mkfifo", [path("pipe")]);
    });
    after(() => removeFolder(folder));

    /** Paths at which there is no file to be had. */
    const absent = [
      "nothing",
      "nothing/more",
      "file/more",
      "dangling",
      "loop",
      "loop/more",
      "x".repeat(300),
      "y/".repeat(3000),
    ];

    it("reads whole files, also through links", () => {
      assert.deepEqual(fileSystem.read(path("file")), encode("0123456789"));
      assert.deepEqual(fileSystem.read(path("link")), encode("0123456789"));
      assert.deepEqual(fileSystem.read(path("empty")), new Uint8Array());
    });

    it("gives plain bytes in memory of their own", () => {
      const bytes = fileSystem.read(path("file"))!;
      assert.equal(Object.getPrototypeOf(bytes), Uint8Array.prototype);
      assert.equal(bytes.buffer.byteLength, 10);
    });

    it("lists names with their kinds, links not followed", () => {
      const kinds = Object.fromEntries(fileSystem.list(folder)!.map(({ name, kind }) => [name, kind]));
      assert.deepEqual(kinds, {
        "file": "file",
        "empty": "file",
        "directory": "directory",
        "link": "link",
        "link to directory": "link",
        "dangling": "link",
        "loop": "link",
        "pipe": "other",
      });
      assert.deepEqual(fileSystem.list(path("directory")), [{ name: "inside ü", kind: "file" }]);
    });

    it("returns kind and size without following links", () => {
      const tell = (name: string) => fileSystem.stat(path(name))?.kind;
      assert.deepEqual(["file", "directory", "link", "pipe"].map(tell), [
        "file",
        "directory",
        "link",
        "other",
      ]);
      assert.equal(fileSystem.stat(path("file"))?.size, 10);
    });

    it("returns when a file was changed, and whether it is another one", () => {
      writeFileSync(path("a"), "a");
      writeFileSync(path("b"), "b");
      utimesSync(path("a"), 1_700_000_000, 1_700_000_000.25);
      linkSync(path("a"), path("c"));
      const [a, b, c] = ["a", "b", "c"].map((name) => fileSystem.stat(path(name))!);
      assert.equal(a!.modifiedMs, 1_700_000_000_250);
      assert.deepEqual(a, c);
      assert.notEqual(a!.inode, b!.inode);
      renameSync(path("b"), path("a"));
      assert.deepEqual(fileSystem.stat(path("a")), b);
      for (const name of ["a", "c"]) rmSync(path(name));
    });

    it("reads parts of an open file", () => {
      const file = fileSystem.open(path("file"))!;
      const into = new Uint8Array(4);
      assert.equal(file.size, 10);
      assert.deepEqual([file.read(into, 3), into], [4, encode("3456")]);
      assert.deepEqual([file.read(into, 8), into.subarray(0, 2)], [2, encode("89")]);
      assert.equal(file.read(into, 10), 0);
      assert.equal(file.read(into, 2 ** 33), 0);
      assert.equal(file.read(new Uint8Array(), 0), 0);
      file.close();
    });

    it("reads an open file that was removed or replaced", () => {
      writeFileSync(path("old"), "old");
      writeFileSync(path("new"), "new");
      const file = fileSystem.open(path("old"))!;
      renameSync(path("new"), path("old"));
      const into = new Uint8Array(3);
      file.read(into, 0);
      assert.deepEqual(into, encode("old"));
      file.close();
      rmSync(path("old"));
    });

    it("reads what is there of an open file that was cut off or grew", () => {
      writeFileSync(path("changing"), "0123456789");
      const file = fileSystem.open(path("changing"))!;
      truncateSync(path("changing"), 4);
      assert.equal(file.read(new Uint8Array(10), 0), 4);
      appendFileSync(path("changing"), "456789");
      assert.equal(file.read(new Uint8Array(10), 0), 10);
      file.close();
      rmSync(path("changing"));
    });

    it("closes a file once, however often close is called", () => {
      const first = fileSystem.open(path("file"))!;
      first.close();
      const second = fileSystem.open(path("file"))!;
      first.close();
      assert.equal(second.read(new Uint8Array(10), 0), 10);
      second.close();
      assert.throws(() => first.read(new Uint8Array(1), 0));
    });

    it("finds nothing where there is no file", () => {
      for (const name of absent) {
        assert.equal(fileSystem.read(path(name)), undefined, `read ${name}`);
        assert.equal(fileSystem.open(path(name)), undefined, `open ${name}`);
        assert.equal(fileSystem.list(path(name)), undefined, `list ${name}`);
      }
      for (const name of absent.filter((name) => name !== "dangling" && name !== "loop")) {
        assert.equal(fileSystem.stat(path(name)), undefined, `stat ${name}`);
      }
    });

    it("opens no directories and waits for no pipes", () => {
      for (const name of ["directory", "link to directory", "pipe", ".", "directory/"]) {
        assert.equal(fileSystem.read(path(name)), undefined, `read ${name}`);
        assert.equal(fileSystem.open(path(name)), undefined, `open ${name}`);
      }
      assert.equal(fileSystem.list(path("file")), undefined);
      assert.equal(fileSystem.list(path("pipe")), undefined);
    });

    it("throws when it has no permission to read", { skip: process.getuid?.() === 0 }, () => {
      mkdirSync(path("closed"));
      writeFileSync(path("closed/file"), "");
      chmodSync(path("closed"), 0);
      for (const call of ["read", "open", "stat", "list"] as const) {
        assert.throws(() => fileSystem[call](path("closed/file")), call);
      }
      chmodSync(path("closed"), 0o700);
    });
  });
}
