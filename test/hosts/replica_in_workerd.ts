/** `examples/replica_worker.ts` in workerd, and how its answers are compared with those of the home. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHomeApi, deflate, type HomeApi } from "../../adapters/node/mod.ts";
import { createR2Bucket } from "../../extensions/replicas/bucket/r2.ts";
import { createTestPublisher } from "../extensions/replicas/publisher/test_publisher.ts";
import { type PublishedHome, publishedReads } from "../replay/published_reads.ts";
import { ROOT } from "../support/programs.ts";
import { CONSUMER, makeFolder, mustRun, RUNTIMES } from "./consumer.ts";
import { startMiniflare } from "./miniflare.ts";

/** Header fields that are compared. */
const FIELDS = [
  "content-type",
  "cache-control",
  "content-disposition",
  "etag",
  "link",
  "location",
  "x-total-count",
];

/** The worker, with a bucket of R2 of its own. */
export interface ReplicaWorker {
  /** Sends a request to the worker. */
  ask(path: string, init?: object): Promise<Response>;
  /** Publishes a home into its bucket. */
  publish(home: HomeApi): Promise<void>;
  close(): Promise<void>;
}

/**
 * Bundles the example.
 *
 * @returns starts the worker with an empty bucket.
 */
export async function bundleReplicaWorker(): Promise<() => ReplicaWorker> {
  const folder = makeFolder("replica_worker", {
    "bundle.mjs": `import { build } from "esbuild";
      const entries = { "../mod.ts": "xylem-http" };
      for (const name of ["bucket", "replica"]) entries["../extensions/replicas/" + name + "/mod.ts"] = "xylem-http/" + name;
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
  return () => {
    const miniflare = startMiniflare({
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
    return {
      ask: (path, init = {}) => miniflare.dispatchFetch(`http://localhost${path}`, init),
      async publish(home) {
        const bucket = createR2Bucket(await miniflare.getR2Bucket("RADICLE"));
        const publisher = createTestPublisher(home.storage, bucket, {
          deflate,
          node: home,
        });
        assert.equal((await publisher.publishAll()).failed, 0);
      },
      close: () => miniflare.dispose(),
    };
  };
}

/**
 * Compares answers to recorded reads with those of the home that was published.
 *
 * @param most Reads of each recording, about.
 * @returns the number of reads, and of answers of 200.
 */
export async function compareReads(
  { ask }: ReplicaWorker,
  home: string,
  published: PublishedHome,
  most: number,
): Promise<{ readonly reads: number; readonly ok: number }> {
  const { api, close } = await createHomeApi({ home, behindProxy: true });
  let [reads, ok] = [0, 0];
  for (const { path, headers } of publishedReads(published, most)) {
    if (!URL.canParse(path, "http://localhost")) continue;
    const { host: _, ...fields } = headers ?? {};
    const init = { headers: fields };
    const expected = await api.fetch(
      new Request(`http://localhost${path}`, init),
    );
    const answer = await ask(path, init);
    assert.equal(answer.status, expected.status, path);
    for (const name of FIELDS) {
      assert.equal(answer.headers.get(name), expected.headers.get(name), path);
    }
    assert.equal(await bodyOf(answer), await bodyOf(expected), path);
    reads++;
    if (answer.status === 200) ok++;
  }
  await close();
  return { reads, ok };
}

/** Each byte of a body as a character; the version is that of the packed package, and not that of the work tree. */
async function bodyOf(answer: Response): Promise<string> {
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  return text.replace(/"version":"0\.1\.0-\w+"/, '"version":""');
}
