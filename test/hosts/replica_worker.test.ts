/** `examples/replica_worker.ts` in workerd: a published home in a bucket of R2, answered as beside the home. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createHomeApi, deflate, type HomeApi } from "../../adapters/node/mod.ts";
import { createR2Bucket, type R2LikeBucket } from "../../src/bucket/r2.ts";
import { PUBLISHED_HOMES, publishedReads } from "../replay/published_reads.ts";
import { createTestPublisher } from "../publish/test_publisher.ts";
import { ROOT } from "../support/programs.ts";
import { CONSUMER, HOME, makeFolder, mustRun, RUNTIMES } from "./consumer.ts";

/** What is used here of miniflare, which is installed apart. */
interface Miniflare {
  dispatchFetch(url: string, init?: object): Promise<Response>;
  getR2Bucket(name: string): Promise<R2LikeBucket>;
  dispose(): Promise<void>;
}

const { Miniflare } = createRequire(join(CONSUMER, "program.js"))(
  "miniflare",
) as {
  Miniflare: new (options: object) => Miniflare;
};

/** Recordings of the home, of each about so many reads, and the header fields that are compared. */
const BROWSE = PUBLISHED_HOMES.find(({ archive }) => archive === "browse.tar.gz")!;
const READS = 60;
const FIELDS = [
  "content-type",
  "cache-control",
  "content-disposition",
  "etag",
  "link",
  "location",
  "x-total-count",
];

const ask = (path: string, init: object = {}) => miniflare.dispatchFetch(`http://localhost${path}`, init);

let miniflare: Miniflare;
before(async () => {
  const folder = makeFolder("replica_worker", {
    "bundle.mjs": `import { build } from "esbuild";
      const entries = { "../mod.ts": "xylem-http" };
      for (const name of ["bucket", "replica"]) entries["../src/" + name + "/mod.ts"] = "xylem-http/" + name;
      await build({
        entryPoints: [${JSON.stringify(join(ROOT, "examples/replica_worker.ts"))}],
        outfile: "out.mjs", bundle: true, logLevel: "error", format: "esm", platform: "browser",
        conditions: ["workerd", "worker", "browser"],
        plugins: [{ name: "package", setup(build) {
          build.onResolve({ filter: /\\.wasm$/ }, () => ({ path: "./lg2.wasm", external: true }));
          build.onResolve({ filter: /mod\\.ts$/ }, ({ path }) =>
            build.resolve(entries[path], { kind: "import-statement", resolveDir: ${
      JSON.stringify(CONSUMER)
    } }));
        } }],
      });`,
  });
  await mustRun(RUNTIMES.node, ["bundle.mjs"], { cwd: folder });
  miniflare = new Miniflare({
    modules: [
      {
        type: "ESModule",
        path: "worker.mjs",
        contents: readFileSync(join(folder, "out.mjs"), "utf8"),
      },
      {
        type: "CompiledWasm",
        path: "lg2.wasm",
        contents: readFileSync(
          join(CONSUMER, "node_modules/wasm-git/lg2.wasm"),
        ),
      },
    ],
    compatibilityDate: "2026-07-01",
    r2Buckets: ["RADICLE"],
    // Nothing is asked of the network.
    cf: false,
  });
});
after(() => miniflare?.dispose());

/** Lists, trees, histories with their diffs. */
async function pathsOf({ api }: HomeApi): Promise<string[]> {
  const read = async (path: string) => await (await api.fetch(new Request(`http://localhost${path}`))).json();
  const paths = ["/api/v1/projects"];
  for (const { id, head } of (await read("/api/v1/projects")).slice(0, 4)) {
    const project = `/api/v1/projects/${id}`;
    paths.push(
      project,
      `${project}/commits?perPage=30`,
      `${project}/commits/${head}`,
    );
    paths.push(
      `${project}/tree/${head}/`,
      `${project}/issues`,
      `${project}/patches`,
    );
    const [{ commit: { id: parent } } = { commit: { id: head } }] =
      (await read(`${project}/commits?perPage=30`)).commits.slice(-1);
    paths.push(`${project}/diff/${parent}/${head}`);
  }
  return paths;
}

/** Each byte of a body as a character; the version is that of the packed package, and not that of the work tree. */
async function bodyOf(answer: Response): Promise<string> {
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  return text.replace(/"version":"0\.1\.0-\w+"/, '"version":""');
}

describe("examples/replica_worker.ts", () => {
  it("answers 503 until something is published, then as the home", async () => {
    const early = await ask("/api/v1/projects");
    assert.equal(early.status, 503);
    await early.body?.cancel();
    const home = await createHomeApi({ home: HOME, behindProxy: true });
    const bucket = createR2Bucket(await miniflare.getR2Bucket("RADICLE"));
    const publisher = createTestPublisher(home.storage, bucket, {
      deflate,
      node: home,
    });
    assert.equal((await publisher.publishAll()).failed, 0);
    for (const path of await pathsOf(home)) {
      const expected = await home.api.fetch(
        new Request(`http://localhost${path}`),
      );
      const answer = await ask(path);
      assert.equal(answer.status, expected.status, path);
      assert.equal(await answer.text(), await expected.text(), path);
    }
    await home.close();
  });

  it("answers recorded reads as the home", async () => {
    const home = await createHomeApi({ home: HOME, behindProxy: true });
    let ok = 0;
    for (const { path, headers } of publishedReads(BROWSE, READS)) {
      if (!URL.canParse(path, "http://localhost")) continue;
      const { host: _, ...fields } = headers ?? {};
      const init = { headers: fields };
      const expected = await home.api.fetch(
        new Request(`http://localhost${path}`, init),
      );
      const answer = await ask(path, init);
      assert.equal(answer.status, expected.status, path);
      for (const name of FIELDS) {
        assert.equal(
          answer.headers.get(name),
          expected.headers.get(name),
          path,
        );
      }
      assert.equal(await bodyOf(answer), await bodyOf(expected), path);
      if (answer.status === 200) ok++;
    }
    assert.ok(ok > READS / 2, `${ok} answers of 200`);
    await home.close();
  });

  it("refuses changes, and shows nothing of the owner", async () => {
    for (
      const [path, status] of [["/api/v1/sessions", 503], [
        "/api/v1/profile",
        401,
      ]] as const
    ) {
      const answer = await ask(
        path,
        path.endsWith("sessions") ? { method: "POST" } : {},
      );
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get("via"), "1.1 xylem-replica");
      await answer.body?.cancel();
    }
  });
});
