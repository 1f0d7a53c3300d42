/**
 * deploy/compose.yaml: its commands, variables and configuration, with the real programs on this machine: versitygw, redis, haproxy, and
 * `xylem` as the containers run it (container.test.ts builds their image). Images cannot be had here, and no network of containers.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { openSigner } from "../../adapters/node/mod.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { parseRid } from "../../src/ids/rid.ts";
import { TokenSigner } from "../../extensions/replicas/origin/consistency_token.ts";
import { MIN_TOKEN_KEY_LENGTH } from "../../extensions/replicas/origin/token_key.ts";
import { commandOf, readComposition } from "../support/compose.ts";
import {
  folderOnDisk,
  removeFolder,
  ROOT,
  type Running,
  type Service,
  type Spawned,
  spawnProgram,
  startContained,
} from "../support/programs.ts";
import { bucketServer, PROXIES, startOnPort } from "../support/servers.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const { services, volumes } = readComposition();
const folder = folderOnDisk("compose");
/** The file of the volume that the service and its replicas share. */
const tokenKey = join(folder, "token-key");
const running: Running[] = [];
let haproxy: string;
let redis: string;
let origin: Service;
let publisher: Spawned;

/** Variables of a service, with the addresses of this machine. */
function variablesOf(name: string, addresses: Readonly<Record<string, string>> = {}): Record<string, string> {
  const here: Readonly<Record<string, string>> = { ...addresses, "/var/lib/xylem/token-key": tokenKey };
  const given = Object.entries(services[name]!.environment ?? {});
  return Object.fromEntries(given.map(([key, value]) => [key, here[value] ?? `${value}`]));
}

/** Starts a server on a port of its own, in place of the one in its command. */
async function startServer(program: string, name: string, written: string, more: readonly string[] = []) {
  const server = await startOnPort(name, (port) => {
    const words = commandOf(name, { [written]: name === "bucket" ? `127.0.0.1:${port}` : `${port}` });
    return {
      command: [program, ...words.slice(words[0] === program ? 1 : 0), ...more],
      env: variablesOf(name),
    };
  });
  running.unshift(server);
  return `127.0.0.1:${server.port}`;
}

/** The service beside the home, on whose demo home the publisher works, too. */
async function startOrigin(): Promise<Service> {
  const others = { "0.0.0.0:8080": "127.0.0.1:0", "redis://redis:6379": `redis://${redis}` };
  const [, ...words] = commandOf("origin", others);
  return await startContained("node", words, { ...variablesOf("origin"), HOME: join(folder, "home") });
}

before(async () => {
  // The volume is the folder of the bucket.
  mkdirSync(join(folder, "data", "published"), { recursive: true });
  mkdirSync(join(folder, "home"));
  const bucket = await startOnPort("bucket", (port) => ({
    command: [
      bucketServer("versitygw"),
      ...commandOf("bucket", { ":7070": `127.0.0.1:${port}`, "/data": join(folder, "data") }),
    ],
    env: variablesOf("bucket"),
  }));
  running.unshift(bucket);
  const s3 = { "http://bucket:7070": `http://127.0.0.1:${bucket.port}` };
  redis = await startServer("redis-server", "redis", "6379", ["--bind", "127.0.0.1", "--dir", folder]);
  origin = await startOrigin();
  const [program, script = "", ...args] = commandOf("publisher", {});
  publisher = spawnProgram(
    [join(ROOT, "node_modules", ".bin", program!), join(ROOT, script), ...args],
    { ...variablesOf("publisher", s3), HOME: join(folder, "home") },
  );
  running.unshift(publisher);
  const replicas = await Promise.all(["replica1", "replica2"].map(async (name) => {
    const [, ...words] = commandOf(name, {
      "0.0.0.0:8080": "127.0.0.1:0",
      "http://origin:8080": origin.url,
      "/var/cache/xylem": join(folder, name),
    });
    return await startContained("node", words, variablesOf(name, s3));
  }));
  running.unshift(...replicas);
  const server = await PROXIES["compose.haproxy.cfg"]!(folder, replicas.map(({ url }) => url));
  running.unshift(server);
  haproxy = server.url;
});
after(async () => {
  for (const one of [...running, origin]) await one?.stop();
  removeFolder(folder);
});

/** Asks until an answer is as it is wanted. */
async function until<T>(path: string, isWanted: (answer: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS;;) {
    const response = await fetch(`${haproxy}${path}`);
    const text = await response.text();
    if (response.ok && isWanted(JSON.parse(text))) return JSON.parse(text);
    if (Date.now() > deadline) assert.fail(`${path}: ${response.status} ${text} ${publisher.output()}`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

describe("deploy/compose.yaml", () => {
  it("names what is there: services, volumes, files and the image", () => {
    for (
      const [name, { depends_on: needed = [], volumes: mounted = [], build }] of Object.entries(services)
    ) {
      assert.deepEqual(needed.filter((other) => services[other] === undefined), [], name);
      for (const volume of mounted) {
        const [source = ""] = volume.split(":");
        const isThere = source.startsWith("./")
          ? existsSync(join(ROOT, "deploy", source))
          : Object.hasOwn(volumes, source);
        assert.ok(isThere, `${name}: ${volume}`);
      }
      if (build !== undefined) assert.ok(existsSync(join(ROOT, "deploy", build.context, build.dockerfile)));
    }
    // Where the cache folder of the replicas is, and the demo home: both are volumes of the image's user.
    assert.ok(services["replica1"]!.volumes!.includes("replica1-cache:/var/cache/xylem"));
  });

  it("has no key of tokens that everybody knows: the first container makes it, and all find it", () => {
    const names = ["origin", "replica1", "replica2"];
    for (const name of names) {
      const { environment = {}, volumes = [] } = services[name]!;
      assert.equal(environment["XYLEM_TOKEN_KEY"], undefined, name);
      assert.equal(environment["XYLEM_TOKEN_KEY_FILE"], "/var/lib/xylem/token-key", name);
      assert.ok(volumes.includes("keys:/var/lib/xylem"), name);
    }
    assert.ok(readFileSync(tokenKey, "utf8").trim().length >= MIN_TOKEN_KEY_LENGTH);
  });

  it("serves the demo home from the bucket, and takes changes, which a restart does not sign out", async () => {
    const projects = await until<{ id: string; name: string }[]>(
      "/api/v1/projects",
      ({ length }) => length === 2,
    );
    const { id } = projects.find(({ name }) => name === "xylem-demo")!;
    const home = join(folder, "home", ".cache", "xylem", "demo-1");
    const nodeId = nodeIdOfPublicKey(readFileSync(join(home, "keys", "radicle.pub"), "utf8"));
    const token = await openAuthorized(haproxy, await openSigner({ home, nodeId, fileSystem })());
    const issue = { title: "By haproxy", description: "", labels: [], assignees: [], embeds: [] };
    for (const title of ["By haproxy", "After a restart"]) {
      const response = await fetch(`${haproxy}/api/v1/projects/${id}/issues`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ ...issue, title }),
      });
      assert.equal(response.status, 201, await response.text());
      const signer = new TokenSigner(readFileSync(tokenKey, "utf8").trim());
      const field = response.headers.get("xylem-consistency-token");
      assert.ok(signer.verify(field, parseRid(id), Date.now()), `${field}`);
      await until<{ title: string }[]>(
        `/api/v1/projects/${id}/issues?perPage=100`,
        (issues) => issues.some((one) => one.title === title),
      );
      if (title === "After a restart") break;
      const { host } = new URL(origin.url);
      assert.equal(await origin.stop(), 0);
      const others = { "0.0.0.0:8080": host, "redis://redis:6379": `redis://${redis}` };
      const [, ...words] = commandOf("origin", others);
      origin = await startContained("node", words, { ...variablesOf("origin"), HOME: join(folder, "home") });
    }
    assert.match(publisher.output(), /"event":"published"/);
  });
});
