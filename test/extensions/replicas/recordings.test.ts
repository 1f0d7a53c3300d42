/** A replica answers the recorded reads as the home does that was published: the same status, fields and bytes. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { after, before, describe, it } from "node:test";
import { createMemoryBucket } from "../../../extensions/replicas/bucket/memory.ts";
import type { Bucket } from "../../../extensions/replicas/bucket/bucket.ts";
import { createReplica, type Replica } from "../../../extensions/replicas/replica/replica.ts";
import type { HomeApi } from "../../../adapters/home/home.ts";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import { deflate, inflate } from "../../../adapters/node/zlib.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { createTestPublisher } from "./publisher/test_publisher.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { PUBLISHED_HOMES, publishedReads } from "../../replay/published_reads.ts";
import type { RecordedRequest } from "../../replay/recordings.ts";

/** Of longer recordings, every n-th read is sent, so that about so many are. */
const READS = 100;
/** Requests at a time. */
const AT_ONCE = 8;
/** Fields that differ on purpose. */
const OWN_FIELDS = ["via", "xylem-confirmed", "xylem-published", "xylem-publisher-seen"];

async function answerOf(
  api: Pick<Replica, "fetch">,
  { path, headers = {} }: RecordedRequest,
): Promise<unknown> {
  const { host: _, ...fields } = headers as Record<string, string>;
  let request: Request;
  try {
    request = new Request(`http://localhost${path}`, { headers: fields });
  } catch {
    return "no request";
  }
  const response = await api.fetch(request);
  const shown = Object.fromEntries([...response.headers].filter(([name]) => !OWN_FIELDS.includes(name)));
  const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return { status: response.status, headers: shown, body };
}

/** Publishes a home and opens a replica of it. */
async function openReplica(home: HomeApi, bucket: Bucket): Promise<Replica> {
  const publisher = createTestPublisher(home.storage, bucket, { deflate, node: home });
  const { failed } = await publisher.publishAll();
  assert.equal(failed, 0);
  return await createReplica(bucket, { loadLibgit2, inflate, compatibility: { evaluation: "newest" } });
}

for (const published of PUBLISHED_HOMES) {
  const { archive } = published;
  describe(`a replica of ${archive}`, () => {
    const folder = temporaryFolder("replica");
    let home: HomeApi;
    let replica: Replica;
    before(async () => {
      home = await adapter.createHomeApi({ home: unpackHome(archive, folder), behindProxy: true });
      replica = await openReplica(home, createMemoryBucket());
    });
    after(async () => {
      await replica?.close();
      await home.close();
      removeFolder(folder);
    });

    it("answers as the home", async () => {
      const reads = publishedReads(published, READS);
      assert.ok(reads.length > 50);
      let ok = 0;
      const wrong: string[] = [];
      const work = async () => {
        for (let read = reads.shift(); read !== undefined; read = reads.shift()) {
          const [expected, answered] = await Promise.all([answerOf(home.api, read), answerOf(replica, read)]);
          if ((expected as { status?: number }).status === 200) ok++;
          try {
            assert.deepEqual(answered, expected);
          } catch (error) {
            wrong.push(`${read.path}: ${String(error).slice(0, 1500)}`);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      assert.deepEqual(wrong, []);
      assert.ok(ok > 30, `${ok} answers of 200`);
    });

    it("refuses what only the home can answer", async () => {
      const [rid] = await replica.storage.repositoryIds();
      const send = async (method: string, path: string) => {
        const response = await replica.fetch(new Request(`http://localhost${path}`, { method }));
        await response.body?.cancel();
        assert.equal(response.headers.get("via"), "1.1 xylem-replica");
        return response.status;
      };
      assert.equal(await send("POST", "/api/v1/sessions"), 503);
      assert.equal(await send("GET", `/api/v1/sessions/${"a".repeat(32)}`), 503);
      assert.equal(await send("POST", `/api/v1/projects/${rid}/issues`), 503);
      assert.equal(await send("PUT", `/api/v1/node/policies/repos/${rid}`), 503);
      assert.equal(await send("GET", "/api/v1/search?q=word"), 501);
      assert.equal(await send("POST", `/${rid}.git/git-upload-pack`), 501);
      assert.equal(await send("GET", "/api/v1/profile"), 401);
      assert.equal(await send("POST", "/api/v1/projects"), 405);
      assert.equal(await send("OPTIONS", `/api/v1/projects/${rid}/issues`), 200);
    });
  });
}
