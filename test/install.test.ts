/** The installation of a checkout's dependencies, with programs in the place of npm, Deno and Bun that install next to nothing. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, before, beforeEach, describe, it } from "node:test";
import { removeFolder, ROOT, type Runtime, runtimeCommand, temporaryFolder } from "./support/programs.ts";

const runtime: Runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node";
const installer = runtime === "node" ? "npm" : runtime;
/** A program that goes on until it can read the status with which it is to end; with 0 it has installed. */
const INSTALLER = `#!/bin/sh
echo "$(basename "$0") $1"
read -r status <"$STATUS"
[ "$status" -eq 0 ] || exit "$status"
mkdir -p node_modules/some
echo '{ "version": "1.0.0" }' >node_modules/some/package.json
echo '{}' >node_modules/.package-lock.json
`;
const INSTALLS = installer === "npm" ? "npm ci" : `${installer} install`;
const BEGINS = "Installing the dependencies, the first time only";
const WAITS = "Another process installs the dependencies: waiting for it";

let folder: string;
let statusPath: string;
before(() => {
  folder = temporaryFolder("install");
  for (const name of ["build", "bin"]) mkdirSync(join(folder, name));
  for (const name of ["install.mjs", "lock.mjs"]) {
    copyFileSync(join(ROOT, "build", name), join(folder, "build", name));
  }
  writeFileSync(join(folder, "build/carry_libgit2.mjs"), "");
  writeFileSync(join(folder, "package.json"), `{ "dependencies": { "some": "1.0.0" } }`);
  writeFileSync(join(folder, "package-lock.json"), "{}");
  writeFileSync(join(folder, "bin", installer), INSTALLER);
  chmodSync(join(folder, "bin", installer), 0o755);
  statusPath = join(folder, "status");
  execFileSync("mkfifo", [statusPath]);
});
after(() => removeFolder(folder));
beforeEach(() => removeFolder(join(folder, "node_modules")));

/** The file of the lock. */
const lockPath = () => join(folder, ".cache/installing");

/** Lines of an installation that count no seconds. */
const said = (lines: readonly string[]) => lines.filter((line) => !/: \d+ s so far$/.test(line));

/** Lets the program that installs end. */
const endInstaller = (status: number) => writeFileSync(statusPath, `${status}\n`);

/** Runs the installation; its program ends with a status when `isTime` says so of a line. */
async function installation(
  status: number,
  isTime: (line: string, child: ChildProcess) => boolean,
) {
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
    if (isTime(line, child)) endInstaller(status);
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
    assert.deepEqual(said(lines), [BEGINS, INSTALLS]);
    // What comes after it may read the standard output of the whole.
    assert.deepEqual([code, output], [0, ""]);
  });

  it("says that it has failed", async () => {
    const { code, lines } = await installation(7, (line) => line.startsWith(installer));
    assert.deepEqual([code, lines.at(-1)], [
      1,
      `The dependencies could not be installed: ${INSTALLS} ended with 7`,
    ]);
    assert.equal(existsSync(lockPath()), false);
  });

  it("is made once by two starts at once, and the second waits for it", async () => {
    let second: ReturnType<typeof installation> | undefined;
    const first = await installation(0, (line) => {
      if (line !== INSTALLS) return false;
      // It must not begin before the first one installs.
      second = installation(0, (line) => line === WAITS);
      return false;
    });
    assert.deepEqual([first.code, said(first.lines)], [0, [BEGINS, INSTALLS]]);
    assert.deepEqual(await second, { code: 0, output: "", lines: [WAITS] });
    assert.equal(existsSync(lockPath()), false);
  });

  it("is made once by two starts at once after one that was killed", async () => {
    mkdirSync(dirname(lockPath()), { recursive: true });
    writeFileSync(lockPath(), "");
    utimesSync(lockPath(), new Date(0), new Date(0));
    const both = await Promise.all([1, 2].map(() => installation(0, (line) => line === INSTALLS)));
    assert.deepEqual(both.map(({ code }) => code), [0, 0]);
    const lines = both.flatMap(({ lines }) => said(lines)).filter((line) => line !== WAITS);
    assert.deepEqual(lines, [BEGINS, INSTALLS]);
    assert.equal(existsSync(lockPath()), false);
  });

  it("leaves no lock and no program behind when it is ended", async () => {
    const { code } = await installation(0, (line, child) => {
      if (line === INSTALLS) process.kill(child.pid!, "SIGTERM");
      return false;
    });
    assert.deepEqual([code, existsSync(lockPath())], [143, false]);
  });

  it("refuses a node_modules that is a link, and leaves what it leads to", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(join(elsewhere, "some"), { recursive: true });
    writeFileSync(join(elsewhere, "some/package.json"), `{ "version": "0.9.0" }`);
    for (const target of [elsewhere, join(folder, "nowhere")]) {
      symlinkSync(target, join(folder, "node_modules"));
      assert.deepEqual(await installation(0, () => false), {
        code: 1,
        output: "",
        lines: ["node_modules is a symbolic link: remove it, so that the dependencies can be installed here"],
      });
      rmSync(join(folder, "node_modules"));
    }
    assert.deepEqual(readdirSync(elsewhere), ["some"]);
  });

  it("says nothing where everything is installed", async () => {
    mkdirSync(join(folder, "node_modules/some"), { recursive: true });
    writeFileSync(join(folder, "node_modules/some/package.json"), `{ "version": "1.0.0" }`);
    writeFileSync(join(folder, "node_modules/.package-lock.json"), "{}");
    assert.deepEqual(await installation(0, () => false), { code: 0, output: "", lines: [] });
  });
});
