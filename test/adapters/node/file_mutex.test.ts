/** Files that one part of one process claims at a time: on every runtime, as all of them share it. */
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
import { exclusively } from "../../../adapters/node/file_mutex.ts";
import { makeFolder, removeFolder } from "../../support/git.ts";
import { startClaiming } from "../../support/writing_children.ts";

const QUICK_MS = 1000;

describe("a file that is claimed", () => {
  let folder: string;
  let mutex: string;
  beforeEach(() => {
    folder = makeFolder();
    mutex = join(folder, "mutex");
    writeFileSync(mutex, "");
  });
  afterEach(() => removeFolder(folder));

  const claim = () => exclusively(mutex, () => "done");
  const DONE = { value: "done" };

  it("is so for as long as something is done", () => {
    assert.deepEqual(exclusively(mutex, claim), { value: "busy" });
    assert.deepEqual(claim(), DONE);
  });

  it("is free again when that fails", () => {
    const failure = new Error("failed");
    assert.throws(() =>
      exclusively(mutex, () => {
        throw failure;
      }), failure);
    assert.deepEqual(claim(), DONE);
  });

  it("keeps no other file from being claimed", () => {
    const other = join(folder, "other");
    writeFileSync(other, "");
    assert.deepEqual(exclusively(mutex, () => exclusively(other, claim)), { value: { value: "busy" } });
  });

  it("stays empty and alone", () => {
    const look = () => [readdirSync(folder), statSync(mutex).size];
    assert.deepEqual(exclusively(mutex, look), { value: [["mutex"], 0] });
    assert.deepEqual(look(), [["mutex"], 0]);
  });

  it("stays claimed though it is asked for again and again", () => {
    exclusively(mutex, () => {
      for (let n = 0; n < 10; n++) assert.equal(claim(), "busy");
    });
  });

  it("is not waited for while another process has it, which ends with that process", async () => {
    const child = await startClaiming(mutex);
    const startMs = performance.now();
    assert.equal(claim(), "busy");
    assert.ok(performance.now() - startMs < QUICK_MS);
    await child.kill();
    assert.deepEqual(claim(), DONE);
  });

  it("is the one that has the name now", async () => {
    assert.deepEqual(claim(), DONE);
    renameSync(mutex, join(folder, "away"));
    assert.equal(claim(), undefined);
    writeFileSync(mutex, "");
    assert.deepEqual(claim(), DONE);
    rmSync(mutex);
    writeFileSync(mutex, "");
    const child = await startClaiming(mutex);
    assert.equal(claim(), "busy");
    await child.kill();
    assert.deepEqual(exclusively(join(folder, "away"), claim), { value: DONE });
  });

  it("is one file under two names", () => {
    const second = join(folder, "second");
    linkSync(mutex, second);
    assert.deepEqual(exclusively(second, claim), { value: "busy" });
    assert.deepEqual(exclusively(mutex, () => exclusively(second, claim)), { value: "busy" });
    assert.deepEqual(claim(), DONE);
  });

  it("is one of many", () => {
    const paths = Array.from({ length: 50 }, (_, n) => join(folder, `file ${n}`));
    for (const path of paths) writeFileSync(path, "");
    for (let round = 0; round < 3; round++) {
      for (const path of paths) assert.deepEqual(exclusively(path, claim), { value: DONE });
    }
  });

  it("is given back by another process that goes on", async () => {
    const child = await startClaiming(mutex);
    assert.equal(claim(), "busy");
    assert.equal(await child.finish(), 0);
    assert.deepEqual(claim(), DONE);
  });

  it("is none where it may not be written", { skip: process.getuid?.() === 0 }, () => {
    chmodSync(mutex, 0o444);
    assert.equal(exclusively(mutex, () => assert.fail("done")), undefined);
  });

  it("is none where there is no such file, or another one", () => {
    mkdirSync(join(folder, "directory"));
    writeFileSync(
      join(folder, "text"),
      "Something else, and more than that: longer than a header is.\n".repeat(9),
    );
    for (const name of ["none", "none/none", "directory", "text"]) {
      assert.equal(exclusively(join(folder, name), () => assert.fail("done")), undefined, name);
    }
    assert.deepEqual(readdirSync(folder).sort(), ["directory", "mutex", "text"]);
  });
});
