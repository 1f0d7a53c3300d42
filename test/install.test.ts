/** The installation of a checkout's dependencies, with programs in the place of npm, Deno and Bun that install nothing. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { removeFolder, ROOT, type Runtime, runtimeCommand, temporaryFolder } from "./support/programs.ts";

const runtime: Runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node";
const installer = runtime === "node" ? "npm" : runtime;
/** A program that goes on until it can read the status with which it is to end. */
const INSTALLER = `#!/bin/sh
echo "$(basename "$0") $1"
read -r status <"$STATUS"
exit "$status"
`;

let folder: string;
let statusPath: string;
before(() => {
  folder = temporaryFolder("install");
  for (const name of ["build", "bin"]) mkdirSync(join(folder, name));
  copyFileSync(join(ROOT, "build/install.mjs"), join(folder, "build/install.mjs"));
  writeFileSync(join(folder, "build/carry_libgit2.mjs"), "");
  writeFileSync(join(folder, "package.json"), `{ "dependencies": { "some": "1.0.0" } }`);
  writeFileSync(join(folder, "package-lock.json"), "{}");
  writeFileSync(join(folder, "bin", installer), INSTALLER);
  chmodSync(join(folder, "bin", installer), 0o755);
  statusPath = join(folder, "status");
  execFileSync("mkfifo", [statusPath]);
});
after(() => removeFolder(folder));

/** Runs the installation; its program ends with a status when `isTime` says so of a line. */
async function installation(status: number, isTime: (line: string) => boolean) {
  const [program, ...args] = runtimeCommand(runtime, join(folder, "build/install.mjs"));
  const { npm_execpath: _, ...env } = process.env;
  const child = spawn(program, [...args, "10"], {
    env: { ...env, PATH: `${join(folder, "bin")}:${env["PATH"]}`, STATUS: statusPath },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    if (isTime(line)) writeFileSync(statusPath, `${status}\n`);
  }
  const [code] = await ended;
  return { code, output, lines };
}

describe("the installation", () => {
  it("says at once that it installs, and again and again while it lasts", async () => {
    let told = 0;
    const { code, output, lines } = await installation(
      0,
      (line) => /: \d+ s so far$/.test(line) && ++told === 3,
    );
    assert.equal(lines[0], "Installing the dependencies, the first time only");
    assert.ok(lines.includes(installer === "npm" ? "npm ci" : `${installer} install`), lines.join("\n"));
    // What comes after it may read the standard output of the whole.
    assert.deepEqual([code, output], [0, ""]);
  });

  it("says that it has failed", async () => {
    const { code, lines } = await installation(7, (line) => line.startsWith(installer));
    const command = installer === "npm" ? "npm ci" : `${installer} install`;
    assert.deepEqual([code, lines.at(-1)], [
      1,
      `The dependencies could not be installed: ${command} ended with 7`,
    ]);
  });

  it("says nothing where everything is installed", async () => {
    mkdirSync(join(folder, "node_modules/some"), { recursive: true });
    writeFileSync(join(folder, "node_modules/some/package.json"), `{ "version": "1.0.0" }`);
    writeFileSync(join(folder, "node_modules/.package-lock.json"), "{}");
    assert.deepEqual(await installation(0, () => false), { code: 0, output: "", lines: [] });
  });
});
