/**
 * Installs what is missing, or of another release: npm everything, `npm run setup`; Deno and Bun what a
 * checkout needs to be served with them alone. Says so at once, and every five seconds while it lasts; an
 * argument is another time between two lines, in milliseconds. Of several processes one installs, and the
 * others wait for it.
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

// npm empties the folder before it installs, and others write into it: it may be another checkout's.
if (lstatSync(`${root}/node_modules`, { throwIfNoEntry: false })?.isSymbolicLink()) {
  fail("node_modules is a symbolic link: remove it, so that the dependencies can be installed here");
}
const isDone = isNpm ? isNpmDone : isEachThere;
const lock = `${root}/.cache/installing`;
// What another process installs just now may look done already.
if (isLocked(lock) || !isDone()) {
  const wait = () => say("Another process installs the dependencies: waiting for it");
  await withLock(lock, wait, async () => {
    if (!isDone()) await installAll();
  });
}
if (!isNpm) await import("./carry_libgit2.mjs");

/** Installs by the program whose users start the checkout with it. */
async function installAll() {
  // Whatever npm was told about its own lines, errors are shown.
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

/** Runs a program that installs; ends this process when it fails. */
async function install(program, ...args) {
  const started = performance.now();
  say("Installing the dependencies, the first time only");
  const lines = setInterval(() => {
    say(`Installing the dependencies: ${Math.round((performance.now() - started) / 1000)} s so far`);
  }, Number(lineMs));
  // Standard output is that of the command that follows.
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
