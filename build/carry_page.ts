/**
 * Makes `src/page/carried/files.js`, which has the files of the page for browsers: bundled from `src/page/` by
 * esbuild, each with the digest of its content in its name. The page names the hash of each script that it loads
 * (`integrity`), also of those that other scripts import (in its import map), so that its policy can allow these
 * hashes and nothing else. The module is part of the repository, so that a checkout without the tools of
 * development has the page, too. `packages.json` next to it names the packages whose code is in it, with their
 * licences. With `--check`, only compares the two, as `npm run check` does.
 */
import { buildSync, type Metafile, transformSync } from "esbuild";
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

const TYPES = { html: "text/html", js: "text/javascript" };

/** The text of the module. */
export function pageModule(): string {
  const { outputFiles, metafile } = buildSync({
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
    metafile: true,
    outdir: "page",
    entryNames: "[name].[hash]",
    chunkNames: "[name].[hash]",
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const main = [...scripts.keys()].find((name) => name.startsWith("main."))!;
  const integrity = new Map([...scripts].map(([name, text]) => [name, hashSource(text)]));
  const style = transformSync(readFileSync(`${root}/src/page/style.css`, "utf8"), {
    loader: "css",
    minify: true,
  }).code.trim();
  const importMap = JSON.stringify({
    integrity: Object.fromEntries([...integrity].map(([name, hash]) => [`./page/${name}`, hash])),
  });
  const parts = [
    `<style>${style}</style>`,
    `<script type="importmap">${importMap}</script>`,
    ...importedWith(`page/${main}`, metafile).map((path) => `<link rel="modulepreload" href="${path}">`),
    `<script type="module" src="page/${main}" integrity="${integrity.get(main)}"></script>`,
  ];
  const html = readFileSync(`${root}/src/page/index.html`, "utf8").replace(/\n\s*/g, "\n")
    .replace(/<!--.*-->/, () => parts.join("\n"));
  const files = {
    "index.html": fileOf("html", html),
    ...Object.fromEntries([...scripts].map(([name, text]) => [name, fileOf("js", text)])),
  };
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1));
  const hashes = { scripts: [...integrity.values(), hashSource(importMap)], style: hashSource(style) };
  return `// @ts-self-types="./files.d.ts"\n` +
    "// Made by `node build/carry_page.ts` from src/page/; never edited.\n" +
    `export const PAGE_FILES = ${JSON.stringify(sorted, undefined, 2)};\n` +
    `export const PAGE_HASHES = ${JSON.stringify(hashes, undefined, 2)};\n`;
}

/** All files that a script imports before it runs, and that these import. */
function importedWith(path: string, metafile: Metafile, found: Set<string> = new Set()): readonly string[] {
  for (const { kind, path: imported } of metafile.outputs[path]!.imports) {
    if (kind !== "import-statement" || found.has(imported)) continue;
    found.add(imported);
    importedWith(imported, metafile, found);
  }
  return [...found];
}

/** A hash as policies and `integrity` have it. */
function hashSource(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function fileOf(ending: keyof typeof TYPES, text: string): PageFile {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, DIGEST_DIGITS);
  return { type: TYPES[ending], digest, text };
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
