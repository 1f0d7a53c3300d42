/**
 * Installs what a checkout needs to be served, with Deno or Bun alone, when it is missing or of another
 * release; `npm run setup` installs everything for those who change the code.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));

const isInstalled = Object.entries(dependencies).every(([name, version]) => {
  try {
    return JSON.parse(readFileSync(`${root}/node_modules/${name}/package.json`, "utf8")).version === version;
  } catch {
    return false;
  }
});
if (!isInstalled) {
  process.stderr.write("Installing the dependencies, the first time only\n");
  const args = "Deno" in globalThis
    ? ["install", "--quiet", "--prod", "--no-lock"]
    : ["install", "--silent", "--production", "--no-save", "--ignore-scripts"];
  execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}
await import("./carry_libgit2.mjs");
