/** Compiled code that Node.js saves in the cache folder, by the command as a process. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { COMPILE_CACHE_NAME, removeIfUnusable } from "../../../adapters/node/compile_cache.ts";
import { startThread } from "../../../adapters/node/workers.ts";
import { makeHome, run, serve } from "./command.ts";

const isNode = !("Deno" in globalThis || "Bun" in globalThis);
/** The tests may have been started with a folder for compiled code. */
const env = { NODE_COMPILE_CACHE: "" };

let folder: string;
let home: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "xylem-compiled-"));
  home = makeHome(join(folder, "home"));
});
after(() => rmSync(folder, { recursive: true }));

/** Serves once, and ends it; whether the API answered. */
async function answers(cache: string): Promise<boolean> {
  const serving = await serve(["--home", home, "--listen", "127.0.0.1:0", "--cache", cache], { env });
  const response = await fetch(`${serving.urls[0]}/api/v1/projects`);
  await response.text();
  const { status, stderr } = await serving.end();
  assert.deepEqual({ status, stderr: stderr.replace(/.*keys\/radicle is missing.*\n/, "") }, {
    status: 0,
    stderr: "",
  });
  return response.ok;
}

/** Runs the command until it finds out that there is no home, which takes most of its modules. */
async function begin(cache: string, variables: Readonly<Record<string, string>> = {}): Promise<void> {
  const missing = join(folder, "missing");
  const outcome = await run(["--home", missing, "--cache", cache], { env: { ...env, ...variables } });
  assert.deepEqual([outcome.status, outcome.stdout], [1, ""]);
  assert.match(outcome.stderr, /^xylem: No Radicle home in /);
}

/** The files in a folder and the folders in it, with numbers that are new when a file is written. */
function filesIn(path: string): Map<string, number> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile()
  );
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path, statSync(path).mtimeMs]));
}

describe("compiled code", () => {
  it("is saved by processes that share the folder, used again, and made again when it is damaged", async () => {
    const cache = join(folder, "cache", "below");
    assert.deepEqual(await Promise.all([answers(cache), answers(cache)]), [true, true]);
    const saved = join(cache, COMPILE_CACHE_NAME);
    if (!isNode) return assert.ok(!existsSync(saved));
    assert.deepEqual([cache, saved].map((path) => statSync(path).mode & 0o777), [0o700, 0o700]);
    const before = filesIn(saved);
    assert.ok(before.size > 100);
    assert.ok(await answers(cache));
    // A worker may have been started this time, which has some modules of its own.
    const found = filesIn(saved);
    for (const [path, time] of before) assert.equal(found.get(path), time);
    for (const path of found.keys()) writeFileSync(path, "damaged");
    assert.ok(await answers(cache));
    const whole = [...found.keys()].filter((path) => statSync(path).size > "damaged".length);
    assert.ok(whole.length > 100);
  });

  it("is not saved without a cache folder, for help, or where Node.js is configured otherwise", async () => {
    const user = join(folder, "user");
    mkdirSync(user);
    await begin("none", { HOME: user });
    for (const args of [["help"], ["--help"], ["version"]]) {
      assert.equal((await run(args, { env: { ...env, HOME: user } })).status, 0);
    }
    await begin(join(user, ".cache"), { NODE_DISABLE_COMPILE_CACHE: "1" });
    await begin(join(user, ".cache"), { NODE_COMPILE_CACHE: join(folder, "chosen") });
    assert.ok(!existsSync(join(user, ".cache")));
  });

  it("is not saved in a folder that others can write, or that cannot be written", async () => {
    const open = join(folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    await begin(open);
    assert.deepEqual(readdirSync(open), []);
    const elsewhere = join(folder, "elsewhere");
    const linked = join(folder, "linked");
    for (const path of [elsewhere, linked]) mkdirSync(path, { mode: 0o700 });
    symlinkSync(elsewhere, join(linked, COMPILE_CACHE_NAME));
    await begin(linked);
    assert.deepEqual(readdirSync(elsewhere), []);
    const file = join(folder, "file");
    writeFileSync(file, "");
    await begin(join(file, "below"));
  });

  it("is used by workers, too", async () => {
    if (isNode) nodeModule.enableCompileCache(join(folder, "of-workers"));
    const used = Promise.withResolvers<unknown>();
    const worker = startThread(
      `require("node:worker_threads").parentPort.postMessage([
        process.env.NODE_COMPILE_CACHE,
        require("node:module").getCompileCacheDir?.(),
        Object.keys(process.env).filter((name) => name !== "NODE_COMPILE_CACHE"),
      ])`,
      undefined,
      { message: used.resolve, end: used.reject },
    );
    const [variable, found, others] = await used.promise as [
      string | undefined,
      string | undefined,
      string[],
    ];
    worker.terminate();
    // Bun has a cache of its own where the variable of the process names one.
    if (isNode) assert.equal(found, nodeModule.getCompileCacheDir());
    assert.equal(variable !== undefined, isNode);
    assert.deepEqual(others, []);
  });

  it("is removed when something else than files and folders is there, such as a pipe", () => {
    const targets = [
      (path: string) => symlinkSync("/dev/zero", path),
      (path: string) => execFileSync("mkfifo", [path]),
    ];
    for (const [i, put] of targets.entries()) {
      const path = join(folder, `other-${i}`);
      mkdirSync(join(path, "v1"), { recursive: true });
      writeFileSync(join(path, "v1", "a"), "");
      removeIfUnusable(path);
      assert.ok(existsSync(path));
      put(join(path, "v1", "b"));
      removeIfUnusable(path);
      assert.ok(!existsSync(path));
    }
  });

  it("is removed before Node.js reads a file without end", { skip: !isNode }, async () => {
    const cache = join(folder, "endless");
    assert.ok(await answers(cache));
    const saved = join(cache, COMPILE_CACHE_NAME);
    const [file] = filesIn(saved).keys();
    rmSync(file!);
    execFileSync("mkfifo", [file!]);
    assert.ok(await answers(cache));
    assert.ok(!existsSync(file!) || statSync(file!).isFile());
  });

  it("is removed when it has grown too large", () => {
    const path = join(folder, "large");
    mkdirSync(join(path, "v1"), { recursive: true });
    writeFileSync(join(path, "v1", "a"), new Uint8Array(600));
    writeFileSync(join(path, "b"), new Uint8Array(400));
    removeIfUnusable(path, 1000);
    assert.equal(filesIn(path).size, 2);
    removeIfUnusable(path, 999);
    assert.ok(!existsSync(path));
    removeIfUnusable(path, 999);
  });
});
