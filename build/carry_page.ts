/**
 * Makes `src/page/carried/files.js`, which has the files of the page for browsers: bundled from `src/page/` by
 * esbuild, each with the digest of its content in its name. The module is part of the repository, so that a
 * checkout without the tools of development has the page, too. `packages.json` beside it names the packages whose
 * code is in it, with their licences. With `--check`, only compares the two, as
 * `npm run check` does.
 */
import { buildSync, transformSync } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { PageFile } from "../src/page/carried/files.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = `${root}/src/page/carried`;
/** Packages of development whose code the page carries. */
const PACKAGES = ["dompurify", "highlight.js", "marked", "preact"];
/** Oldest language that the page is written for: what browsers have had since 2022. */
const TARGET = "es2022";
const DIGEST_DIGITS = 16;

const TYPES: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

/** The text of the module. */
export function pageModule(): string {
  const files: Record<string, PageFile> = {};
  const style = readFileSync(`${root}/src/page/style.css`, "utf8");
  const styleName = add("style.css", transformSync(style, { loader: "css", minify: true }).code);
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: ["src/page/main.tsx"],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: TARGET,
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    legalComments: "none",
    write: false,
    outdir: "page",
    entryNames: "[name].[hash]",
    chunkNames: "[name].[hash]",
  });
  for (const { path, text } of outputFiles) files[basename(path)] = fileOf("js", text);
  const main = Object.keys(files).find((name) => name.startsWith("main."));
  const html = readFileSync(`${root}/src/page/index.html`, "utf8")
    .replace("page/style.css", `page/${styleName}`).replace("page/main.js", `page/${main}`)
    .replace(/\n\s*/g, "\n");
  files["index.html"] = fileOf("html", html);
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1));
  return `// @ts-self-types="./files.d.ts"\n` +
    "// Made by `node build/carry_page.ts` from src/page/; never edited.\n" +
    `export const PAGE_FILES = ${JSON.stringify(sorted, undefined, 2)};\n`;

  function add(name: string, text: string): string {
    const file = fileOf(name.split(".").at(-1)!, text);
    const full = name.replace(".", `.${file.digest}.`);
    files[full] = file;
    return full;
  }
}

function fileOf(ending: string, text: string): PageFile {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, DIGEST_DIGITS);
  return { type: TYPES[ending]!, digest, text };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(root);
  const { installedPackage } = await import("./notice.mjs");
  const packages = PACKAGES.map((name) => installedPackage(join("node_modules", name)));
  const made = { "files.js": pageModule(), "packages.json": `${JSON.stringify(packages, undefined, 2)}\n` };
  for (const [name, text] of Object.entries(made)) {
    const file = join(FOLDER, name);
    if (!process.argv.includes("--check")) writeFileSync(file, text);
    else if (readFileSync(file, "utf8") !== text) {
      process.stderr.write("src/page/ or src/client/ has changed: run `node build/carry_page.ts`\n");
      process.exitCode = 1;
    }
  }
}
