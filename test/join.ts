// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Joins test files: `node test/join.ts FOLDER PATH…` writes into FOLDER one file for each folder of tests, which imports
 * the tests in it, and prints the paths of the files. Tests at or below the PATHs are left out.
 *
 * A process (Node.js) or an isolate (Deno) for each test file costs 0.3 seconds to load the modules that nearly all of
 * them import, as much as most files need for their tests.
 */
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [folder = "", ...leftOut] = process.argv.slice(2);
const isLeftOut = (path: string) => leftOut.some((one) => path === one || path.startsWith(`${one}/`));

const joined = new Map<string, string[]>();
for (const path of globSync("test/**/*.test.ts").map((path) => path.replaceAll(sep, "/")).sort()) {
  if (isLeftOut(path)) continue;
  const [, name = "", inFolder] = path.split("/");
  const group = inFolder === undefined ? "test" : name;
  const line = `import ${JSON.stringify(pathToFileURL(resolve(path)).href)};\n`;
  joined.set(group, [...joined.get(group) ?? [], line]);
}
mkdirSync(folder, { recursive: true });
for (const [group, imports] of joined) {
  const path = join(folder, `${group}.test.ts`);
  writeFileSync(path, imports.join(""));
  console.log(path);
}
