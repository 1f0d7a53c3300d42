/**
 * Makes `extensions/page/carried/files.js`: the files of the page for browsers, bundled from
 * `extensions/page/browser/` by esbuild, each with the digest of its content in its name. The page names the
 * hash of each script that it loads (`integrity`), and its import map the hashes of scripts that other
 * scripts import, so that its policy allows these hashes and nothing else. The module is part of the
 * repository, so that a checkout has the page without the development tools. `packages.json` next to it lists
 * the packages whose code it contains, with their licences. With `--check`, which `npm run check` uses, it
 * only compares.
 */
import { buildSync, type Metafile, transformSync } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { PageFile } from "../extensions/page/carried/files.js";
import { LANGUAGES } from "../extensions/page/browser/languages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = `${root}/extensions/page/carried`;
/** Development packages whose code is part of the page. */
const PACKAGES = ["dompurify", "highlight.js", "marked", "preact"];
/** Oldest version of JavaScript that must run the page: browsers support it since 2022. */
const TARGET = "es2022";
const DIGEST_DIGITS = 16;

const TYPES = { html: "text/html", js: "text/javascript" };

/** Options for all scripts. */
const BUNDLED = {
  absWorkingDir: root,
  bundle: true,
  platform: "browser",
  target: TARGET,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  write: false,
} as const;

export function pageModule(): string {
  const parts = workerParts();
  const partFiles = [...parts].map(([name, text]) => [`worker_${name}.${digestOf(text)}.js`, text] as const);
  const namedParts = [...parts].map(([name, text], i) => [name, [partFiles[i]![0], hashSource(text)]]);
  const { outputFiles, metafile } = buildSync({
    ...BUNDLED,
    entryPoints: ["extensions/page/browser/main.tsx"],
    splitting: true,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { WORKER_PARTS: JSON.stringify(JSON.stringify(Object.fromEntries(namedParts))) },
    metafile: true,
    outdir: "page",
    entryNames: "[name].[hash]",
    chunkNames: "[name].[hash]",
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const main = [...scripts.keys()].find((name) => name.startsWith("main."))!;
  const integrity = new Map([...scripts].map(([name, text]) => [name, hashSource(text)]));
  const style = transformSync(readFileSync(`${root}/extensions/page/browser/style.css`, "utf8"), {
    loader: "css",
    minify: true,
  }).code.trim();
  const importMap = JSON.stringify({
    integrity: Object.fromEntries(
      [...integrity].filter(([name]) => name !== main).map(([name, hash]) => [`./page/${name}`, hash]),
    ),
  });
  const head = [
    `<style>${style}</style>`,
    `<script type="importmap">${importMap}</script>`,
    ...importedWith(`page/${main}`, metafile).map((path) => `<link rel="modulepreload" href="${path}">`),
    `<script type="module" src="page/${main}" integrity="${integrity.get(main)}"></script>`,
  ];
  const html = readFileSync(`${root}/extensions/page/browser/index.html`, "utf8").replace(/\n\s*/g, "\n")
    .replace(/<!--.*-->/, () => head.join("\n"));
  const files = {
    "index.html": fileOf("html", html),
    ...Object.fromEntries([...scripts, ...partFiles].map(([name, text]) => [name, fileOf("js", text)])),
  };
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1));
  const hashes = { scripts: [...integrity.values(), hashSource(importMap)], style: hashSource(style) };
  return `// @ts-self-types="./files.d.ts"\n` +
    "// Made by `node build/carry_page.ts` from extensions/page/; never edited.\n" +
    `export const PAGE_FILES = ${JSON.stringify(sorted, undefined, 2)};\n` +
    `export const PAGE_HASHES = ${JSON.stringify(hashes, undefined, 2)};\n`;
}

/**
 * The parts of the worker by their names. Each part is a separate script: the files in the worker's folder,
 * and one per language.
 */
function workerParts(): ReadonlyMap<string, string> {
  const folder = `${root}/extensions/page/browser/worker`;
  const sources = new Map(["main", "markdown", "highlight"].map((name) => [name, `import "./${name}.ts";`]));
  for (const [language] of LANGUAGES) {
    sources.set(
      `language_${language}`,
      `import language from "highlight.js/lib/languages/${language}";
      import { scope } from "./scope.ts";
      scope.languages["${language}"] = language;`,
    );
  }
  const bundled = (contents: string) =>
    buildSync({ ...BUNDLED, stdin: { contents, resolveDir: folder }, format: "iife" }).outputFiles[0]!.text;
  return new Map([...sources].map(([name, contents]) => [name, bundled(contents)]));
}

/** All files that a script imports before it runs, directly or through others. */
function importedWith(path: string, metafile: Metafile, found: Set<string> = new Set()): readonly string[] {
  for (const { kind, path: imported } of metafile.outputs[path]!.imports) {
    if (kind !== "import-statement" || found.has(imported)) continue;
    found.add(imported);
    importedWith(imported, metafile, found);
  }
  return [...found];
}

/** A hash in the form for policies and `integrity`. */
function hashSource(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function fileOf(ending: keyof typeof TYPES, text: string): PageFile {
  return { type: TYPES[ending], digest: digestOf(text), text };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_DIGITS);
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
      process.stderr.write("extensions/page/ or src/client/ has changed: run `node build/carry_page.ts`\n");
      process.exitCode = 1;
    }
  }
}
