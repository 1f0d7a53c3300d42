/** Cloudflare's workerd: all routes, with and without `nodejs_compat`, from memory and from a bucket of R2. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../support/programs.ts";
import { CONSUMER, lineOf, makeFolder, mustRun, PATHS, RUNTIMES } from "./consumer.ts";
import { dumpHome, expectedFromMemory, fill, NODE_ID, type RepositoryDump } from "./dump.ts";
import { type Miniflare, startMiniflare } from "./miniflare.ts";

const WORKER = `
import { createApi, parseNid } from "xylem-http";
import { createMemoryStorage } from "xylem-http/memory";
import { archives } from "xylem-http/archives";
import { events } from "xylem-http/events";
import { git } from "xylem-http/git";
import { page } from "xylem-http/page";
import { search } from "xylem-http/search";
import libgit2 from "wasm-git/lg2.wasm";
import { bucketStorage } from ${JSON.stringify(join(ROOT, "test/hosts/bucket_storage.ts"))};

const fill = ${fill};
let api;
const logged = [];
const apiOf = (storage) => createApi({
  storage,
  profile: { nodeId: parseNid(${JSON.stringify(NODE_ID)}), pinned: () => [] },
  loadLibgit2: () => Promise.resolve(libgit2),
  extensions: [events(), search({}), archives(), page(), git({})],
  environment: { log: (...line) => void logged.push(line.map((part) => part?.stack ?? String(part)).join(" ")) },
});
/** A bucket whose reads the test may hold. */
const held = ({ REPOSITORIES: bucket, READS: reads }) => reads === undefined ? bucket : {
  head: async (key) => (await reads.fetch("http://reads/"), await bucket.head(key)),
  get: async (key) => (await reads.fetch("http://reads/"), await bucket.get(key)),
};
export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === "/log") return Response.json(logged);
    if (pathname === "/fill") {
      const storage = createMemoryStorage();
      fill(storage, await request.json());
      api = apiOf(storage);
      return new Response("filled");
    }
    api ??= apiOf(bucketStorage(held(env)));
    const answer = api.fetch(request);
    // Other requests may wait for the same work when the client has left.
    context.waitUntil(answer.catch(() => {}));
    return await answer;
  },
};
`;

/** Reads of a bucket for a diff until its trees are compared. */
const READS_BEFORE_DIFF = 14;

let worker: string;
let dump: readonly RepositoryDump[];
let expected: string[];
before(async () => {
  const folder = makeFolder("workerd", {
    "in.mjs": WORKER,
    "bundle.mjs": `import { build } from "esbuild";
      await build({
        entryPoints: ["in.mjs"], outfile: "out.mjs", bundle: true, logLevel: "error", format: "esm", platform: "browser",
        conditions: ["workerd", "worker", "browser"], nodePaths: [${
      JSON.stringify(join(CONSUMER, "node_modules"))
    }],
        plugins: [{ name: "worker", setup(build) {
          build.onResolve({ filter: /\\.wasm$/ }, () => ({ path: "./lg2.wasm", external: true }));
          build.onResolve({ filter: /mod\\.ts$/ }, () => build.resolve("xylem-http", { kind: "import-statement", resolveDir: ${
      JSON.stringify(CONSUMER)
    } }));
        } }],
      });`,
  });
  await mustRun(RUNTIMES.node, ["bundle.mjs"], { cwd: folder });
  worker = readFileSync(join(folder, "out.mjs"), "utf8");
  dump = dumpHome();
  expected = await expectedFromMemory(dump);
});

const running: Miniflare[] = [];
after(() => Promise.all(running.map((miniflare) => miniflare.dispose())));

function start(flags: readonly string[], serviceBindings: object = {}): Miniflare {
  const miniflare = startMiniflare({
    modules: [
      { type: "ESModule", path: "worker.mjs", contents: worker },
      {
        type: "CompiledWasm",
        path: "lg2.wasm",
        contents: readFileSync(join(CONSUMER, "node_modules/wasm-git/lg2.wasm")),
      },
    ],
    compatibilityDate: "2026-07-01",
    compatibilityFlags: flags,
    r2Buckets: ["REPOSITORIES"],
    serviceBindings,
    // Nothing is asked of the network.
    cf: false,
  });
  running.push(miniflare);
  return miniflare;
}

/** Puts all repositories into the bucket. */
async function putAll(miniflare: Miniflare): Promise<void> {
  const bucket = await miniflare.getR2Bucket("REPOSITORIES");
  await bucket.put("repositories.json", JSON.stringify(dump.map(({ rid }) => rid)));
  for (const { rid, refs, objects } of dump) {
    await bucket.put(`${rid}/refs.json`, JSON.stringify(refs));
    await Promise.all(
      objects.map(({ oid, kind, base64 }) =>
        bucket.put(`${rid}/objects/${oid}`, Buffer.from(base64, "base64"), { customMetadata: { kind } })
      ),
    );
  }
}

async function answersOf(miniflare: Miniflare): Promise<string[]> {
  const lines: string[] = [];
  for (const path of PATHS) {
    lines.push(await lineOf(await miniflare.dispatchFetch(`http://localhost${path}`)));
  }
  const page = await miniflare.dispatchFetch("http://localhost/", { headers: { accept: "text/html" } });
  assert.match(await page.text(), /^<!DOCTYPE html>/);
  const log = await (await miniflare.dispatchFetch("http://localhost/log")).json();
  assert.deepEqual(log, []);
  return lines;
}

describe("workerd", () => {
  for (const flags of [["nodejs_compat"], []]) {
    it(`answers from memory ${flags.length > 0 ? "with" : "without"} nodejs_compat`, async () => {
      const miniflare = start(flags);
      await miniflare.dispatchFetch("http://localhost/fill", { method: "POST", body: JSON.stringify(dump) });
      assert.deepEqual(await answersOf(miniflare), expected);
    });
  }

  it("answers from a bucket", async () => {
    const miniflare = start(["nodejs_compat"]);
    await putAll(miniflare);
    assert.deepEqual(await answersOf(miniflare), expected);
  });

  it("answers clients that wait for the work of one that leaves", async () => {
    const reached = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    let reads = 0;
    const READS = async () => {
      // The diff is being made then; all further reads wait, too.
      if (++reads >= READS_BEFORE_DIFF) {
        reached.resolve();
        await going.promise;
      }
      return new Response();
    };
    const miniflare = start([], { READS });
    await putAll(miniflare);
    const diff = PATHS.at(-1)!;
    const leaving = request(new URL(diff, await miniflare.ready), { agent: false });
    const left = new Promise((resolve) => leaving.on("error", () => {}).on("close", resolve).end());
    await reached.promise;
    const followers = [1, 2].map(() => miniflare.dispatchFetch(`http://localhost${diff}`).then(lineOf));
    leaving.destroy();
    await left;
    // By now the service has heard of all of them.
    await miniflare.dispatchFetch("http://localhost/log");
    going.resolve();
    assert.deepEqual(await Promise.all(followers), [expected.at(-1), expected.at(-1)]);
  });
});
