/** `xylem publish`: its options, and real runs into a folder. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseCommand } from "../../../adapters/cli/parse_command.ts";
import { UsageError } from "../../../adapters/cli/command_line.ts";
import { createFolderBucket } from "../../../extensions/replicas/bucket/folder.ts";
import { parseRid } from "../../../src/ids/rid.ts";
import type { Bucket } from "../../../extensions/replicas/bucket/bucket.ts";
import { checkWhole, readState } from "../../extensions/replicas/publisher/published_state.ts";
import { repositoryPrefix } from "../../../extensions/replicas/format/keys.ts";
import { fileSystem } from "../../support/files.ts";
import { GitRepository } from "../../support/git.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { run, watch } from "./command.ts";

/** Repositories of the home `today-collab`: two public ones and a private one. */
const PUBLIC = ["rad:z2wDWbjWsk4yRK4RvpnMV83RrDFvP", "rad:zFpuHQPLnWcwbzEHUbbv4wCzH9qV"].map(parseRid);

describe("the options of xylem publish", () => {
  it("have defaults", () => {
    assert.deepEqual(parseCommand(["publish", "s3://seed/a/b"]), {
      verb: "publish",
      bucket: { kind: "s3", bucket: "seed", prefix: "a/b" },
    });
  });

  it("name the home and how it is published", () => {
    const args = ["out", "--watch", "--home", "x", "--evaluation", "2024", "--grace=60", "--cache", "none"];
    assert.deepEqual(parseCommand(["publish", ...args]), {
      verb: "publish",
      bucket: { kind: "folder", path: "out" },
      watch: true,
      home: "x",
      evaluation: "2024",
      cache: "none",
      grace: 60,
    });
  });

  for (
    const args of [
      [],
      ["a", "b"],
      ["ftp://user:secret@example.org"],
      ["https://user:secret@example.org/x"],
      ["s3://key:secret@name"],
      ["out", "--home", ""],
      ["out", "--home", "x", "--demo"],
      ["out", "--grace", "soon"],
      ["out", "--check", "--watch"],
      ["out", "--evaluation", "old"],
      ["out", "--port", "1"],
    ]
  ) {
    it(`refuse ${args.join(" ") || "no bucket"}, and repeat no secret`, () => {
      assert.throws(
        () => parseCommand(["publish", ...args]),
        (error) => error instanceof UsageError && !error.message.includes("secret"),
      );
    });
  }
});

describe("xylem publish", () => {
  let folder: string;
  let home: string;
  let bucket: Bucket;
  const published = () => join(folder, "published");
  before(() => {
    folder = temporaryFolder("publish");
    home = unpackHome("today/today-collab.tar.gz", folder);
    bucket = createFolderBucket(published(), { fileSystem });
  });
  after(() => removeFolder(folder));

  it("copies the public repositories of a home, and reports it in JSON", async () => {
    const { status, stdout, stderr } = await run(["publish", published(), "--home", home, "--cache", "none"]);
    assert.equal(status, 0, stderr);
    const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ event }) => event), ["published", "published", "round"]);
    assert.deepEqual(lines.slice(0, 2).map(({ rid }) => rid).sort(), PUBLIC);
    for (const rid of PUBLIC) {
      const state = await readState(bucket, rid);
      assert.ok(state !== undefined);
      checkWhole(state);
      const names = state.manifest.derived.names.map(({ name }) => name.split("-")[0]);
      assert.deepEqual(names.sort(), ["verdicts", "xyz.radicle.issue", "xyz.radicle.patch"]);
    }
  });

  it("watches: publishes a change, takes a removed repository away, ends with status 0", async () => {
    const watching = watch(["publish", published(), "--home", home, "--watch", "--cache", "none"]);
    await watching.line(/"event":"round"/);
    const [changed, removed] = PUBLIC as [typeof PUBLIC[0], typeof PUBLIC[0]];
    const repository = new GitRepository(join(home, "storage", changed.slice(4)));
    const head = repository.text(["rev-parse", "HEAD"]);
    const tree = repository.text(["rev-parse", "HEAD^{tree}"]);
    const commit = repository.text(["commit-tree", tree, "-p", head, "-m", "Again"]);
    repository.run(["update-ref", "refs/heads/again", commit]);
    const line = JSON.parse(await watching.line(/"event":"published"/));
    assert.deepEqual([line.rid, line.objects, line.stateNumber], [changed, 1, 2]);
    checkWhole((await readState(bucket, changed))!);
    rmSync(join(home, "storage", removed.slice(4)), { recursive: true });
    assert.equal(JSON.parse(await watching.line(/"event":"removed"/)).rid, removed);
    assert.equal(await readState(bucket, removed), undefined);
    const { status, stderr } = await watching.end();
    assert.equal(status, 0, stderr);
  });

  it("checks a bucket without a home, with status 1 when something is damaged", async () => {
    const good = await run(["publish", published(), "--check"]);
    assert.equal(good.status, 0, good.stderr);
    const { event, repositories, clones, damaged } = JSON.parse(good.stdout);
    assert.deepEqual([event, repositories, clones, damaged], ["checked", 1, 1, 0]);
    const key = repositoryPrefix(PUBLIC[0]!) + `derived-${"0".repeat(64)}`;
    await bucket.put(key, new Uint8Array(1));
    const bad = await run(["publish", published(), "--check"]);
    assert.equal(bad.status, 1);
    const lines = bad.stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual([lines[0].key, lines[0].problem, lines[1].damaged], [key, "damaged", 1]);
    await bucket.delete([key]);
  });

  it("says what is wrong without secrets, with status 1", async () => {
    const env = {
      AWS_ACCESS_KEY_ID: "an-id",
      AWS_SECRET_ACCESS_KEY: "a-secret",
      AWS_ENDPOINT_URL: "nonsense",
    };
    for (const variables of [env, {}]) {
      const { status, stdout, stderr } = await run(["publish", "s3://seed", "--home", home], {
        env: variables,
      });
      assert.equal(status, 1);
      assert.equal(stdout, "");
      assert.match(stderr, /^xylem: .+\n$/);
      assert.doesNotMatch(stderr, /a-secret|an-id/);
    }
    const nowhere = await run(["publish", join(folder, "no", "bucket"), "--home", home]);
    assert.equal(nowhere.status, 1);
    assert.ok(nowhere.stderr.includes(`the folder ${join(folder, "no")} does not exist`), nowhere.stderr);
    const { status, stderr } = await run(["publish", published(), "--home", join(folder, "absent")]);
    assert.equal(status, 1);
    assert.match(stderr, /No Radicle home in /);
  });

  it("explains itself", async () => {
    const { status, stdout } = await run(["help", "publish"]);
    assert.equal(status, 0);
    assert.match(stdout, /xylem publish BUCKET/);
  });
});
