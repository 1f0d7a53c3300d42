/** The options of `xylem check`, and the permissions that it needs. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { UsageError } from "../../../../adapters/cli/command_line.ts";
import { parseCommand } from "../../../../adapters/cli/parse_command.ts";
import { folderOnDisk, removeFolder, unpackHome } from "../../../support/programs.ts";
import { run } from "../command.ts";
import { answer, startHostileService } from "./hostile_service.ts";

describe("the options of xylem check", () => {
  it("name the other service, the home, and limits", () => {
    assert.deepEqual(parseCommand(["check", "--beside", "http://127.0.0.1:8080/"]), {
      verb: "check",
      beside: "http://127.0.0.1:8080",
    });
    const args = ["--home", "x", "--api", "v1", "--answers", "objects", "--requests", "9", "--seconds", "3"];
    assert.deepEqual(parseCommand(["check", "--beside", "https://example.org/radicle", ...args]), {
      verb: "check",
      beside: "https://example.org/radicle",
      home: "x",
      api: "v1",
      answers: "objects",
      requests: 9,
      seconds: 3,
    });
  });

  it("are explained", () => {
    for (const args of [["check", "--help"], ["help", "check"]]) {
      assert.deepEqual(parseCommand(args), { verb: "help", of: "check" });
    }
  });

  for (
    const args of [
      [],
      ["--beside"],
      ["--beside", "127.0.0.1:8080"],
      ["--beside", "ftp://example.org"],
      ["--beside", "http://example.org/?a=b"],
      ["--beside", "http://me:secret@example.org"],
      ["--beside", "http://example.org", "--requests", "0"],
      ["--beside", "http://example.org", "--requests", "100000"],
      ["--beside", "http://example.org", "--seconds", "0.5"],
      ["--beside", "http://example.org", "--home", "x", "--demo"],
      ["--beside", "http://example.org", "more"],
    ]
  ) {
    it(`refuse ${args.map((arg) => JSON.stringify(arg)).join(" ") || "none"}`, () => {
      assert.throws(
        () => parseCommand(["check", ...args]),
        (error) => error instanceof UsageError && !error.message.includes("secret"),
      );
    });
  }
});

describe("xylem check", () => {
  let folder: string, home: string;
  before(() => {
    folder = folderOnDisk("check");
    home = unpackHome("today/ten-collab.tar.gz", folder);
  });
  after(() => removeFolder(folder));

  it("needs no more of Deno than to read the home and to reach the service", async () => {
    const root = JSON.stringify({ service: "radicle-httpd", links: [{ href: "/projects" }] });
    const service = await startHostileService((_, socket) => answer(socket, root));
    try {
      const args = ["check", "--beside", service.url, "--home", home, "--requests", "20"];
      const host = `--allow-net=${new URL(service.url).host}`;
      const { status, stdout, stderr } = await run(args, { permissions: [`--allow-read=${home}`, host] });
      assert.equal(status, 1, stdout);
      // The node's socket is one more permission, for which Deno says why it is missing.
      assert.match(stderr, /^(?:\S+ warn Cannot reach the node: No permission [^\n]*\n)?$/);
      assert.match(stdout, /^\d+ answers: /m);
      if (!("Deno" in globalThis)) return;
      const refused = await run(args, { permissions: [`--allow-read=${home}`] });
      assert.equal(refused.status, 2);
      assert.equal(refused.stderr, `xylem: Deno lacks permissions: run it with ${host}\n`);
    } finally {
      await service.close();
    }
  });

  it("ends with status 2 without a home", async () => {
    const { status, stderr } = await run(["check", "--beside", "http://127.0.0.1:9"], { env: {} });
    assert.equal(status, 2);
    assert.match(stderr, /^xylem: No Radicle home: neither RAD_HOME nor HOME is set/);
  });

  it("ends with status 2 where nobody listens", async () => {
    const service = await startHostileService(() => {});
    await service.close();
    const { status, stderr } = await run(["check", "--beside", service.url, "--home", home]);
    assert.deepEqual([status, stderr], [2, `xylem: Cannot ask ${service.url}: connection refused\n`]);
  });
});
