/**
 * A process that holds a lock until it receives a line. It prints a line when it has the lock, and kills
 * itself when its input ends or after a timeout. `shared <path>`, `exclusive <path>`: a file lock.
 * `lock <root> <reference> <commit>`: the lock of an absent reference, in the middle of the change.
 */
import { readSync, writeSync } from "node:fs";
import process from "node:process";
import { isOid } from "../../src/ids/oid.ts";
import { isWritable } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { fileSystem } from "./files.ts";
import { watchFiles } from "./watched_files.ts";
import { RID } from "./written_home.ts";
import { PATIENCE_MS } from "./patience.ts";

const PAUSE_MS = 5;

function hold(): void {
  writeSync(1, "held\n");
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const endMs = performance.now() + PATIENCE_MS;
  for (let sent = readByte(); sent !== 1; sent = readByte()) {
    if (sent === 0 || performance.now() > endMs) process.kill(process.pid, "SIGKILL");
    Atomics.wait(clock, 0, 0, PAUSE_MS);
  }
}

/** Number of bytes received, none at the end of the input; `undefined` when nothing has arrived yet. */
function readByte(): number | undefined {
  try {
    return readSync(0, new Uint8Array(1));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined;
    throw error;
  }
}

const [what, path = "", name = "", to = ""] = process.argv.slice(2);
if (what === "shared" || what === "exclusive") {
  if (typeof fileSystem.withFileLock(path, what, hold) !== "object") {
    throw new Error(`${path} cannot be locked`);
  }
} else {
  const files = watchFiles(fileSystem, ({ call }) => {
    if (call === "rename") hold();
  });
  const repository = createHomeStorage({ root: path, fileSystem: files }).repository(RID);
  if (repository === undefined || !isWritable(repository) || !isOid(to)) throw new Error(`${path} ${to}`);
  if (!await repository.updateRef(name, { from: undefined, to })) throw new Error(`${name} has changed`);
}
