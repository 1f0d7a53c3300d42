/**
 * Replicas on a real S3 server: as in the example for Deno; four behind haproxy, by `deploy/haproxy.cfg`: one is killed under load, and no
 * client misses an answer that asks once more; and on each runtime, with a bucket that is away, damaged or empty at the start.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createHomeApi, deflate, fileSystem, type HomeApi } from "../../adapters/node/mod.ts";
import { createFolderBucket } from "../../extensions/replicas/bucket/folder.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import { NODE_KEY } from "../../extensions/replicas/format/keys.ts";
import { createTestPublisher } from "../extensions/replicas/publisher/test_publisher.ts";
import {
  folderOnDisk,
  removeFolder,
  ROOT,
  RUNTIMES,
  type Service,
  startBucketService,
  startDenoServe,
  unpackHome,
} from "../support/programs.ts";
import { startReplica } from "../support/compose.ts";
import { type S3Server, startHaproxy, startNginx, startVersitygw } from "../support/servers.ts";

const REPLICAS = 4;
/** Clients at a time, and requests of each. The kill is in the middle of them. */
const CLIENTS = 8;
const REQUESTS = 40;

const folder = folderOnDisk("replicas");
let s3: S3Server;
let home: HomeApi;
let replicas: Service[];
let haproxy: Service;
/** Answers of the home to the paths that are read. */
const expected = new Map<string, string>();
before(async () => {
  s3 = await startVersitygw(`${folder}/s3`);
  home = await createHomeApi({ home: unpackHome("browse.tar.gz", folder), behindProxy: true });
  await publish(s3.bucket());
  for (const path of await pathsOf(home)) {
    expected.set(path, await textOf(await home.api.fetch(new Request(`http://localhost${path}`))));
  }
  replicas = await Promise.all(
    Array.from({ length: REPLICAS }, (_, i) => startReplica("node", s3.variables, `${folder}/cache${i}`)),
  );
  haproxy = await startHaproxy(folder, replicas.map(({ url }) => url));
});
after(async () => {
  await Promise.all([haproxy, ...replicas ?? []].map((one) => one?.stop()));
  await home?.close();
  await s3?.stop();
  removeFolder(folder);
});

async function publish(bucket: Bucket): Promise<void> {
  const publisher = createTestPublisher(home.storage, bucket, { deflate, node: home });
  assert.equal((await publisher.publishAll()).failed, 0);
}

/** Lists, trees, commits and diffs of the first repositories. */
async function pathsOf({ api }: HomeApi): Promise<string[]> {
  const read = async (path: string) => await (await api.fetch(new Request(`http://localhost${path}`))).json();
  const paths = ["/api/v1/projects"];
  for (const { id, head } of (await read("/api/v1/projects")).slice(0, 6)) {
    const project = `/api/v1/projects/${id}`;
    paths.push(project, `${project}/commits`, `${project}/commits/${head}`, `${project}/tree/${head}/`);
    paths.push(`${project}/issues`, `${project}/patches`, `${project}/remotes`);
  }
  return paths;
}

const textOf = async (response: Response) => `${response.status} ${await response.text()}`;

/** The first answer that is no 503: a replica looks for the description of the node once a second at most. */
async function nextOf({ url }: Service, path: string): Promise<string> {
  for (;;) {
    const answer = await textOf(await fetch(`${url}${path}`));
    if (!answer.startsWith("503 ")) return answer;
    await pause(50);
  }
}

/** Reads through haproxy; `undefined` when there is no good answer. */
async function read(path: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${haproxy.url}${path}`);
    const text = await textOf(response);
    return response.status < 500 ? text : undefined;
  } catch {
    return undefined;
  }
}

describe("examples/replica_deno.ts", () => {
  it("answers as the home, from the bucket alone", async () => {
    const replica = await startDenoServe(join(ROOT, "examples", "replica_deno.ts"), {
      ...s3.variables,
      BUCKET: "s3://published",
    });
    try {
      for (const [path, answer] of expected) {
        assert.equal(await textOf(await fetch(`${replica.url}${path}`)), answer, path);
      }
      const change = await fetch(`${replica.url}/api/v1/sessions`, { method: "POST" });
      assert.equal(change.status, 503);
      await change.body?.cancel();
    } finally {
      await replica.stop();
    }
  });

  it("answers 503 while nothing is published, and begins when it is", async () => {
    const prefix = "later";
    const replica = await startDenoServe(join(ROOT, "examples", "replica_deno.ts"), {
      ...s3.variables,
      BUCKET: `s3://published/${prefix}`,
    });
    try {
      const early = await fetch(`${replica.url}/api/v1/projects`);
      assert.equal(early.status, 503);
      assert.equal(early.headers.get("retry-after"), "5");
      await early.body?.cancel();
      await publish(s3.bucket({ prefix }));
      const path = "/api/v1/projects";
      assert.equal(await nextOf(replica, path), expected.get(path));
    } finally {
      await replica.stop();
    }
  });
});

describe("four replicas behind haproxy", () => {
  it("answer each read at the second try at the latest while one of them is killed", async () => {
    const paths = [...expected.keys()];
    let count = 0, repeated = 0;
    const wrong: string[] = [];
    const killed = replicas[1]!;
    const client = async (_: unknown, index: number) => {
      for (let i = 0; i < REQUESTS; i++) {
        if (++count === CLIENTS * REQUESTS / 2) process.kill(killed.pid, "SIGKILL");
        const path = paths[(index * 7 + i) % paths.length]!;
        let answer = await read(path);
        if (answer === undefined) {
          repeated++;
          answer = await read(path);
        }
        if (answer !== expected.get(path)) wrong.push(`${path}: ${answer?.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    assert.deepEqual(wrong, []);
    // No more than were under way at the killed one.
    assert.ok(repeated <= CLIENTS, `${repeated} reads were repeated`);
    assert.equal(await killed.stop(), null);
  });

  it("go on while the S3 server is away, and take it up again", async () => {
    const project = [...expected.keys()].find((path) => path.endsWith("/commits"))!;
    // All that are left have it.
    for (let i = 0; i < REPLICAS; i++) assert.equal(await read(project), expected.get(project));
    await s3.stop();
    assert.equal(await read(project), expected.get(project));
    s3 = await startVersitygw(`${folder}/s3`, { port: Number(new URL(s3.url).port) });
    for (const [path, answer] of expected) assert.equal(await read(path), answer, path);
  });
});

describe("a replica on each runtime", () => {
  const startAll = (address: string) =>
    Promise.all(
      // Its messages are counted.
      RUNTIMES.map((runtime) => startBucketService(runtime, address, ["--log", "off"], s3.variables)),
    );

  /** All answer 503, then as the home when the bucket is mended; each tells of it in a few lines. */
  async function testMended(replicas: readonly Service[], fault: RegExp, mend: () => Promise<void>) {
    try {
      for (const { url, output } of replicas) {
        assert.match(output(), /^ {2}node +unknown; /m);
        for (let i = 0; i < 20; i++) {
          const { status, headers, body } = await fetch(`${url}/api/v1/projects`);
          await body?.cancel();
          assert.deepEqual([status, headers.get("retry-after")], [503, "5"]);
        }
      }
      await mend();
      for (const replica of replicas) {
        for (const [path, answer] of expected) assert.equal(await nextOf(replica, path), answer, path);
        const lines = replica.output().split("\n").filter((line) => / (warn|error|info) /.test(line));
        assert.match(lines[0]!, fault);
        assert.match(lines.at(-1)!, / info The description of the node z6Mk\w+ can be read now$/);
        assert.ok(lines.length <= 4, lines.join("\n"));
      }
    } finally {
      for (const replica of replicas) assert.equal(await replica.stop(), 0);
    }
  }

  it("begins while the S3 server is away", async () => {
    const port = Number(new URL(s3.url).port);
    await s3.stop();
    const replicas = await startAll("s3://published");
    await testMended(replicas, / warn The bucket cannot be read: /, async () => {
      s3 = await startVersitygw(`${folder}/s3`, { port });
    });
  });

  it("begins with a damaged description in an S3 bucket", async () => {
    const bucket = s3.bucket();
    const sound = await bucket.get(NODE_KEY);
    assert.ok(typeof sound === "object");
    await bucket.put(NODE_KEY, sound.bytes.slice(0, -1));
    const replicas = await startAll("s3://published");
    await testMended(replicas, / warn Object "node\.json" of the bucket is damaged: /, () => publish(bucket));
  });

  it("begins with a public bucket that is empty", async () => {
    const root = join(folder, "public");
    const bucket = createFolderBucket(root, { fileSystem });
    const nginx = await startNginx(folder, root);
    try {
      const replicas = await startAll(nginx.url);
      await testMended(replicas, / warn The bucket has no publication/, () => publish(bucket));
    } finally {
      await nginx.stop();
    }
  });
});
