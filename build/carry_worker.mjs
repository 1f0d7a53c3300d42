/**
 * Puts the program of a worker into the built package as text: `dist/adapters/carried_worker.js`, with all
 * its modules, replaces the empty text of `adapters/node/worker_text.ts`.
 */
import { buildSync } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const EMPTY = 'WORKER_TEXT = ""';
const file = "dist/adapters/node/worker_text.js";

const [program] = buildSync({
  entryPoints: ["dist/adapters/carried_worker.js"],
  bundle: true,
  // Every runtime can execute such a text. Only two runtimes can execute a text of modules.
  format: "cjs",
  platform: "node",
  target: "es2024",
  minify: true,
  keepNames: true,
  legalComments: "none",
  write: false,
  outfile: "worker.js",
}).outputFiles;
const module = readFileSync(file, "utf8");
if (!module.includes(EMPTY)) throw new Error(`${file} has no ${EMPTY}`);
writeFileSync(file, module.replace(EMPTY, () => `WORKER_TEXT = ${JSON.stringify(program.text)}`));
