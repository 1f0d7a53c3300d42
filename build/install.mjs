/**
 * Installs packages that are missing or have another version. npm installs everything (`npm run setup`); Deno
 * and Bun install what they need to serve a checkout by themselves. Prints a line at the start and every five
 * seconds; an argument sets another interval, in milliseconds. If several processes run this, one installs
 * and the others wait for it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readFileSync, statSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isLocked, withLock } from "./lock.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , lineMs = 5000] = process.argv;
const isNpm = !("Deno" in globalThis || "Bun" in globalThis);
const say = (line) => process.stderr.write(`${line}\n`);

// npm empties the folder before it installs, and the others write into it. Behind a symbolic link, it may
// belong to another checkout.
if (lstatSync(`${root}/node_modules`, { throwIfNoEntry: false })?.isSymbolicLink()) {
  fail("node_modules is a symbolic link: remove it, so that the dependencies can be installed here");
}
const isDone = isNpm ? isNpmDone : isEachThere;
const lock = `${root}/.cache/installing`;
// Checked under the lock, because an installation that another process has not finished may look complete.
if (isLocked(lock) || !isDone()) {
  const wait = () => say("Another process installs the dependencies: waiting for it");
  await withLock(lock, wait, async () => {
    if (!isDone()) await installAll();
  });
}
if (!isNpm) await import("./carry_libgit2.mjs");

/** Installs with the program that starts the checkout. */
async function installAll() {
  // Errors are shown, even if npm is configured to be silent.
  if (isNpm) await install("npm", "ci", "--loglevel=error", "--no-audit", "--no-fund");
  else if ("Deno" in globalThis) await install("deno", "install", "--quiet", "--prod", "--no-lock");
  else {
    await install(
      process.env.npm_execpath ?? "bun",
      ...["install", "--production", "--no-save", "--no-progress", "--no-summary", "--ignore-scripts"],
    );
  }
}

/** Whether npm has installed since the lock file changed. */
function isNpmDone() {
  try {
    const [done, lock] = ["node_modules/.package-lock.json", "package-lock.json"]
      .map((path) => statSync(`${root}/${path}`).mtimeMs);
    return done > lock;
  } catch {
    return false;
  }
}

function isEachThere() {
  const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  return Object.entries(dependencies).every(([name, version]) => {
    try {
      return JSON.parse(readFileSync(`${root}/node_modules/${name}/package.json`, "utf8")).version ===
        version;
    } catch {
      return false;
    }
  });
}

/** Runs a program that installs. Ends this process if it fails. */
async function install(program, ...args) {
  const started = performance.now();
  say("Installing the dependencies, the first time only");
  const lines = setInterval(() => {
    say(`Installing the dependencies: ${Math.round((performance.now() - started) / 1000)} s so far`);
  }, Number(lineMs));
  // Standard output belongs to the command that follows.
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", 2, 2] });
  const end = () => child.kill();
  process.once("exit", end);
  const [status] = await once(child, "close").catch((error) => [error.message]);
  process.removeListener("exit", end);
  clearInterval(lines);
  if (status !== 0) {
    fail(`The dependencies could not be installed: ${program} ${args[0]} ended with ${status}`);
  }
}

function fail(message) {
  say(message);
  process.exit(1);
}
