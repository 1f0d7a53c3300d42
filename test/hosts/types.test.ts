/** The types of the package for its users, its libraries checked too; and what npm's checkers say of it. */
import assert from "node:assert/strict";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { ALL_WANTED } from "../support/cases.ts";
import { ROOT } from "../support/programs.ts";
import { CONSUMER, makeFolder, mustRun, run, RUNTIMES } from "./consumer.ts";

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const entries = Object.keys(exports).map((entry) => entry.replace(/^\./, "xylem-http"));

/** A program that uses the types of entries. */
function program(runtime: string): string {
  const foreign = ["node", "deno", "bun"].filter((name) => name !== runtime).map((name) =>
    `xylem-http/${name}`
  );
  const imports = entries.filter((entry) => !foreign.includes(entry))
    .map((entry, i) => `import * as entry${i} from ${JSON.stringify(entry)};\nvoid entry${i};\n`);
  return `${imports.join("")}
import { type Api, createApi, parseNid } from "xylem-http";
import { createMemoryStorage } from "xylem-http/memory";
import { loadLibgit2 } from "xylem-http/libgit2";
import { createHomeApi } from "xylem-http/${runtime}";
export const api: Api = createApi({
  storage: createMemoryStorage(),
  profile: { nodeId: parseNid("z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi"), pinned: () => [] },
  loadLibgit2,
});
export const response: Promise<Response> = api.fetch(new Request("http://localhost/api/v1"));
export const home = createHomeApi({ home: "/home/me/.radicle", loadLibgit2 });
`;
}

/** Compiler options by case. */
const CASES: Record<string, { runtime: string; options: object }> = {
  "nodenext": {
    runtime: "node",
    options: { module: "nodenext", target: "es2024", lib: ["es2024"], types: ["node"] },
  },
  "bundler, with the DOM": {
    runtime: "node",
    options: {
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable"],
      types: ["node"],
    },
  },
  "Bun's types": {
    runtime: "bun",
    options: {
      module: "preserve",
      moduleResolution: "bundler",
      target: "esnext",
      lib: ["esnext"],
      types: ["bun-types"],
    },
  },
};

const [NODENEXT = "", ...OTHERS] = Object.keys(CASES);

describe("types", () => {
  for (const folder of [join(CONSUMER, "node_modules/typescript"), join(ROOT, "node_modules/typescript")]) {
    const compiler = join(folder, "bin/tsc");
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    // The older compiler takes its time: it has one case, which the newer one has only when all tests are asked for.
    const cases = folder.startsWith(CONSUMER) ? [NODENEXT] : ALL_WANTED ? Object.keys(CASES) : OTHERS;
    for (const name of cases) {
      const { runtime, options } = CASES[name]!;
      it(`are clean in TypeScript ${version}: ${name}`, async () => {
        const folder = makeFolder(`types_${version}_${runtime}_${name.length}`, {
          "package.json": `{ "type": "module" }`,
          "program.ts": program(runtime),
          "tsconfig.json": JSON.stringify({
            compilerOptions: {
              strict: true,
              skipLibCheck: false,
              noEmit: true,
              exactOptionalPropertyTypes: true,
              ...options,
            },
            files: ["program.ts"],
          }),
        });
        const { stdout, status } = await run(RUNTIMES.node, [realpathSync(compiler), "-p", folder]);
        assert.deepEqual([stdout, status], ["", 0]);
      });
    }
  }

  it("are clean in Deno", async () => {
    const folder = makeFolder("types_deno", {
      "package.json": `{ "type": "module" }`,
      "deno.json": `{ "nodeModulesDir": "manual", "compilerOptions": { "skipLibCheck": false } }`,
      "program.ts": program("deno"),
    });
    const { stderr, status } = await run(RUNTIMES.deno, ["check", "--quiet", "program.ts"], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1" },
    });
    assert.deepEqual([stderr, status], ["", 0]);
  });
});

/**
 * Most bytes of the packed package: libgit2 is a third of a megabyte of it, the program of a worker less, the page for
 * browsers an eighth, and its pictures a twentieth.
 */
const MAX_PACKED_BYTES = 2_000_000;

describe("the packed package", () => {
  it("has the files that the README names, and nothing that was not built", async (test) => {
    const paths = (await mustRun("tar", ["-tzf", "package.tgz"])).trim().split("\n")
      .map((path) => path.replace("package/", ""));
    const { size } = statSync(join(CONSUMER, "package.tgz"));
    test.diagnostic(`${paths.length} files, ${size} bytes`);
    assert.ok(size < MAX_PACKED_BYTES, `${size} bytes`);
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const named = new Set(Array.from(readme.matchAll(/\b(?:docs|examples)\/[\w/]+\.\w+/g), ([path]) => path));
    assert.ok(named.size > 3);
    assert.deepEqual([...named].filter((path) => !paths.includes(path)), []);
    const expected =
      /^(?:dist\/.*\.(?:js|d\.ts)|dist\/src\/diff\/libgit2\/carried\/COPYING|(?:docs|examples|deploy)\/.*|package\.json|[A-Z]+\.md|LICENSE-\w+)$/;
    assert.deepEqual(paths.filter((path) => !expected.test(path)), []);
  });

  it("passes publint", async () => {
    const folder = makeFolder("publint", {
      "check.mjs":
        `import { publint } from "publint"; import { formatMessage } from "publint/utils"; import { readFileSync } from "node:fs";
        const pkgDir = process.argv[2];
        const { messages } = await publint({ pkgDir, strict: true });
        const json = JSON.parse(readFileSync(pkgDir + "/package.json", "utf8"));
        for (const message of messages) console.log(message.type, formatMessage(message, json));`,
    });
    const output = await mustRun(RUNTIMES.node, [
      join(folder, "check.mjs"),
      join(CONSUMER, "node_modules/xylem-http"),
    ]);
    assert.equal(output, "");
  });

  it("passes attw, as modules only", async () => {
    const attw = realpathSync(join(CONSUMER, "node_modules/@arethetypeswrong/cli"));
    const args = [
      join(attw, "dist/index.js"),
      "package.tgz",
      "--profile",
      "esm-only",
      "--no-emoji",
      "--format",
      "ascii",
    ];
    const { status, stdout } = await run(RUNTIMES.node, args);
    assert.equal(status, 0, stdout);
  });
});
