/** Clones and fetches by the real git from a replica that has neither git nor an origin. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { HomeStorage } from "../../../../src/storage/home/storage.ts";
import { createHomeStorage } from "../../../../src/storage/home/storage.ts";
import { loadLibgit2 } from "../../../../adapters/node/libgit2.ts";
import { fileSystem } from "../../../../adapters/node/file_system.ts";
import { inflate } from "../../../../adapters/node/zlib.ts";
import type { Server } from "../../../../adapters/server/server.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import { createReplica, type Replica } from "../../../../extensions/replicas/replica/replica.ts";
import { GIT_ENVIRONMENT, GitRepository } from "../../../support/git.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../../support/programs.ts";
import { adapter } from "../../../adapters/this_runtime.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";

/** Of the home: a public repository, a private one, and the node whose namespace they have. */
const PUBLIC = "z3vudAtNFLKr2mxxqMQS742bR7fSg";
const PRIVATE = "z3HkoSGMWwN9pB2SNaiUvx4A6HBpK";
const ANN = "z6MkodJHzY8Bn6PycRu3pon7V3vzfk12nbndWcBz2mxMAsa2";

const folder = temporaryFolder("replica-clones");
let storage: HomeStorage, home: string, bucket: Bucket;
let replica: Replica, redirecting: Replica;
const servers: Server[] = [];
let base: string, files: string, redirected: string;
let clones = 0;

before(async () => {
  home = unpackHome("today/today-browse.tar.gz", folder);
  storage = createHomeStorage({ root: join(home, "storage"), fileSystem, inflate });
  bucket = createMemoryBucket();
  await publishAll();
  const options = { loadLibgit2, freshSeconds: 0, environment: { log: () => {} } };
  replica = await createReplica(bucket, options);
  files = await listen(showFile);
  redirecting = await createReplica(bucket, { ...options, clonesFrom: `${files}/below/` });
  base = await listen((request) => replica.fetch(request));
  redirected = await listen((request) => redirecting.fetch(request));
});
after(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all([replica, redirecting].map((one) => one?.close()));
  storage.close();
  removeFolder(folder);
});

async function publishAll(): Promise<void> {
  const profile = { nodeId: ANN, alias: "ann", pinned: () => [] } as const;
  await createTestPublisher(storage, bucket, { node: { node: createAbsentNode(), profile } }).publishAll();
}

/** Serves the bucket as a public bucket does. */
async function showFile(request: Request): Promise<Response> {
  const [, key = ""] = /^\/below\/([\w./-]+)$/.exec(new URL(request.url).pathname) ?? [];
  const found = key === "" ? undefined : await bucket.get(key);
  return typeof found === "object" ? new Response(found.bytes) : new Response(null, { status: 404 });
}

async function listen(answer: (request: Request) => Promise<Response>): Promise<string> {
  const server = await adapter.createServer(answer, {
    address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  });
  servers.push(server);
  return `http://127.0.0.1:${server.address.transport === "tcp" ? server.address.port : 0}`;
}

/** Runs git as a client does, in this process's absence: the server is in it. */
function run(...args: string[]): Promise<{ readonly status: number; readonly output: string }> {
  const env = { ...GIT_ENVIRONMENT, GIT_TERMINAL_PROMPT: "0" };
  return new Promise((resolve) => {
    execFile("git", args, { env, cwd: folder, encoding: "utf8" }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, output: stdout + stderr });
    });
  });
}

async function succeed(...args: string[]): Promise<string> {
  const { status, output } = await run(...args);
  assert.equal(status, 0, `git ${args.join(" ")}\n${output}`);
  return output;
}

/** A clone with all references. */
async function mirror(url: string): Promise<string> {
  const path = join(folder, `clone-${clones++}`);
  await succeed("clone", "--quiet", "--mirror", url, path);
  await succeed("-C", path, "fsck", "--full", "--strict");
  return path;
}

const refsOf = async (path: string) =>
  (await succeed("-C", path, "for-each-ref", "--format=%(objectname) %(refname)")).trim().split("\n");

/** The references of the home that clients see. */
async function shownRefs(prefix = ""): Promise<string[]> {
  const path = join(home, "storage", PUBLIC);
  const refs = await refsOf(path);
  return refs.filter((line) => !/ (?:.*\/)?refs\/(?:drafts|tmp)\//.test(line))
    .filter((line) => line.includes(` ${prefix}refs/`))
    .map((line) => line.replace(` ${prefix}`, " "));
}

describe("a replica without an origin", () => {
  it("lets git clone a repository with all references", async () => {
    const path = await mirror(`${base}/${PUBLIC}.git`);
    assert.deepEqual(await refsOf(path), await shownRefs());
    const work = join(folder, `clone-${clones++}`);
    await succeed("clone", "--quiet", `${base}/${PUBLIC}`, work);
    assert.equal(
      await succeed("-C", work, "rev-parse", "HEAD"),
      await succeed("-C", join(home, "storage", PUBLIC), "rev-parse", "HEAD"),
    );
  });

  it("lets git clone the namespace of a node, with its branch checked out", async () => {
    const work = join(folder, `clone-${clones++}`);
    await succeed("clone", "--quiet", `${base}/${PUBLIC}.git/${ANN}`, work);
    const path = await mirror(`${base}/${PUBLIC}.git/${ANN}`);
    assert.deepEqual(await refsOf(path), await shownRefs(`refs/namespaces/${ANN}/`));
  });

  it("lets git fetch what has changed since, with the tags of new commits", async () => {
    const work = join(folder, `clone-${clones++}`);
    await succeed("clone", "--quiet", `${base}/${PUBLIC}.git`, work);
    const git = new GitRepository(join(home, "storage", PUBLIC));
    const parent = git.text(["rev-parse", "HEAD"]);
    const tree = git.text(["rev-parse", "HEAD^{tree}"]);
    const commit = git.text(["commit-tree", tree, "-p", parent, "-m", "more"]);
    git.run(["update-ref", "refs/heads/fetched", commit]);
    git.run(["tag", "-a", "-m", "a tag", "fetched-tag", commit]);
    await publishAll();
    await succeed("-C", work, "fetch", "--quiet");
    assert.equal((await succeed("-C", work, "rev-parse", "origin/fetched")).trim(), commit);
    assert.equal((await succeed("-C", work, "rev-parse", "fetched-tag^{commit}")).trim(), commit);
    await succeed("-C", work, "fsck", "--full", "--strict");
  });

  it("refuses shallow clones, pushes, private repositories and other names", async () => {
    const shallow = await run("clone", "--depth", "1", `${base}/${PUBLIC}.git`, join(folder, "shallow"));
    assert.notEqual(shallow.status, 0);
    assert.match(shallow.output, /shallow/);
    const push = await run(
      "-C",
      join(home, "storage", PUBLIC),
      "push",
      `${base}/${PUBLIC}.git`,
      "HEAD:refs/heads/x",
    );
    assert.notEqual(push.status, 0);
    const statusOf = async (path: string) => (await replica.fetch(new Request(`${base}/${path}`))).status;
    assert.equal(await statusOf(`${PUBLIC}.git/info/refs?service=git-receive-pack`), 403);
    assert.equal(await statusOf(`${PUBLIC}.git/info/refs?service=git-upload-pack`), 200);
    for (
      const path of [
        `${PRIVATE}.git/info/refs`,
        `${PRIVATE}.git/objects/info/packs`,
        `${PUBLIC}.git/objects/pack/pack-${"0".repeat(40)}.pack`,
        `${PUBLIC}.git/objects/pack/manifest.json`,
        `${PUBLIC}.git/objects/pack/..%2F..%2Fmanifest.json`,
        `${PUBLIC}.git/objects/00/${"0".repeat(38)}`,
        `${PUBLIC}.git/${"z".repeat(40)}/info/refs`,
      ]
    ) assert.equal(await statusOf(path), 404, path);
  });

  it("sends parts of a pack", async () => {
    const list = await (await replica.fetch(new Request(`${base}/${PUBLIC}.git/objects/info/packs`))).text();
    const [, name = ""] = /^P (pack-[0-9a-f]{40}\.pack)$/m.exec(list) ?? [];
    const url = `${base}/${PUBLIC}.git/objects/pack/${name}`;
    const whole = new Uint8Array(await (await replica.fetch(new Request(url))).arrayBuffer());
    const part = await replica.fetch(new Request(url, { headers: { range: "bytes=100-199" } }));
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-range"), `bytes 100-199/${whole.length}`);
    assert.deepEqual(new Uint8Array(await part.arrayBuffer()), whole.slice(100, 200));
    const rest = await replica.fetch(new Request(url, { headers: { range: `bytes=${whole.length - 5}-` } }));
    assert.deepEqual(new Uint8Array(await rest.arrayBuffer()), whole.slice(-5));
  });
});

describe("a replica that names the public address of its bucket", () => {
  it("redirects git to it", async () => {
    const response = await redirecting.fetch(
      new Request(`${redirected}/${PUBLIC}.git/info/refs?service=git-upload-pack`),
    );
    assert.equal(response.status, 302);
    assert.equal(
      response.headers.get("location"),
      `${files}/below/${PUBLIC}/info/refs?service=git-upload-pack`,
    );
    const path = await mirror(`${redirected}/${PUBLIC}.git`);
    assert.deepEqual(await refsOf(path), await shownRefs());
  });

  it("serves the namespaces of nodes itself", async () => {
    const path = await mirror(`${redirected}/${PUBLIC}.git/${ANN}`);
    assert.deepEqual(await refsOf(path), await shownRefs(`refs/namespaces/${ANN}/`));
  });
});
