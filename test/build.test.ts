/**
 * The package as npm publishes it: built JavaScript that runs on Node.js without any flag, and types for its entries.
 * npm, the compiler and Node.js are the same programs whatever runs this file: they are asked once, by Node.js.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { DEMO_EDITION } from "../adapters/cli/demo.ts";
import { changedExports } from "../build/exports.ts";
import { GIT_ENVIRONMENT } from "./support/git.ts";
import { removeFolder, ROOT, temporaryFolder } from "./support/programs.ts";
import { PATIENCE_MS } from "./support/patience.ts";

const isNode = !("Deno" in globalThis || "Bun" in globalThis);
let folder: string;
let rehearsal: string;
const node = join(ROOT, "node_modules/.bin/node");
const npm = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env: GIT_ENVIRONMENT });

describe("the built package", { skip: isNode ? false : "only Node.js runs it" }, () => {
  before(() => {
    folder = temporaryFolder("build");
    for (
      const name of [
        ".gitignore",
        "mod.ts",
        "src",
        "extensions",
        "adapters",
        "build",
        "docs",
        "examples",
        "deploy",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "deno.json",
        "package.json",
        "package-lock.json",
        "tsconfig.base.json",
        "tsconfig.build.json",
      ]
    ) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    }
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "All of it");
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    appendFileSync(join(folder, ".git/info/exclude"), "node_modules\n");
    // It builds the package on its way, and ends with status 1 for a fault.
    rehearsal = execFileSync(node, ["build/release.mjs", "--dry-run"], { cwd: folder, encoding: "utf8" });
  });
  after(() => removeFolder(folder));

  it("passes the rehearsal of a release, which names what only the maintainers can decide", () => {
    assert.match(rehearsal, /^version +\d+\.\d+\.\d+$/m);
    assert.match(rehearsal, /^changelog +\d+ changes/m);
    assert.match(rehearsal, /^licences .*wasm-git \(GPL-2\.0-only with a linking exception\)/m);
    assert.match(rehearsal, /^tarball +xylem-http-\S+\.tgz, \d+ bytes, \d+ files/m);
    assert.match(rehearsal, new RegExp(`^npm +xylem-http@${npm.version}, \\d+ files$`, "m"));
    assert.match(rehearsal, new RegExp(`^jsr +@xylem/http@${npm.version}$`, "m"));
    const left = Array.from(rehearsal.matchAll(/^left to the maintainers: (.*)$/gm), ([, one]) => one);
    const places = ["repository", "homepage", "bugs"].filter((member) => !(member in npm));
    const isReleased = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").includes(`\n## [${npm.version}]`);
    assert.deepEqual(left, [
      ...(isReleased
        ? []
        : [`"## [${npm.version}] - DATE" in CHANGELOG.md, above what is unreleased, and its link`]),
      ...places.map((member) => `"${member}" in package.json`),
      `the tag v${npm.version} on the commit`,
    ]);
  });

  it("has the exports of the snapshot, which notices a name and a type that change", () => {
    assert.equal(changedExports(folder), undefined);
    for (
      const [file, before, after, told] of [
        ["dist/src/ids/rid.d.ts", "parseRid(text: string)", "parseRid(text: unknown)", /parseRid/],
        ["dist/mod.d.ts", "export { NODE_OWNER }", "export { NODE_OWNER as OWNER }", /OWNER/],
        // No entry exports it, but exported types name it.
        ["dist/src/ids/nid.d.ts", "type Did = ", "type Did = 7 | ", /Did = 7/],
      ] as const
    ) {
      const path = join(folder, file);
      const text = readFileSync(path, "utf8");
      assert.ok(text.includes(before), file);
      writeFileSync(path, text.replace(before, after));
      try {
        assert.match(changedExports(folder) ?? "", told);
      } finally {
        writeFileSync(path, text);
      }
    }
  });

  it("is not released while something is missing", () => {
    const { status, stderr } = spawnSync(node, ["build/release.mjs"], { cwd: folder, encoding: "utf8" });
    assert.deepEqual([status, stderr], [1, "release: refused\n"]);
  });

  it("carries a notice of the software of others, with licences", () => {
    const notice = readFileSync(join(folder, "NOTICE.md"), "utf8");
    for (const name of Object.keys(npm.dependencies)) assert.ok(notice.includes(`\n## ${name}\n`), name);
    assert.match(notice, /LINKING EXCEPTION/);
  });

  it("has a module and types behind every entry", () => {
    for (const file of Object.values<string>(npm.exports)) {
      assert.ok(existsSync(join(folder, file)), file);
      assert.ok(existsSync(join(folder, file.replace(/\.js$/, ".d.ts"))), file);
    }
  });

  it("is what a program gets that imports it by name", () => {
    const program =
      `import { createApi } from "xylem-http"; import { createMemoryStorage } from "xylem-http/memory";
      import { createHomeApi } from "xylem-http/node"; console.log(typeof createApi, typeof createMemoryStorage, typeof createHomeApi);`;
    const output = execFileSync(node, ["--input-type=module", "-e", program], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(output.trim(), "function function function");
  });

  it("has the program that workers execute", () => {
    const program =
      `import { createWorkerPool } from "xylem-http"; import { homeWorkers } from "xylem-http/node";
      const pool = createWorkerPool({ startWorker: homeWorkers(process.cwd()), log: console.log });
      const job = { kind: "diff", rid: "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx", oldTree: undefined, newTree: "0".repeat(40) };
      await pool.run(job).catch((error) => console.log(error.message));
      pool.close();`;
    const output = execFileSync(node, ["--input-type=module", "-e", program], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(output.trim(), "Repository rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx is gone");
  });

  it("has the command", () => {
    const command = join(folder, npm.bin.xylem);
    assert.equal(execFileSync(node, [command, "--version"], { encoding: "utf8" }).trim(), npm.version);
    assert.ok(readFileSync(command, "utf8").startsWith("#!/usr/bin/env node"));
  });

  it("makes the demo home and serves it", async () => {
    const command = join(folder, npm.bin.xylem);
    const env = { PATH: process.env["PATH"], HOME: join(folder, "home") };
    const child = spawn(node, [command, "--demo", "--listen", "127.0.0.1:0"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
      timeout: PATIENCE_MS,
    });
    const ended = once(child, "close");
    let said = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      said += text;
      if (/repositories +3\n/.test(said)) break;
    }
    child.kill();
    await ended;
    assert.match(said, /^Serving http:\S+\n +home .*\(demo\)\n/);
    assert.ok(existsSync(join(env.HOME, ".cache", "xylem", `demo-${DEMO_EDITION}`, "keys", "radicle")));
  });

  it("is packed with all that it needs, and with nothing that was not built", () => {
    const args = ["pack", "--dry-run", "--ignore-scripts", "--json"];
    const [{ files }] = JSON.parse(execFileSync("npm", args, { cwd: folder, encoding: "utf8" }));
    const paths = (files as { path: string }[]).map(({ path }) => path);
    assert.ok(paths.includes("dist/adapters/cli/demo/home.js"));
    const unexpected = paths.filter((path) =>
      !/^dist\/.*\.(js|d\.ts)$|^dist\/src\/diff\/libgit2\/carried\/COPYING$|^(package\.json|README\.md|(?:docs|examples|deploy)\/.*|CHANGELOG\.md|NOTICE\.md|LICENSE.*)$/
        .test(path)
    );
    assert.deepEqual(unexpected, []);
  });
});
