/** An app that mounts the core alone ships no extension. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { ROOT } from "./support/programs.ts";

/** Largest part of a bundle with all extensions that the core alone may need. */
const MAX_SHARE = 0.8;

const CORE = `
export { createApi } from "./mod.ts";
export { createMemoryStorage } from "./src/storage/memory.ts";
`;
const EXTENSIONS = ["archives", "events", "git", "page", "search", "replicas/replica", "replicas/bucket"]
  .map((name) => `export * as ${name.replace("/", "_")} from "./extensions/${name}/mod.ts";\n`).join("");

/**
 * A bundle: the files in it, what is loaded later included; its compressed size in bytes, what is loaded later
 * left out; and the text of the document of the API.
 */
function bundle(contents: string) {
  const { metafile, outputFiles } = buildSync({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    outdir: join(ROOT, "dist-of-test"),
    write: false,
    metafile: true,
    absWorkingDir: ROOT,
  });
  const withFile = (file: string) => {
    const [path] = Object.entries(metafile.outputs).find(([, { inputs }]) => file in inputs)!;
    return outputFiles.find((output) => output.path === join(ROOT, path))!;
  };
  return {
    files: Object.keys(metafile.inputs),
    bytes: gzipSync(withFile("<stdin>").contents).length,
    document: withFile("src/contract/carried/document.ts").text,
  };
}

describe("a bundle of the core", () => {
  const core = bundle(CORE);
  const all = bundle(CORE + EXTENSIONS);

  it("has no file of an extension", () => {
    assert.deepEqual(core.files.filter((file) => file.startsWith("extensions/")), []);
  });

  it("describes no route of an extension", () => {
    for (const path of ["/api/v1/projects/{project}", "/raw/{rid}/head/{path}"]) {
      assert.ok(core.document.includes(`"${path}"`), path);
    }
    for (const path of ["/events", "/api/v1/search", "/raw/{rid}/{archive}", "/{name}/info/refs", "/page/"]) {
      assert.ok(!core.document.includes(path), path);
    }
  });

  it("is smaller than one with all extensions", (test) => {
    test.diagnostic(`core ${core.bytes} bytes, with all extensions ${all.bytes}`);
    assert.ok(core.bytes < MAX_SHARE * all.bytes, `${core.bytes} of ${all.bytes}`);
  });
});
