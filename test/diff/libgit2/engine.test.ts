import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import type { BlobContents } from "../../../src/diff/blobs.ts";
import { Libgit2, Libgit2Error } from "../../../src/diff/libgit2/engine.ts";
import { type Change, compareTrees } from "../../../src/diff/tree_comparison.ts";
import { createLg2, type Lg2 } from "../../../src/diff/libgit2/wasm_git.ts";
import { DamagedError, UnsupportedError } from "../../../src/errors.ts";
import type { LoadLibgit2 } from "../../../src/ports/libgit2.ts";
import { type Folder, putTree } from "../../support/world.ts";
import { blob, contentsIn, emptyRepository } from "../trees.ts";

/** Memory that may come and go between two looks at it. */
const MEMORY_TOLERANCE_BYTES = 192 * 1024 * 1024;

const module = loadLibgit2();

/** What it takes to compare two folders. */
async function jobOf(old: Folder, now: Folder): Promise<[readonly Change[], BlobContents]> {
  const repository = emptyRepository();
  const changes = await compareTrees(repository, putTree(repository, old), putTree(repository, now));
  return [changes, await contentsIn(repository, changes)];
}

/** An engine that tells of its instances; `sabotage` may change each before it is used. */
function watchedEngine(
  sabotage: (instance: Lg2, number: number) => void = () => {},
): { engine: Libgit2; instances: Lg2[] } {
  const instances: Lg2[] = [];
  const engine = new Libgit2(() => module, async (options) => {
    const instance = await createLg2(options);
    instances.push(instance);
    sabotage(instance, instances.length);
    return instance;
  });
  return { engine, instances };
}

const text = (patch: Uint8Array): string => new TextDecoder().decode(patch);

describe("Libgit2", () => {
  it("prints a patch of numbered files", async () => {
    const [changes, contents] = await jobOf({ "dir/ a\n": "1\n" }, { "dir/ a\n": "2\n" });
    assert.equal(
      text(await new Libgit2(() => module).patch(changes, contents)).replace(/^index .*\n/m, ""),
      "diff --git a/000000 b/000000\n--- a/000000\n+++ b/000000\n@@ -1 +1 @@\n-1\n+2\n",
    );
  });

  it("gives the bytes of files as they are", async () => {
    const bytes = Uint8Array.from([0x61, 0xff, 0xc3, 0x0d, 0x1b, 0x0a]);
    const [changes, contents] = await jobOf({}, { a: bytes });
    const patch = await new Libgit2(() => module).patch(changes, contents);
    assert.deepEqual(patch.slice(-7), Uint8Array.from([0x2b, ...bytes]));
  });

  it("gets files of all lengths", async () => {
    const lengths = [0, 1, 15, 16, 2047, 2048, 65_535, 65_536, 200_000];
    const files = Object.fromEntries(lengths.map((length, i) => [`${i}`, `${"x".repeat(length)}\n`]));
    const [changes, contents] = await jobOf({}, files);
    const patch = text(await new Libgit2(() => module).patch(changes, contents));
    assert.deepEqual([...patch.matchAll(/^\+(x*)$/gm)].map(([, line]) => line?.length), lengths);
  });

  it("compiles once, on first need", async () => {
    let loads = 0;
    const load: LoadLibgit2 = () => {
      loads++;
      return module;
    };
    let instances = 0;
    const engine = new Libgit2(load, (options) => {
      instances++;
      return createLg2(options);
    });
    assert.equal(loads, 0);
    const [changes, contents] = await jobOf({}, { a: "1\n" });
    while (instances < 2) await engine.patch(changes, contents);
    assert.equal(loads, 1);
  });

  it("tries to compile again after a failure", async () => {
    let loads = 0;
    const engine = new Libgit2(() => {
      if (++loads === 1) throw new Error("no such file");
      return loads === 2 ? Promise.reject(new Error("not compiled")) : module;
    });
    const [changes, contents] = await jobOf({}, { a: "1\n" });
    for (const reason of [/no such file/, /not compiled/]) {
      await assert.rejects(engine.patch(changes, contents), (error) => {
        assert.ok(error instanceof UnsupportedError);
        assert.match(String(error.cause), reason);
        return true;
      });
    }
    assert.match(text(await engine.patch(changes, contents)), /^\+1$/m);
  });

  it("answers many calls at once, each with its own", async () => {
    const { engine, instances } = watchedEngine();
    const count = 1000;
    const patches = await Promise.all(
      Array.from(
        { length: count },
        async (_, i) => text(await engine.patch(...await jobOf({}, { a: `${i}\n` }))),
      ),
    );
    patches.forEach((patch, i) => assert.ok(patch.endsWith(`\n+${i}\n`)));
    assert.ok(instances.length < count / 10, `${instances.length} instances`);
  });

  it("stays flat in memory over 2,000 diffs", async () => {
    const { engine, instances } = watchedEngine();
    const filler = "some line of text\n".repeat(10);
    const jobs = await Promise.all(
      Array.from(
        { length: 20 },
        (_, i) => jobOf({ a: `${filler}${i}\n`, b: `${i}` }, { a: `${i}\n${filler}`, c: `${i}` }),
      ),
    );
    const run = async (calls: number): Promise<void> => {
      for (let i = 0; i < calls; i++) await engine.patch(...jobs[i % jobs.length]!);
    };
    await run(500);
    const before = process.memoryUsage().rss;
    const expected = text(await engine.patch(...jobs[0]!));
    await run(1498);
    assert.equal(text(await engine.patch(...jobs[0]!)), expected);
    assert.ok(process.memoryUsage().rss - before < MEMORY_TOLERANCE_BYTES);
    for (const { HEAPU8 } of instances) assert.ok(HEAPU8.length < MEMORY_TOLERANCE_BYTES / 4);
  });

  it("replaces an instance whose memory has grown", async () => {
    const { engine, instances } = watchedEngine();
    const large = new Uint8Array(12 * 1024 * 1024).fill(0x61);
    const [changes, contents] = await jobOf({ a: large }, { a: large.with(5, 0x0a) });
    await engine.patch(changes, contents);
    await engine.patch(changes, contents);
    assert.equal(instances.length, 2);
  });

  it("survives a trap after other calls: another instance answers", async () => {
    const { engine, instances } = watchedEngine((instance, number) => {
      if (number === 1) trapAtCall(instance, 3);
    });
    const [changes, contents] = await jobOf({}, { a: "1\n" });
    for (let i = 0; i < 5; i++) assert.match(text(await engine.patch(changes, contents)), /^\+1$/m);
    assert.equal(instances.length, 2);
  });

  it("reports a trap on a fresh instance, and goes on with another one", async () => {
    const { engine, instances } = watchedEngine((instance, number) => {
      if (number === 1) trapAtCall(instance, 1);
    });
    const [changes, contents] = await jobOf({}, { a: "1\n" });
    await assert.rejects(engine.patch(changes, contents), Libgit2Error);
    assert.match(text(await engine.patch(changes, contents)), /^\+1$/m);
    assert.equal(instances.length, 2);
  });

  it("survives a real trap", async () => {
    const { engine } = watchedEngine((instance, number) => {
      if (number === 1) instance.HEAPU8.fill(0xff);
    });
    const [changes, contents] = await jobOf({}, { a: "1\n" });
    await assert.rejects(engine.patch(changes, contents), Libgit2Error);
    assert.match(text(await engine.patch(changes, contents)), /^\+1$/m);
  });

  it("reports content that does not belong to its id as damage", async () => {
    const repository = emptyRepository();
    const oid = blob(repository, "right");
    const engine = new Libgit2(() => module);
    const changes: Change[] = [{ path: "a", new: { oid, mode: "blob" } }];
    const wrong = new Map([[oid, new TextEncoder().encode("wrong")]]);
    await assert.rejects(engine.patch(changes, wrong), DamagedError);
    assert.match(
      text(await engine.patch(changes, await contentsIn(repository, changes))),
      /^\+right$/m,
    );
  });

  it("leaves the exit code of the process alone", async () => {
    const { engine } = watchedEngine((instance, number) => {
      if (number === 2) trapAtCall(instance, 1);
    });
    const [changes, contents] = await jobOf({}, { a: "1\n" });
    const wrong = new Map([...contents.keys()].map((oid) => [oid, new Uint8Array()]));
    const original = process.exitCode;
    try {
      process.exitCode = 3;
      await engine.patch(changes, contents);
      assert.equal(process.exitCode, 3);
      await assert.rejects(engine.patch(changes, wrong), DamagedError);
      assert.equal(process.exitCode, 3);
      await assert.rejects(engine.patch(changes, contents), Libgit2Error);
      assert.equal(process.exitCode, 3);
    } finally {
      process.exitCode = original ?? 0;
    }
    await engine.patch(changes, contents);
    assert.ok(!process.exitCode);
  });
});

/** Lets an instance fail as a trap would, at one of its calls. */
function trapAtCall(instance: Lg2, fatal: number): void {
  const { callMain } = instance;
  let calls = 0;
  instance.callMain = (args) => {
    if (++calls === fatal) throw new WebAssembly.RuntimeError("unreachable");
    return callMain(args);
  };
}
