/** The command on a terminal, by script(1) of util-linux: progress, Ctrl-C, and no prompt of Deno. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { DEMO_EDITION } from "../../adapters/cli/demo.ts";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { folderOnDisk, removeFolder, ROOT } from "../support/programs.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const CTRL_C = "\x03";

// Deno reads nothing below /dev, where a RAM disk is, without all permissions.
const folder = folderOnDisk("terminal");
const home = join(folder, ".cache", "xylem", `demo-${DEMO_EDITION}`);
after(() => removeFolder(folder));

/** Runs a command of the shell on a terminal until it serves, then `use`, then Ctrl-C. */
async function onTerminal(command: string, use: (url: string) => Promise<void>) {
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    DENO_DIR: process.env["DENO_DIR"] ?? join(homedir(), ".cache", "deno"),
  };
  // Without exec the shell would be told of the signal, too.
  const args = ["--quiet", "--return", "--command", `exec ${command}`, "/dev/null"];
  const child = spawn("script", args, { cwd: ROOT, env, timeout: PATIENCE_MS, killSignal: "SIGKILL" });
  const ended = once(child, "close");
  const serving = Promise.withResolvers<string>();
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
    const url = /Serving (http:\S+)/.exec(shown)?.[1];
    if (url !== undefined && shown.includes("Ctrl-C")) serving.resolve(url);
    // A prompt holds all requests.
    if (shown.includes("Allow?")) child.kill("SIGKILL");
  });
  ended.then(() => serving.reject(new Error(shown)), () => {});
  try {
    await use(await serving.promise).catch((cause) => {
      throw new Error(shown, { cause });
    });
    child.stdin.write(CTRL_C);
    const [status] = await ended;
    return { shown, status };
  } finally {
    child.kill("SIGKILL");
  }
}

/** The status of an answer. */
async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
}

describe("the first start on a terminal", () => {
  it("shows what it makes and its address, and ends on Ctrl-C", async () => {
    const command = "node_modules/.bin/node adapters/cli/main.ts --demo --port 0";
    const { shown, status } = await onTerminal(command, async (url) => {
      assert.equal(await statusOf(`${url}/`), 200);
    });
    assert.equal(status, 0, shown);
    assert.ok(shown.startsWith(`Making a demo home in ${home}`), shown);
    assert.match(shown, /Open http:\/\/127\.0\.0\.1:\d+\/\r\nCtrl-C ends the service\.\r\n/);
  });
});

describe("Deno with few permissions, on a terminal", () => {
  it("stops at no prompt: not at the start, not for a diff, not for a change", async () => {
    const permissions = `--allow-read=${home},adapters,extensions,src,node_modules --allow-net=127.0.0.1:0`;
    const main = "adapters/cli/main.ts";
    const command = `node_modules/.bin/deno run --no-check ${permissions} ${main} --home ${home} --port 0`;
    const { shown, status } = await onTerminal(command, async (url) => {
      const projects = await (await fetch(`${url}/api/v1/projects`)).json();
      const { id, head } = projects.find(({ name }: { name: string }) => name === "xylem-demo");
      const project = `${url}/api/v1/projects/${id}`;
      const paths = ["", "/commits", `/commits/${head}`, "/issues", "/patches", "/remotes"];
      for (const path of paths) assert.equal(await statusOf(project + path), 200, path);
      for (const path of ["/node", "/node/policies/repos", "/profile", "/stats"]) {
        assert.equal(await statusOf(`${url}/api/v1${path}`), 200, path);
      }
      const publicKey = fileSystem.read(join(home, "keys", "radicle.pub"));
      const nodeId = nodeIdOfPublicKey(new TextDecoder().decode(publicKey));
      const token = await openAuthorized(url, await openSigner({ home, nodeId, fileSystem })());
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const body = JSON.stringify({ title: "t", description: "d", labels: [], assignees: [], embeds: [] });
      assert.equal(await statusOf(`${project}/issues`, { method: "POST", headers, body }), 503);
      const policy = `${url}/api/v1/node/policies/repos/${id}`;
      assert.notEqual(await statusOf(policy, { method: "DELETE", headers }), 200);
    });
    assert.equal(status, 0, shown);
    assert.equal(shown.match(/Deno lacks permissions/g)?.length, 1, shown);
  });
});
