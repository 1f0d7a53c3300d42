/** The examples do what they say. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { browse } from "../examples/browse.ts";
import { createApp } from "../examples/embed.ts";
import { createApp as createAppWithSignIn } from "../examples/own_sign_in.ts";
import { gitStorage } from "../examples/custom_storage.ts";
import { createApi as createApiInMemory, readFolder } from "../examples/own_adapter.ts";
import { createApi, isWritable, parseRid } from "../mod.ts";
import { createClient } from "../src/client/mod.ts";
import { createHomeApi, type HomeApi, loadLibgit2 } from "../adapters/node/mod.ts";
import { removeFolder, temporaryFolder, unpackHome } from "./support/programs.ts";
import { ALICE } from "./support/world.ts";

const PLAIN = parseRid("rad:z3F8iLT3QXXmWkdhjGEBchwG5YooP");
const folder = temporaryFolder("examples");
let home: string;

before(() => {
  home = unpackHome("browse.tar.gz", folder);
});
after(() => removeFolder(folder));

/** An answer without what only the node knows. */
function ofStorage(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(
      answer,
      (key, value) => ["seeding", "trackings", "alias"].includes(key) ? undefined : value,
    ),
  );
}

describe("examples", () => {
  it("each say first what they show and how to run it, on two pages", () => {
    for (const name of readdirSync(new URL("../examples", import.meta.url))) {
      const lines = readFileSync(new URL(`../examples/${name}`, import.meta.url), "utf8").split("\n");
      assert.match(lines[0] ?? "", /^\/\/ .*\.$/, name);
      assert.match(
        lines[1] ?? "",
        /^\/\/ Run: .*(node|deno run|deno serve|bun|wrangler deploy) .*examples\//,
        name,
      );
      assert.ok(lines.length < 125, name);
      const needed = lines.some((line) => line.includes("import.meta.main")) ? "24.2" : "22.18";
      if (/ node_modules\/\.bin\/node /.test(lines[1]!)) {
        assert.match(lines[2]!, new RegExp(`^// Needs Node\\.js ${needed} or newer`), name);
      }
      assert.doesNotMatch(lines[1]!, /Run: node /, `${name}: the system's Node.js may be older`);
    }
  });

  it("import only from entries of the package", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../deno.json", import.meta.url), "utf8"));
    const entries = Object.values<string>(exports).map((file) => file.replace("./", "../"));
    for (const name of readdirSync(new URL("../examples", import.meta.url))) {
      const text = readFileSync(new URL(`../examples/${name}`, import.meta.url), "utf8");
      const files = Array.from(text.matchAll(/ from "(\.[^"]*)"/g), ([, file]) => file!);
      assert.deepEqual(files.filter((file) => !entries.includes(file)), [], name);
    }
  });

  it("embed: the API answers below the app's path, the app elsewhere", async () => {
    const app = await createApp(home);
    const ask = async (path: string) => (await app(new Request(`http://localhost${path}`))).text();
    assert.match(await ask("/"), /My app/);
    assert.equal(JSON.parse(await ask(`/radicle/api/v1/projects/${PLAIN}`)).name, "plain");
  });

  it("own_sign_in: the app decides who is the owner, whatever machine they are on", async () => {
    const app = await createAppWithSignIn(home, new Set(["secret"]));
    const ask = async (headers: Record<string, string> = {}) =>
      (await app(new Request("https://app.example/api/v1/profile", { headers }))).status;
    assert.equal(await ask(), 401);
    assert.equal(await ask({ "x-app-token": "wrong" }), 401);
    assert.equal(await ask({ "x-app-token": "secret" }), 200);
  });

  it("own_adapter: a home in memory answers like one on a disk, and cannot be changed", async () => {
    const { api, storage, close } = await createApiInMemory(home, readFolder(home));
    const [onDisk, client] = [await createHomeApi({ home }), { transport: "unix" } as const];
    const ask = async ({ api }: Pick<HomeApi, "api">, path: string) => {
      const response = await api.fetch(new Request(`http://localhost/api/v1${path}`), client);
      return [response.status, await response.json()];
    };
    const { head } = (await ask(onDisk, `/projects/${PLAIN}`))[1];
    const ofProject = [
      "",
      "/remotes",
      "/commits",
      `/commits/${head}`,
      `/tree/${head}/`,
      `/readme/${head}`,
      "/issues",
    ];
    for (const path of ["", "/projects?show=all", ...ofProject.map((path) => `/projects/${PLAIN}${path}`)]) {
      assert.deepEqual(ofStorage(await ask({ api }, path)), ofStorage(await ask(onDisk, path)), path);
    }
    const repository = storage.repository(PLAIN);
    assert.ok(repository !== undefined && !isWritable(repository));
    await close();
    await onDisk.close();
  });

  it("browse: a client lists projects and issues", async () => {
    const { api, close } = await createHomeApi({ home });
    const client = createClient("http://localhost", { fetch: (request) => api.fetch(request) });
    const lines: string[] = [];
    for await (const line of browse(client)) lines.push(line);
    assert.ok(lines.some((line) => line.startsWith(`plain ${PLAIN} `)), lines.join("\n"));
    await close();
  });

  it("custom_storage: repositories read through git answer like a home", async () => {
    const options = { profile: { nodeId: ALICE, pinned: () => [] }, loadLibgit2 };
    const storage = gitStorage(join(home, "storage"));
    const api = createApi({ ...options, storage });
    const ask = async (path: string) =>
      (await api.fetch(new Request(`http://localhost/api/v1/projects/${PLAIN}${path}`))).json();
    const app = await createApp(home);
    const expect = async (path: string) =>
      (await app(new Request(`http://localhost/radicle/api/v1/projects/${PLAIN}${path}`))).json();
    const { head } = await ask("");
    for (
      const path of ["", "/commits", `/commits/${head}`, `/tree/${head}/`, `/readme/${head}`, "/remotes"]
    ) {
      assert.deepEqual(ofStorage(await ask(path)), ofStorage(await expect(path)), path);
    }
    await api.close();
    storage.close();
  });
});
