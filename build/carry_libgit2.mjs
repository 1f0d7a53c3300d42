/**
 * Makes the modules in `src/diff/libgit2/carried/` from the installed package wasm-git: its JavaScript
 * without the code for other hosts, and its WebAssembly as text. Bundlers and registries carry modules, but
 * no files next to them. Runs on every runtime, and does nothing when the modules exist already.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

/** Must be increased when this file makes other modules from the same package. */
const EDITION = 1;

/**
 * Replacements in `lg2.js`. The engine passes the WebAssembly to the program, so the program needs nothing
 * from its host: no files, sockets or modules of Node.js. Each text must occur exactly this number of times.
 */
const REPLACEMENTS = [
  ["var ENVIRONMENT_IS_WEB=!!globalThis.window;", "", 1],
  ["var ENVIRONMENT_IS_WORKER=!!globalThis.WorkerGlobalScope;", "", 1],
  [
    'var ENVIRONMENT_IS_NODE=globalThis.process?.versions?.node&&globalThis.process?.type!="renderer";',
    "",
    1,
  ],
  [
    'if(ENVIRONMENT_IS_NODE){const{createRequire}=await import("node:module");' +
    "var require=createRequire(import.meta.url)}",
    "",
    1,
  ],
  ["Object.assign(Module,globalThis.wasmGitModuleOverrides);", "", 1],
  ["var _scriptName=import.meta.url;", 'var _scriptName="";', 1],
  ['new URL("lg2.wasm",import.meta.url).href', '"lg2.wasm"', 1],
  ["ENVIRONMENT_IS_NODE", "false", 9],
  ["ENVIRONMENT_IS_WEB", "false", 1],
  ["ENVIRONMENT_IS_WORKER", "false", 4],
  ["require(", "absent(", 9],
];

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const folder = at("src/diff/libgit2/carried");
const packageFolder = at("node_modules/wasm-git");
const { version } = JSON.parse(readFileSync(`${packageFolder}/package.json`, "utf8"));
const head = (file, types) =>
  `// @ts-self-types="./${types}"\n` +
  `// Made by build/carry_libgit2.mjs, edition ${EDITION}, from ${file} of wasm-git ${version}: ` +
  `GPL-2.0 with a linking exception.\n`;

carry("program.js", head("lg2.js", "program.d.ts"), () => {
  let text = readFileSync(`${packageFolder}/lg2.js`, "utf8");
  for (const [old, replacement, times] of REPLACEMENTS) {
    const parts = text.split(old);
    if (parts.length !== times + 1) {
      throw new Error(`lg2.js of wasm-git ${version} has ${parts.length - 1} times ${old}, not ${times}`);
    }
    text = parts.join(replacement);
  }
  return `var absent;${text}`;
});
carry("wasm.js", head("lg2.wasm", "wasm.d.ts"), () => {
  const packed = deflateRawSync(readFileSync(`${packageFolder}/lg2.wasm`), { level: 9 });
  return `export const PACKED_WASM = "${packed.toString("base64")}";\n`;
});

/** Writes a module, unless the existing one begins in the same way. */
function carry(name, start, make) {
  const path = `${folder}/${name}`;
  if (existsSync(path) && readFileSync(path, "utf8").startsWith(start)) return;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, start + make());
  renameSync(unfinished, path);
}
