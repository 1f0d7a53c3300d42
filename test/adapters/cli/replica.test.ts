/** `xylem serve --bucket`: its options, and a real service on a folder, with its origin beside it. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseCommand, UsageError } from "../../../adapters/cli/options.ts";
import { leastMemoryBytes } from "../../../src/cache/memory.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { run, serve, type Serving } from "./command.ts";

const PUBLIC = "rad:z2wDWbjWsk4yRK4RvpnMV83RrDFvP";

describe("the options of xylem serve --bucket", () => {
  it("name the bucket, the origin and the time", () => {
    const least = leastMemoryBytes(0, "bucket");
    const args = ["--bucket", "s3://seed/a", "--origin", "https://seed.example.org", "--fresh=0.5"];
    const command = parseCommand(["serve", ...args, "--cache-size=0", `--memory=${least}`]);
    assert.ok(command.verb === "serve");
    const { bucket, origin, freshSeconds, memoryBytes } = command;
    assert.deepEqual({ bucket, origin, freshSeconds, memoryBytes }, {
      bucket: { kind: "s3", bucket: "seed", prefix: "a" },
      origin: "https://seed.example.org/",
      freshSeconds: 0.5,
      memoryBytes: least,
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

  it("ends with a line about a bucket that cannot be served", async () => {
    mkdirSync(join(folder, "empty"));
    const empty = await run(["serve", "--bucket", join(folder, "empty"), ...common]);
    assert.equal(empty.status, 1);
    assert.match(empty.stderr, /^xylem: There is nothing in the bucket that xylem publish has put there\n$/);
    const { status, stderr } = await run(["serve", "--bucket", "s3://name", ...common]);
    assert.equal(status, 1);
    assert.match(stderr, /AWS_ACCESS_KEY_ID/);
  });

  it("ends with status 0 when it is told to", async () => {
    const second = await serve(["serve", "--bucket", bucket, ...common]);
    assert.match(second.stdout, /^ {2}origin {8}none: it can only be read$/m);
    assert.equal((await ask(second, "/api/v1/sessions", { method: "POST" })).status, 503);
    const { status, stderr } = await second.end();
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  });
});
