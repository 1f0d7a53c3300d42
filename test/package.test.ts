/** What is said twice says the same: package.json, deno.json, the compiler's options, the version. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { VERSION } from "../src/version.ts";

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));
const npm = read("package.json");
const deno = read("deno.json");

describe("package", () => {
  it("has one version", () => {
    assert.deepEqual([npm.version, deno.version], [VERSION, VERSION]);
  });

  it("has the same entries for npm, built, and for Deno, as sources", () => {
    // The command: an entry on JSR, a `bin` of npm.
    const { "./cli": command, ...entries } = deno.exports;
    assert.equal(npm.bin.xylem, command.replace("./", "./dist/").replace(/\.ts$/, ".js"));
    const built = Object.entries<string>(entries).map(([entry, file]) => [
      entry,
      file.replace("./", "./dist/").replace(/\.ts$/, ".js"),
    ]);
    assert.deepEqual(npm.exports, Object.fromEntries(built));
    for (const file of Object.values<string>(deno.exports)) {
      assert.ok(existsSync(new URL(`../${file}`, import.meta.url)));
    }
  });

  it("needs nothing at run time whose reason docs/dependencies.md does not give", () => {
    const text = readFileSync(new URL("../docs/dependencies.md", import.meta.url), "utf8");
    const explained = [...text.matchAll(/^\| `([^`]+)` /gm)].map((match) => match[1]!);
    assert.deepEqual(explained, Object.keys(npm.dependencies));
  });

  it("runs nothing when it is installed", () => {
    const run = [
      "preinstall",
      "install",
      "postinstall",
      "prepublish",
      "preprepare",
      "prepare",
      "postprepare",
    ];
    assert.deepEqual(run.filter((name) => name in npm.scripts), []);
  });

  it("pins every dependency", () => {
    const versions = Object.values<string>({ ...npm.dependencies, ...npm.devDependencies });
    assert.deepEqual(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version)), []);
  });

  it("needs no release that its makers have deprecated, as the lock files mark them", () => {
    const deprecated = ["package-lock.json", "test/hosts/package-lock.json"].flatMap((lock) =>
      Object.entries<{ readonly deprecated?: string }>(read(lock).packages)
        .filter(([, { deprecated }]) => deprecated !== undefined)
        .map(([path]) => path)
    );
    assert.deepEqual(deprecated, []);
  });

  it("is checked with the same compiler options everywhere", () => {
    const { compilerOptions } = read("tsconfig.base.json");
    for (const [option, value] of Object.entries(deno.compilerOptions)) {
      assert.equal(compilerOptions[option], value, option);
    }
  });
});
