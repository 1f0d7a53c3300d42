/**
 * Installs what is missing, or of another release: npm everything, `npm run setup`; Deno and Bun what a
 * checkout needs to be served with them alone. Says so at once, and every five seconds while it lasts; an
 * argument is another time between two lines, in milliseconds.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , lineMs = 5000] = process.argv;
const isNpm = !("Deno" in globalThis || "Bun" in globalThis);
const say = (line) => process.stderr.write(`${line}\n`);

if (isNpm) {
  // Whatever npm was told about its own lines, errors are shown.
  if (!isNpmDone()) await install("npm", "ci", "--loglevel=error", "--no-audit", "--no-fund");
} else {
  if (!isEachThere()) {
    await ("Deno" in globalThis ? install("deno", "install", "--quiet", "--prod", "--no-lock") : install(
      process.env.npm_execpath ?? "bun",
      ...["install", "--production", "--no-save", "--no-progress", "--no-summary", "--ignore-scripts"],
    ));
  }
  await import("./carry_libgit2.mjs");
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
  const [status] = await once(child, "close").catch((error) => [error.message]);
  clearInterval(lines);
  if (status === 0) return;
  say(`The dependencies could not be installed: ${program} ${args[0]} ended with ${status}`);
  process.exit(1);
}
