/** Files that are locked by one process, or shared by several: on every runtime, as all of them do it the same way. */
import assert from "node:assert/strict";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { withFileLock as lock } from "../../../adapters/node/file_locks.ts";
import { makeFolder, removeFolder } from "../../support/git.ts";
import { openFiles, TELLS_OPEN_FILES } from "../../support/open_files.ts";
import { startFileLocking } from "../../support/writing_children.ts";

/** So many attempts would take very long if one of them waited. */
const ATTEMPTS = 1000;
const KINDS = ["shared", "exclusive"] as const;

describe("a file under a file lock", () => {
  let folder: string;
  let file: string;
  const path = (name: string) => join(folder, name);
  beforeEach(() => {
    folder = makeFolder();
    file = path("file");
    writeFileSync(file, "");
  });
  afterEach(() => removeFolder(folder));

  const DONE = { value: "done" };
  const share = (name = file) => lock(name, "shared", () => "done");
  const own = (name = file) => lock(name, "exclusive", () => "done");

  for (const kind of KINDS) {
    describe(`(${kind})`, () => {
      it("is so for as long as something is done", () => {
        assert.deepEqual(lock(file, kind, () => [own(), share(), own()]), {
          value: ["busy", kind === "shared" ? DONE : "busy", "busy"],
        });
        assert.deepEqual([own(), share()], [DONE, DONE]);
      });

      it("is free again when that fails", () => {
        const fail = () => {
          throw new Error("failed");
        };
        assert.throws(() => lock(file, kind, fail), /failed/);
        assert.deepEqual(own(), DONE);
      });

      it("stays empty and alone", () => {
        const look = () => [readdirSync(folder), statSync(file).size];
        assert.deepEqual(lock(file, kind, look), { value: [["file"], 0] });
        assert.deepEqual(look(), [["file"], 0]);
      });

      it("keeps no other file from being locked", () => {
        writeFileSync(path("other"), "");
        assert.deepEqual(lock(file, kind, () => own(path("other"))), { value: DONE });
      });

      it("is free again when a process is killed that had it, or gives it back", async () => {
        for (const end of ["kill", "finish"] as const) {
          const child = await startFileLocking(file, kind);
          assert.equal(own(), "busy");
          await child[end]();
          assert.deepEqual(own(), DONE);
        }
      });

      it("is undefined when the file is missing or another one", () => {
        mkdirSync(path("directory"));
        writeFileSync(path("text"), "More than the header that a database would have.\n".repeat(9));
        for (const name of ["none", "none/none", "directory", "text"]) {
          assert.equal(lock(path(name), kind, () => assert.fail("done")), undefined, name);
        }
        assert.deepEqual(readdirSync(folder).sort(), ["directory", "file", "text"]);
      });
    });
  }

  it("is shared among processes, and none of them gets it exclusively", async () => {
    const [first, second] = [await startFileLocking(file, "shared"), await startFileLocking(file, "shared")];
    assert.deepEqual([share(), own(), share()], [DONE, "busy", DONE]);
    await first.kill();
    assert.deepEqual([share(), own(), share()], [DONE, "busy", DONE]);
    assert.equal(await second.finish(), 0);
    assert.deepEqual(own(), DONE);
  });

  it("is not shared while a process has it exclusively, and does not wait", async () => {
    const child = await startFileLocking(file, "exclusive");
    for (let i = 0; i < ATTEMPTS; i++) {
      assert.deepEqual([share(), own(), share()], ["busy", "busy", "busy"]);
    }
    await child.kill();
    assert.deepEqual(share(), DONE);
  });

  it("is the one that has the name now", async () => {
    assert.deepEqual(own(), DONE);
    renameSync(file, path("away"));
    assert.equal(own(), undefined);
    writeFileSync(file, "");
    assert.deepEqual(own(), DONE);
    rmSync(file);
    writeFileSync(file, "");
    const child = await startFileLocking(file, "exclusive");
    assert.deepEqual([own(), own(path("away"))], ["busy", DONE]);
    await child.kill();
  });

  it("is the same file under two names", () => {
    linkSync(file, path("second"));
    assert.deepEqual(lock(file, "exclusive", () => share(path("second"))), { value: "busy" });
    assert.deepEqual(lock(path("second"), "shared", () => own()), { value: "busy" });
    assert.deepEqual(own(), DONE);
  });

  it("can be one of many", () => {
    const names = Array.from({ length: 50 }, (_, n) => path(`file ${n}`));
    for (const name of names) writeFileSync(name, "");
    for (let round = 0; round < 3; round++) for (const name of names) assert.deepEqual(own(name), DONE);
  });

  it("does not stay open", { skip: !TELLS_OPEN_FILES }, () => {
    const before = openFiles().length;
    for (const kind of KINDS) assert.deepEqual(lock(file, kind, () => "done"), DONE);
    assert.throws(() => lock(file, "shared", () => assert.fail("failed")), /failed/);
    assert.equal(openFiles().length, before);
  });

  it("cannot be exclusive for a process that may not write it", { skip: process.getuid?.() === 0 }, () => {
    chmodSync(file, 0o444);
    assert.deepEqual([own(), share()], [undefined, DONE]);
    assert.deepEqual(lock(file, "shared", () => readdirSync(folder)), { value: ["file"] });
  });
});
