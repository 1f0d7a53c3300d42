/** A replica as a service: long diffs are made by workers, which read the bucket through the service. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { serveReplicaWith } from "../../adapters/home/serve_replica.ts";
import { createMemoryBucket } from "../../extensions/replicas/bucket/memory.ts";
import { BucketError } from "../../extensions/replicas/bucket/bucket.ts";
import { createTestPublisher } from "../extensions/replicas/publisher/test_publisher.ts";
import { GitRepository } from "../support/git.ts";
import { removeFolder, temporaryFolder } from "../support/programs.ts";
import { CountingBucket } from "../support/published.ts";
import { type LargeDiffHome, makeLargeDiffHome, SHAPES } from "./large_diff.ts";
import { adapter } from "./this_runtime.ts";

/** Requests that are answered while a large diff is made; without workers, it would be one or two. */
const SHORT_REQUESTS = 20;

const folder = temporaryFolder("replica-workers");
const bucket = new CountingBucket(createMemoryBucket());
const base = `/api/v1/projects/${SHAPES}`;
let large: LargeDiffHome;
let home: Awaited<ReturnType<typeof adapter.createHomeApi>>;
before(async () => {
  large = makeLargeDiffHome(folder);
  const git = new GitRepository(join(large.home, "storage", SHAPES.slice("rad:".length)));
  git.text(["update-ref", "refs/heads/large", large.now.commit]);
  home = await adapter.createHomeApi({ home: large.home });
  const publisher = createTestPublisher(home.storage, bucket, { deflate: adapter.deflate, node: home });
  assert.equal((await publisher.publishAll()).failed, 0);
});
after(async () => {
  await home?.close();
  removeFolder(folder);
});

const openReplica = (log: string[] = []) =>
  adapter.serveReplica({
    bucket,
    listen: [{ transport: "tcp", hostname: "127.0.0.1", port: 0 }],
    environment: { log: (level, message) => void log.push(`${level} ${message}`) },
  });

const diffPath = () => `${base}/diff/${large.old.commit}/${large.now.commit}`;
const request = (path: string) => new Request(`http://localhost${path}`);

describe("a replica with workers", () => {
  it("answers short requests while a large diff is made, and the diff as the home", async () => {
    const log: string[] = [];
    const replica = await openReplica(log);
    assert.equal((await replica.fetch(request(base))).status, 200);
    let isMade = false;
    const diff = replica.fetch(request(diffPath())).finally(() => isMade = true);
    let answered = 0;
    while (!isMade && answered < SHORT_REQUESTS) {
      assert.equal((await replica.fetch(request(base))).status, 200);
      // Whatever has arrived is heard first.
      await new Promise((resume) => setTimeout(resume, 0));
      answered++;
    }
    assert.equal(answered, SHORT_REQUESTS);
    assert.equal(isMade, false);
    const text = await (await diff).text();
    assert.ok(text.length > 1_000_000);
    assert.equal(text, await (await home.api.fetch(request(diffPath()))).text());
    await replica.close();
    assert.deepEqual(log, []);
  });

  it("answers 503 with Retry-After when the bucket fails meanwhile", async () => {
    const replica = await openReplica();
    // A small repository is read as a whole, so the bucket fails before its first pack is read.
    bucket.fault = (key, read) =>
      key.endsWith(".pack") ? Promise.reject(new BucketError("unavailable", "away")) : read();
    const { status, headers } = await replica.fetch(request(diffPath()));
    assert.equal(status, 503);
    assert.ok(Number(headers.get("retry-after")) > 0);
    bucket.fault = undefined;
    assert.equal((await replica.fetch(request(diffPath()))).status, 200);
    await replica.close();
  });

  it("answers alike where the runtime brings no workers", async () => {
    const { storageWorkers: _none, ...alone } = adapter.homeParts;
    const replica = await serveReplicaWith(
      { bucket, listen: [{ transport: "tcp", hostname: "127.0.0.1", port: 0 }] },
      alone,
      adapter.createServer,
    );
    const text = await (await replica.fetch(request(diffPath()))).text();
    assert.equal(text, await (await home.api.fetch(request(diffPath()))).text());
    await replica.close();
  });
});
