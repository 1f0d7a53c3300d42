/** `xylem serve --bucket`: its options, and a real service on a folder, with its origin beside it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { UsageError } from "../../../adapters/cli/command_line.ts";
import { parseCommand } from "../../../adapters/cli/parse_command.ts";
import { leastMemoryBytes } from "../../../src/cache/memory.ts";
import { NODE_KEY } from "../../../extensions/replicas/format/keys.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { run, serve, type Serving } from "./command.ts";

const PUBLIC = "rad:z2wDWbjWsk4yRK4RvpnMV83RrDFvP";

describe("the options of xylem serve --bucket", () => {
  it("name the bucket, the origin and the time", () => {
    const least = leastMemoryBytes(0, "bucket");
    const args = ["--bucket", "s3://seed/a", "--origin", "https://seed.example.org", "--fresh=0.5"];
    const command = parseCommand(["serve", ...args, "--cache-size=0", `--memory=${least}`]);
    assert.ok(command.verb === "serve");
    const { bucket, origin, fresh, memory } = command;
    assert.deepEqual({ bucket, origin, fresh, memory }, {
      bucket: { kind: "s3", bucket: "seed", prefix: "a" },
      origin: "https://seed.example.org/",
      fresh: 0.5,
      memory: least,
    });
  });

  for (
    const args of [
      ["--bucket", ""],
      ["--bucket", "ftp://user:secret@example.org"],
      ["--bucket", "out", "--home", "x"],
      ["--bucket", "out", "--demo"],
      ["--bucket", "out", "--sign-in", "wallet", "--wallet", `0x${"a".repeat(40)}`],
      ["--bucket", "out", "--trust-origin", "https://example.org"],
      ["--bucket", "out", "--object-time", "7"],
      ["--bucket", "out", "--sessions", "memory"],
      ["--bucket", "out", "--origin", "https://user:secret@example.org"],
      ["--bucket", "out", "--origin", "seed.example.org"],
      ["--bucket", "out", "--fresh", "soon"],
      ["--origin", "https://seed.example.org"],
      ["--fresh", "2"],
    ]
  ) {
    it(`refuse ${args.join(" ")}, and repeat no secret`, () => {
      assert.throws(
        () => parseCommand(["serve", ...args]),
        (error) => error instanceof UsageError && !error.message.includes("secret"),
      );
    });
  }
});

describe("xylem serve --bucket", () => {
  const folder = temporaryFolder("serve-bucket");
  const bucket = join(folder, "bucket");
  const common = ["--listen", "127.0.0.1:0", "--cache", "none"];
  let home: Serving;
  let replica: Serving;

  before(async () => {
    const path = unpackHome("today/today-collab.tar.gz", folder);
    const published = await run(["publish", bucket, "--home", path, "--cache", "none"]);
    assert.equal(published.status, 0, published.stderr);
    home = await serve(["serve", "--home", path, ...common]);
    replica = await serve(["serve", "--bucket", bucket, "--origin", home.urls[0]!, ...common]);
  });
  after(async () => {
    await replica?.end();
    await home?.end();
    removeFolder(folder);
  });

  const ask = async ({ urls }: Serving, path: string, init: RequestInit = {}) => {
    const response = await fetch(urls[0] + path, init);
    return { status: response.status, via: response.headers.get("via"), body: await response.text() };
  };

  it("says what it serves", () => {
    assert.match(replica.stdout, /^ {2}bucket {8}\/.*\/bucket$/m);
    assert.match(replica.stdout, /^ {2}origin {8}http:\/\/127\.0\.0\.1:\d+\/$/m);
    assert.match(replica.stdout, /^ {2}node {10}z6Mk\w+ \(\w+\)$/m);
    assert.match(replica.stdout, /^ {2}repositories {2}2$/m);
  });

  it("answers as the home, but says that it is a replica", async () => {
    for (const path of [`/api/v1/projects/${PUBLIC}`, `/api/v1/projects/${PUBLIC}/issues?state=all`]) {
      const [expected, answered] = await Promise.all([ask(home, path), ask(replica, path)]);
      assert.equal(answered.status, 200);
      assert.equal(answered.body, expected.body);
      assert.equal(answered.via, "1.1 xylem-replica");
    }
  });

  it("shows nothing private to this machine, which is the owner at the home, nor through the replica", async () => {
    const ids = async (service: Serving) => {
      const { body } = await ask(service, "/api/v1/projects?show=all&perPage=100");
      return (JSON.parse(body) as { id: string }[]).map(({ id }) => id);
    };
    const [own, shown] = await Promise.all([ids(home), ids(replica)]);
    const secret = own.filter((id) => !shown.includes(id));
    assert.equal(secret.length, 1);
    assert.equal((await ask(home, `/api/v1/projects/${secret[0]}`)).status, 200);
    assert.equal((await ask(replica, `/api/v1/projects/${secret[0]}`)).status, 404);
    assert.equal((await ask(home, "/api/v1/profile")).status, 200);
    assert.equal((await ask(replica, "/api/v1/profile")).status, 401);
    // What is passed on comes back as to a stranger.
    const found = await ask(replica, `/${secret[0]!.slice(4)}.git/info/refs?service=git-upload-pack`);
    assert.equal(found.status, 404);
  });

  it("passes on sessions, and nothing that came through another proxy", async () => {
    const opened = await ask(replica, "/api/v1/sessions", { method: "POST" });
    assert.equal(opened.status, 201, opened.body);
    assert.equal(opened.via?.includes("xylem-replica"), true);
    const { sessionId } = JSON.parse(opened.body);
    assert.equal((await ask(home, `/api/v1/sessions/${sessionId}`)).status, 200);
    const foreign = await ask(replica, "/api/v1/sessions", { method: "POST", headers: { via: "1.1 x" } });
    assert.equal(foreign.status, 403);
  });

  it("ends with a line about a bucket that lacks its variables", async () => {
    const { status, stderr } = await run(["serve", "--bucket", "s3://name", ...common]);
    assert.equal(status, 1);
    assert.match(stderr, /AWS_ACCESS_KEY_ID/);
  });

  it("ends with status 0 on a signal", async () => {
    const second = await serve(["serve", "--bucket", bucket, ...common]);
    assert.match(second.stdout, /^ {2}origin {8}none; this service is read-only$/m);
    assert.equal((await ask(second, "/api/v1/sessions", { method: "POST" })).status, 503);
    const { status, stderr } = await second.end();
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  });
});

describe("xylem serve --bucket, while the bucket cannot be served", () => {
  const folder = temporaryFolder("serve-no-bucket");
  const common = ["--listen", "127.0.0.1:0", "--cache", "none"];
  const NOTHING = "warn The bucket has no publication: run xylem publish first";
  const MENDED = /^\S+ info The description of the node z6Mk\w+ can be read now$/;
  let home: string;
  before(() => home = unpackHome("today/today-collab.tar.gz", folder));
  after(() => removeFolder(folder));

  const publish = async (bucket: string) => {
    const { status, stderr } = await run(["publish", bucket, "--home", home, "--cache", "none"]);
    assert.equal(status, 0, stderr);
  };
  const ask = async ({ urls }: Serving, path = `/api/v1/projects/${PUBLIC}`) => {
    const response = await fetch(urls[0] + path);
    await response.body?.cancel();
    return `${response.status} ${response.headers.get("retry-after") ?? ""}`.trim();
  };
  /** Asks until there is another answer than 503. */
  const next = async (replica: Serving, path?: string) => {
    for (;;) {
      const answer = await ask(replica, path);
      if (answer !== "503 5") return answer;
      await new Promise((resume) => setTimeout(resume, 20));
    }
  };
  const linesOf = (stderr: string) =>
    stderr.split("\n").slice(0, -1).map((line) => line.replace(/^\S+ /, ""));

  it("starts with an empty or missing folder, and serves what is published there later", async () => {
    for (const name of ["empty", "absent"]) {
      const bucket = join(folder, name);
      if (name === "empty") mkdirSync(bucket);
      const replica = await serve(["serve", "--bucket", bucket, ...common]);
      assert.match(replica.stdout, /^ {2}node {10}unknown; every request is answered 503 until /m);
      assert.match(replica.stdout, /^ {2}repositories {2}unknown$/m);
      for (let i = 0; i < 20; i++) assert.equal(await ask(replica), "503 5");
      await publish(bucket);
      assert.equal(await next(replica), "200");
      const { status, stderr } = await replica.end();
      assert.equal(status, 0);
      assert.equal(linesOf(stderr)[0], NOTHING);
      assert.match(stderr.split("\n").at(-2)!, MENDED);
      assert.ok(linesOf(stderr).length <= 3, stderr);
    }
  });

  it("begins with a damaged description, says so, and goes on when it is published again", async () => {
    const bucket = join(folder, "damaged");
    await publish(bucket);
    const path = join(bucket, NODE_KEY);
    const sound = readFileSync(path);
    writeFileSync(path, sound.subarray(0, -2));
    const replica = await serve(["serve", "--bucket", bucket, ...common]);
    for (let i = 0; i < 20; i++) assert.equal(await ask(replica), "503 5");
    await publish(bucket);
    assert.equal(await next(replica), "200");
    // From now on there is a good one.
    writeFileSync(path, "damaged");
    assert.equal(await ask(replica), "200");
    const { status, stderr } = await replica.end();
    assert.equal(status, 0);
    assert.match(
      linesOf(stderr)[0]!,
      /^warn Object "node\.json" of the bucket is damaged: A published document /,
    );
    assert.match(stderr.split("\n").at(-2)!, MENDED);
    assert.ok(linesOf(stderr).length <= 3, stderr);
  });

  it("begins with a server that fails or has something else, and serves its bucket later", async () => {
    const bucket = join(folder, "served");
    await publish(bucket);
    const answers: ((url: string, response: ServerResponse) => void)[] = [
      (_, response) => void response.destroy(),
      (_, response) => void response.writeHead(500).end(),
      (_, response) => void response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>"),
      (_, response) => void response.writeHead(404).end(),
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
    ];
    let answer = answers[0]!;
    const server = createServer(({ url = "" }, response) => answer(url, response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const env = {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_REGION: "here",
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
    };
    try {
      for (const address of [`http://127.0.0.1:${port}/name`, "s3://name"]) {
        answer = answers[0]!;
        const replica = await serve(["serve", "--bucket", address, ...common], { env });
        for (answer of answers) assert.equal(await ask(replica), "503 5");
        answer = (url, response) => {
          const path = join(bucket, decodeURIComponent(url.replace(/^\/name\/|\?.*$/g, "")));
          if (!existsSync(path)) return void response.writeHead(404).end();
          response.writeHead(200, { etag: '"1"', "last-modified": new Date().toUTCString() });
          response.end(readFileSync(path));
        };
        assert.equal(await next(replica, "/api/v1/node"), "200");
        const { status, stderr } = await replica.end();
        assert.equal(status, 0);
        assert.match(stderr.split("\n").at(-2)!, MENDED);
      }
    } finally {
      server.close();
    }
  });
});
