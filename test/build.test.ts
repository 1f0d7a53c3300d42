/** The package as npm publishes it: built JavaScript that runs on Node.js without any flag, and types for its entries. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { removeFolder, ROOT, temporaryFolder } from "./support/programs.ts";

const folder = temporaryFolder("build");
const node = join(ROOT, "node_modules/.bin/node");
const npm = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

before(() => {
  for (
    const name of ["mod.ts", "src", "adapters", "package.json", "tsconfig.base.json", "tsconfig.build.json"]
  ) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  execFileSync("npm", ["run", "--silent", "build"], { cwd: folder });
});
after(() => removeFolder(folder));

describe("the built package", () => {
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

  it("has the command", () => {
    const command = join(folder, npm.bin.xylem);
    assert.equal(execFileSync(node, [command, "--version"], { encoding: "utf8" }).trim(), npm.version);
    assert.ok(readFileSync(command, "utf8").startsWith("#!/usr/bin/env node"));
    assert.ok(existsSync(join(command, "../demo_home.tar.gz")));
  });
});
