/** The command line of the tool, and how it ends. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { folderOnDisk, removeFolder, unpackHome } from "../support/programs.ts";
import { answer, startHostileService } from "./hostile_service.ts";
import { runCompare } from "./tool.ts";

const URL = "http://example.org";

describe("the command line of the comparison", () => {
  it("is explained", async () => {
    const { status, stdout } = await runCompare(["--help"]);
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: node test\/compare\/run\.ts URL \[options\]\n[^]*--requests N/);
  });

  for (
    const args of [
      [],
      ["127.0.0.1:8080"],
      ["ftp://example.org"],
      ["http://example.org/?a=b"],
      ["http://me:secret@example.org"],
      [URL, "--requests", "0"],
      [URL, "--requests", "100000"],
      [URL, "--seconds", "0.5"],
      [URL, "more"],
      [URL, "--unknown"],
    ]
  ) {
    it(`refuses ${args.map((arg) => JSON.stringify(arg)).join(" ") || "nothing"}`, async () => {
      const { status, stderr } = await runCompare(args, { RAD_HOME: "/nowhere" });
      assert.equal(status, 2);
      assert.match(stderr, /^compare: (?:Cannot use|Expected|Unknown)[^\n]*\n$/);
      assert.doesNotMatch(stderr, /secret/);
    });
  }
});

describe("the comparison", () => {
  let folder: string;
  let home: string;
  before(() => {
    folder = folderOnDisk("compare");
    home = unpackHome("today/ten-collab.tar.gz", folder);
  });
  after(() => removeFolder(folder));

  it("asks no more often than it may, and ends with status 1 when answers differ", async () => {
    const root = JSON.stringify({ service: "radicle-httpd", links: [{ href: "/projects" }] });
    const service = await startHostileService((_, socket) => answer(socket, root));
    try {
      const { status, stdout } = await runCompare([service.url, "--home", home, "--requests", "20"]);
      assert.equal(status, 1, stdout);
      assert.match(stdout, /^\d+ answers: /m);
      // One more asks what the service is.
      assert.ok(service.asked.length <= 21);
    } finally {
      await service.close();
    }
  });

  it("ends with status 2 without a home", async () => {
    const { status, stderr } = await runCompare(["http://127.0.0.1:9"]);
    assert.equal(status, 2);
    assert.match(stderr, /^compare: No Radicle home: RAD_HOME and HOME are not set/);
  });

  it("ends with status 2 when no service accepts the connection", async () => {
    const service = await startHostileService(() => {});
    await service.close();
    const { status, stderr } = await runCompare([service.url, "--home", home]);
    assert.deepEqual([status, stderr], [2, `compare: Cannot ask ${service.url}: connection refused\n`]);
  });
});
