/** One file made by a bundler, away from all packages: it answers as the work tree does, with workers. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { removeFolder, temporaryFolder } from "../support/programs.ts";
import { CONSUMER, expectedLines, homeProgram, makeFolder, mustRun, RUNTIMES } from "./consumer.ts";

const away = temporaryFolder("bundle");
let expected: string[];
before(async () => void (expected = await expectedLines()));
after(() => removeFolder(away));

/** Where a bundle is executed: without a package in sight. */
function moveAway(name: string, file: string): string {
  const folder = join(away, name);
  mkdirSync(folder, { recursive: true });
  cpSync(file, join(folder, "program.mjs"));
  return join(folder, "program.mjs");
}

/** Bundles a program with a script for Node.js, which finds it in `in.mjs` and writes `out.mjs`. */
async function bundle(name: string, program: string, script: string): Promise<string> {
  const folder = makeFolder(name, { "in.mjs": program, "bundle.mjs": script });
  await mustRun(RUNTIMES.node, ["bundle.mjs"], { cwd: folder });
  return moveAway(name, join(folder, "out.mjs"));
}

const esbuild = (options: string) =>
  `import { build } from "esbuild";
  await build({ entryPoints: ["in.mjs"], outfile: "out.mjs", bundle: true, logLevel: "error", ${options} });`;

const lines = (text: string): string[] => text.trim().split("\n");

describe("a single file", () => {
  it("of esbuild runs on Node.js", async () => {
    const file = await bundle("esbuild", homeProgram("node"), esbuild(`platform: "node", format: "esm"`));
    assert.deepEqual(lines(await mustRun(RUNTIMES.node, [file])), expected);
  });

  it("of esbuild runs on Node.js without modules", async () => {
    const folder = makeFolder("esbuild_cjs", {
      "in.mjs": homeProgram("node"),
      "bundle.mjs": esbuild(
        `platform: "node", format: "cjs", minify: true, logOverride: {"empty-import-meta":"silent"}`,
      ),
    });
    await mustRun(RUNTIMES.node, ["bundle.mjs"], { cwd: folder });
    mkdirSync(join(away, "cjs"));
    cpSync(join(folder, "out.mjs"), join(away, "cjs", "program.cjs"));
    assert.deepEqual(lines(await mustRun(RUNTIMES.node, [join(away, "cjs", "program.cjs")])), expected);
  });

  it("of esbuild runs on Deno, as deno compile carries it", async () => {
    const script = esbuild(`platform: "node", format: "esm"`);
    const file = await bundle("esbuild_deno", homeProgram("deno"), script);
    const output = await mustRun(RUNTIMES.deno, ["run", "--no-config", "--no-prompt", "--allow-all", file], {
      cwd: away,
    });
    assert.deepEqual(lines(output), expected);
    if (!process.env["DENORT_BIN"]) return;
    await mustRun(RUNTIMES.deno, [
      "compile",
      "--allow-all",
      "--no-config",
      "--output",
      join(away, "compiled"),
      file,
    ], { cwd: away });
    assert.deepEqual(lines(await mustRun(join(away, "compiled"), [])), expected);
  });

  it("of rollup runs on Node.js", async () => {
    const file = await bundle(
      "rollup",
      homeProgram("node"),
      `import { rollup } from "rollup";
      import { nodeResolve } from "@rollup/plugin-node-resolve";
      import commonjs from "@rollup/plugin-commonjs";
      const made = await rollup({ input: "in.mjs", plugins: [nodeResolve({ preferBuiltins: true }), commonjs()], onwarn() {} });
      await made.write({ file: "out.mjs", inlineDynamicImports: true });`,
    );
    assert.deepEqual(lines(await mustRun(RUNTIMES.node, [file])), expected);
  });

  it("of vite for servers runs on Node.js", async () => {
    const file = await bundle(
      "vite",
      homeProgram("node"),
      `import { build } from "vite";
      await build({
        configFile: false, logLevel: "error", ssr: { noExternal: true },
        build: { ssr: "in.mjs", outDir: ".", emptyOutDir: false, rollupOptions: { output: { entryFileNames: "out.mjs", inlineDynamicImports: true } } },
      });`,
    );
    assert.deepEqual(lines(await mustRun(RUNTIMES.node, [file])), expected);
  });

  it("of bun build --compile runs by itself", async () => {
    const folder = makeFolder("bun", { "in.mjs": homeProgram("bun") });
    const out = join(away, "compiled_by_bun");
    await mustRun(RUNTIMES.bun, ["build", "--compile", "in.mjs", "--outfile", out], { cwd: folder });
    assert.deepEqual(lines(await mustRun(out, [], { cwd: away })), expected);
  });
});

describe("where no worker can start", () => {
  it("the work is done in place, with one line in the log", async () => {
    const noThreads = `startWorker: () => { throw new Error("no threads here"); }`;
    const folder = makeFolder("no_threads", { "in.mjs": homeProgram("node", noThreads) });
    const output = lines(await mustRun(RUNTIMES.node, [join(folder, "in.mjs")]));
    assert.deepEqual(output, [...expected, "warn Diffs are made without workers: none can be started"]);
  });

  it("a host gives its own workers and its own libgit2", async () => {
    const folder = makeFolder("own_parts", {
      "in.mjs":
        `import { homeWorkers } from "xylem-http/node"; import { loadLibgit2 } from "xylem-http/libgit2";
        let loads = 0; let starts = 0;
        const load = () => { loads++; return loadLibgit2(); };
        const startWorker = (events) => { starts++; return homeWorkers(${
          JSON.stringify(join(CONSUMER, "browse", "storage"))
        }, {}, load)(events); };
        process.on("exit", () => console.log(loads > 0, starts > 0));
        ${homeProgram("node", "startWorker, loadLibgit2: load")}`,
    });
    assert.deepEqual(lines(await mustRun(RUNTIMES.node, [join(folder, "in.mjs")])), [
      ...expected,
      "true true",
    ]);
  });
});
