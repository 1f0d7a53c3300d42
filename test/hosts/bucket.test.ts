/**
 * Buckets inside of Cloudflare's workerd: the contract of all buckets on a binding of R2, and on a real S3 server by
 * the worker's own `fetch`. The suite runs here, each of its calls in the worker.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Bucket, BucketError, type BucketObstacle } from "../../extensions/replicas/bucket/bucket.ts";
import { bytesOf, mustGet, mustPut, testBucket, textOf } from "../extensions/replicas/bucket/suite.ts";
import { folderOnDisk, removeFolder } from "../support/programs.ts";
import { type S3Server, startVersitygw } from "../support/servers.ts";
import { makeFolder, mustRun, RUNTIMES } from "./consumer.ts";
import { type Miniflare, startMiniflare } from "./miniflare.ts";

const WORKER = `
import { createR2Bucket, openBucket, parseBucketAddress } from "xylem-http/bucket";

const toBytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const fromBytes = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
export default {
  async fetch(request, env) {
    const bucket = new URL(request.url).pathname === "/r2"
      ? createR2Bucket(env.BUCKET, { prefix: "below" })
      : openBucket(parseBucketAddress("s3://published/worker"), { variables: env });
    const { method, args } = await request.json();
    try {
      if (method === "list") return Response.json({ value: await Array.fromAsync(bucket.list(...args)) });
      if (method === "put") args[1] = toBytes(args[1]);
      const value = await bucket[method](...args);
      return Response.json({ value: value?.bytes ? { ...value, bytes: fromBytes(value.bytes) } : value });
    } catch ({ name, message, obstacle }) {
      return Response.json({ error: { name, message, obstacle } });
    }
  },
};
`;

const folder = folderOnDisk("worker-bucket");
let server: S3Server;
let miniflare: Miniflare;
before(async () => {
  server = await startVersitygw(folder);
  const project = makeFolder("bucket", {
    "in.mjs": WORKER,
    "bundle.mjs": `import { build } from "esbuild";
      await build({
        entryPoints: ["in.mjs"], outfile: "out.mjs", bundle: true, logLevel: "error", format: "esm", platform: "browser",
        conditions: ["workerd", "worker", "browser"],
      });`,
  });
  await mustRun(RUNTIMES.node, ["bundle.mjs"], { cwd: project });
  const { endpoint, region, accessKeyId, secretAccessKey } = server.options;
  miniflare = startMiniflare({
    modules: [{
      type: "ESModule",
      path: "worker.mjs",
      contents: readFileSync(join(project, "out.mjs"), "utf8"),
    }],
    compatibilityDate: "2026-07-01",
    r2Buckets: ["BUCKET"],
    bindings: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    // Nothing is asked of the network.
    cf: false,
  });
});
after(async () => {
  await miniflare?.dispose();
  await server?.stop();
  removeFolder(folder);
});

/** The bucket of the worker below a path, called from here. */
function remoteBucket(path: "/r2" | "/s3"): Bucket {
  const call = async (method: string, args: unknown[], signal: AbortSignal | undefined): Promise<unknown> => {
    signal?.throwIfAborted();
    const body = JSON.stringify({ method, args });
    const answer = await miniflare.dispatchFetch(`http://localhost${path}`, { method: "POST", body });
    const { value, error } = await answer.json() as {
      value?: unknown;
      error?: { name: string; message: string; obstacle: BucketObstacle };
    };
    if (error === undefined) return value;
    if (error.name === "BucketError") throw new BucketError(error.obstacle, error.message);
    throw error.name === "RangeError"
      ? new RangeError(error.message)
      : new Error(`${error.name}: ${error.message}`);
  };
  const bucket = {
    get: async (key: string, { signal, ...options }: { signal?: AbortSignal } = {}) => {
      const object = await call("get", [key, options], signal);
      if (typeof object !== "object" || object === null) return object;
      return { ...object, bytes: new Uint8Array(Buffer.from((object as { bytes: string }).bytes, "base64")) };
    },
    head: (key: string, { signal }: { signal?: AbortSignal } = {}) => call("head", [key], signal),
    put: (key: string, bytes: Uint8Array, { signal, ...options }: { signal?: AbortSignal } = {}) =>
      call("put", [key, Buffer.from(bytes).toString("base64"), options], signal),
    delete: (keys: string[], { signal }: { signal?: AbortSignal } = {}) => call("delete", [keys], signal),
    async *list(prefix: string, { signal }: { signal?: AbortSignal } = {}) {
      for (const entry of await call("list", [prefix], signal) as object[]) yield entry;
    },
    conditionalPuts: () => call("conditionalPuts", [], undefined),
  };
  return bucket as unknown as Bucket;
}

testBucket("a binding of R2 in workerd", () => ({ bucket: remoteBucket("/r2") }), { longList: 1_100 });

testBucket("a bucket of versitygw in workerd", () => ({ bucket: remoteBucket("/s3") }));

describe("a bucket in workerd", () => {
  it("is the same as from other runtimes", async () => {
    await mustPut(remoteBucket("/s3"), "shared", bytesOf("by the worker"));
    assert.equal(textOf((await mustGet(server.bucket(), "worker/shared")).bytes), "by the worker");
  });
});
