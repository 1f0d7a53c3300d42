/**
 * Replicas on a real S3 server: as in the example for Deno; and four behind haproxy, by `deploy/haproxy.cfg`, on a real S3 server: one is killed under load, and no
 * client misses an answer that asks once more.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { createHomeApi, deflate, type HomeApi } from "../../adapters/node/mod.ts";
import type { Bucket } from "../../src/ports/bucket.ts";
import { createTestPublisher } from "../publish/test_publisher.ts";
import {
  folderOnDisk,
  removeFolder,
  ROOT,
  type Service,
  startDenoServe,
  startReplica,
  unpackHome,
} from "../support/programs.ts";
import { type S3Server, startHaproxy, startVersitygw } from "../support/servers.ts";

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
      // It looks for the description again once a second at most.
      let answer: string;
      do answer = await textOf(await fetch(`${replica.url}${path}`)); while (answer.startsWith("503 "));
      assert.equal(answer, expected.get(path));
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
