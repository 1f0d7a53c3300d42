/** Imports point one way: core ← routes ← adapters, and core runs nowhere in particular. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The parts of the core, from the ground up: each imports only parts of lower rows. */
const LAYERS: readonly (readonly string[])[] = [
  ["errors.ts", "version.ts", "bytes", "async"],
  ["ids", "scheduling"],
  ["ports", "text", "client"],
  ["cache", "derived"],
  ["keys"],
  ["git", "http", "profile"],
  ["diff", "identity", "seeding"],
  ["cob", "session", "storage"],
  ["contract", "core.ts"],
  ["views"],
  ["diff_service"],
  ["browse"],
  ["routes", "extension.ts"],
  ["api.ts"],
  ["mod.ts"],
];

/** The layer whose two parts name each other in their types: routes are what an extension brings. */
const ROUTES = LAYERS.findIndex((parts) => parts.includes("extension.ts"));

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/** Import and export specifiers of a file, comments left out. */
function specifiers(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "").replace(
    /^\s*\/\/.*$/gm,
    "",
  );
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g)].map((match) => match[1]!);
}

function importsOf(file: string): Import[] {
  return specifiers(file).filter((to) => to.startsWith(".")).map((to) => ({
    from: file,
    to: relative(ROOT, resolve(ROOT, dirname(file), to)),
  }));
}

/** What files load, with all that these load: imports of types and of what is loaded later are left out. */
function loadedWith(files: readonly string[]): string[] {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const text = readFileSync(join(ROOT, file), "utf8");
    for (const [, names, to] of text.matchAll(/^(?:im|ex)port (?!type\b)([^;"]*?)(?:from )?"(\.[^"]+)";/gm)) {
      const isTypesAlone = /^\{(?:\s*type \w+,?)+\s*\}\s*$/.test(names!);
      if (!isTypesAlone && to!.endsWith(".ts")) load(relative(ROOT, resolve(ROOT, dirname(file), to!)));
    }
  };
  files.forEach(load);
  return [...loaded];
}

/** The folder or file of `src/`, `extensions/` or `adapters/` that a file belongs to. */
const partOf = (file: string): string => file.split("/").slice(0, 2).join("/");

/** Files of the API itself; names of repositories are read on the command line, too. */
const OF_THE_API =
  /^(?:mod\.ts|src\/(?:api\.ts|(?:browse|cob|diff_service\/(?!worker)|git|routes\/(?!aliases)|storage|views)))/;
/** Most files that the command loads before it listens; ten of them are of its operation. */
const MAX_FIRST_FILES = 131;

describe("imports", () => {
  const core = sourceFiles("src").flatMap(importsOf);
  const all = [...core, ...["extensions", "adapters"].flatMap(sourceFiles).flatMap(importsOf)];

  it("of the core point down, layer by layer", () => {
    const layerOf = (file: string) => LAYERS.findIndex((parts) => parts.includes(file.split("/")[1]!));
    assert.deepEqual(sourceFiles("src").filter((file) => layerOf(file) === -1), []);
    const wrong = core.filter(({ from, to }) =>
      to.startsWith("src/") && partOf(from) !== partOf(to) &&
      (layerOf(to) > layerOf(from) || layerOf(to) === layerOf(from) && layerOf(to) !== ROUTES)
    );
    assert.deepEqual(wrong, []);
  });

  it("of the core reach no extension and no adapter", () => {
    const isForeign = (to: string) => /^(?:extensions|adapters)\//.test(to);
    assert.deepEqual(core.filter(({ to }) => isForeign(to)), []);
  });

  it("of extensions reach the core by one door; schemas and the client have a door of their own", () => {
    const doors = ["src/mod.ts", "src/contract/mod.ts", "src/client/mod.ts"];
    const extensions = sourceFiles("extensions").flatMap(importsOf);
    assert.deepEqual(extensions.filter(({ to }) => to.startsWith("src/") && !doors.includes(to)), []);
    assert.deepEqual(extensions.filter(({ to }) => /^(?:adapters\/|mod\.ts)/.test(to)), []);
  });

  it("form no circle between files", () => {
    const edges = Map.groupBy(all, ({ from }) => from);
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      assert.ok(!path.includes(file), `circle: ${[...path, file].join(" → ")}`);
      if (done.has(file)) return;
      for (const { to } of edges.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of edges.keys()) visit(file, []);
  });

  it("load schemas of input and traits alone of the contract", () => {
    const loaded = ["src/api.ts", ...sourceFiles("src/routes"), ...sourceFiles("src/views")].flatMap(
      (file) => {
        const text = readFileSync(join(ROOT, file), "utf8");
        return [...text.matchAll(/^import (?!type\b)[^;]*?from "[./]+\/contract\/(\w+)\.ts";/gm)].map((
          [, name],
        ) => name);
      },
    );
    assert.deepEqual([...new Set(loaded)].sort(), ["bodies", "queries", "traits"]);
  });

  it("of the command bring what a socket needs; the API is loaded when it is open", () => {
    const command = ["main", "command", "serve_command"].map((name) => `adapters/cli/${name}.ts`);
    for (const runtime of ["node", "deno", "bun"]) {
      const loaded = loadedWith([...command, `adapters/${runtime}/mod.ts`]);
      assert.ok(loaded.includes("adapters/node/http_server.ts") || runtime === "deno");
      assert.deepEqual(loaded.filter((file) => OF_THE_API.test(file)), [], runtime);
      assert.ok(loaded.length <= MAX_FIRST_FILES, `${runtime}: ${loaded.length} files`);
    }
  });

  it("of routes reach storages through ports only", () => {
    assert.deepEqual(
      core.filter(({ from, to }) => from.startsWith("src/routes/") && to.startsWith("src/storage/")),
      [],
    );
  });

  it("name no runtime's modules in src/, extensions/ and mod.ts", () => {
    const foreign = [...sourceFiles("src"), ...sourceFiles("extensions"), "mod.ts"].flatMap((file) =>
      specifiers(file).filter((to) => /^(node|bun|deno|jsr|https?):|^bun$/.test(to)).map((to) =>
        `${file}: ${to}`
      )
    );
    assert.deepEqual(foreign, []);
  });

  it("name no runtime's modules, except for types, where adapters share code", () => {
    const shared = [...sourceFiles("adapters/home"), ...sourceFiles("adapters/server")];
    const foreign = shared.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      const imports = text.matchAll(/^import (?!type\b)[^;]*?from "((?:node|bun|deno):[^"]+)"/gm);
      return [...imports].map(([, name]) => `${file}: ${name}`);
    });
    assert.deepEqual(foreign, []);
  });

  it("of adapters use the package's parts, never each other's runtime", () => {
    const runtimes = ["node", "deno", "bun"].map((name) => `adapters/${name}`);
    const wrong = sourceFiles("adapters").flatMap(importsOf).filter(({ from, to }) => {
      const [here, there] = [partOf(from), partOf(to)];
      return to.startsWith("adapters/") && runtimes.includes(here) && runtimes.includes(there) &&
        here !== there &&
        there !== "adapters/node";
    });
    assert.deepEqual(wrong, []);
  });
});

describe("src/", () => {
  it("hands out arrays that are readonly in type: many are cached", () => {
    const returned = /^export (?:async )?function\*? [^\n]*\): (?:Promise<|Awaitable<)?[A-Z]\w*\[\]/gm;
    const method = /^ {2}(?:async )?[a-z]\w*\([^\n]*\): (?:Promise<|Awaitable<)?[A-Z]\w*\[\][^\n]*[{;]$/gm;
    const wrong = sourceFiles("src").flatMap((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return [...text.matchAll(returned), ...text.matchAll(method)].map(([line]) => `${file}: ${line}`);
    });
    assert.deepEqual(wrong, []);
  });

  it("mentions no runtime's globals", () => {
    const mentions = sourceFiles("src").filter((file) => {
      const text = readFileSync(join(ROOT, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "").replace(
        /\/\/.*$/gm,
        "",
      );
      return /\b(Deno|Bun)\.|\bprocess\.|\bBuffer\b/.test(text);
    });
    assert.deepEqual(mentions, []);
  });
});
