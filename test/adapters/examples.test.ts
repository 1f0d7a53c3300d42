/** The example for the runtime that executes this serves a home. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { folderOnDisk, removeFolder, ROOT, startDenoServe } from "../support/programs.ts";
import { makeHome, NID } from "./cli/command.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { ask } from "./wire.ts";

const RUNTIME = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node";
const EXAMPLE = fileURLToPath(new URL(`../../examples/serve_${RUNTIME}.ts`, import.meta.url));

let folder: string;
before(() => folder = folderOnDisk("example"));
after(() => removeFolder(folder));

describe(`examples/serve_${RUNTIME}.ts`, () => {
  it("serves the home that it is given", async () => {
    const home = makeHome(join(folder, "home"));
    const deno = [
      "run",
      "--quiet",
      "--no-prompt",
      "--no-check",
      `--allow-read=${home}`,
      "--allow-net=127.0.0.1:0",
    ];
    const args = [...RUNTIME === "deno" ? deno : [], EXAMPLE, home, "0"];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: PATIENCE_MS,
    });
    let said = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      said += text;
      if (said.includes("\n")) break;
    }
    const [, alias, url] = /^(.*) serves (http:\/\/\S+)\n/.exec(said) ?? [];
    assert.equal(alias, "alice");
    assert.equal((await (await fetch(`${url}/api/v1`)).json()).nid, NID);
    const { port } = new URL(url!);
    const profile = async (fields: string) =>
      await ask(
        { transport: "tcp", hostname: "127.0.0.1", port: Number(port) },
        `GET /api/v1/profile HTTP/1.0\r\n${fields}\r\n`,
      );
    // Its owner is on this machine; who it is without `Host`, nobody knows.
    assert.match(await profile(`Host: localhost:${port}\r\n`), /^HTTP\/1\.[01] 200 /);
    assert.match(await profile(""), /^HTTP\/1\.[01] 40[01] /);
    child.kill();
    await once(child, "exit");
  });
});

if (RUNTIME === "deno") {
  describe("examples/replica_deno.ts", () => {
    it("says why it answers 503: of a server without entity tags, for example", async () => {
      const server = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const replica = await startDenoServe(join(ROOT, "examples", "replica_deno.ts"), {
        BUCKET: "s3://published",
        AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "secret",
        AWS_REGION: "local",
      });
      try {
        const response = await fetch(`${replica.url}/api/v1/projects`);
        await response.body?.cancel();
        assert.equal(response.status, 503);
        assert.match(replica.output(), /The bucket cannot be read.*names no tag/s);
      } finally {
        await replica.stop();
        server.close();
      }
    });
  });
}
