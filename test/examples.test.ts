/** The examples do what they say. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createApp } from "../examples/embed.ts";
import { createApp as createAppWithSignIn } from "../examples/own_sign_in.ts";
import { gitStorage } from "../examples/custom_storage.ts";
import { createApi } from "../mod.ts";
import { loadLibgit2 } from "../adapters/node/mod.ts";
import { removeFolder, temporaryFolder, unpackHome } from "./support/programs.ts";
import { ALICE } from "./support/world.ts";

const PLAIN = "rad:z3F8iLT3QXXmWkdhjGEBchwG5YooP";
const folder = temporaryFolder("examples");
let home: string;

before(() => {
  home = unpackHome("browse.tar.gz", folder);
});
after(() => removeFolder(folder));

describe("examples", () => {
  it("each say first what they show and how to run it, on a page", () => {
    for (const name of readdirSync(new URL("../examples", import.meta.url))) {
      const lines = readFileSync(new URL(`../examples/${name}`, import.meta.url), "utf8").split("\n");
      assert.match(lines[0] ?? "", /^\/\/ .* Run: (node|deno run|bun) .*examples\//, name);
      assert.ok(lines.length < 90, name);
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

  it("custom_storage: repositories read through git answer like a home", async () => {
    const options = { profile: { nodeId: ALICE, pinned: () => [] }, loadLibgit2 };
    const api = createApi({ ...options, storage: gitStorage(join(home, "storage")) });
    const ask = async (path: string) =>
      (await api.fetch(new Request(`http://localhost/api/v1/projects/${PLAIN}${path}`))).json();
    const app = await createApp(home);
    const expect = async (path: string) =>
      (await app(new Request(`http://localhost/radicle/api/v1/projects/${PLAIN}${path}`))).json();
    // What the node knows, a storage alone does not.
    const ofStorage = (answer: unknown) =>
      JSON.parse(
        JSON.stringify(answer, (key, value) =>
          ["seeding", "trackings", "alias"].includes(key) ? undefined : value),
      );
    const { head } = await ask("");
    for (
      const path of ["", "/commits", `/commits/${head}`, `/tree/${head}/`, `/readme/${head}`, "/remotes"]
    ) {
      assert.deepEqual(ofStorage(await ask(path)), ofStorage(await expect(path)), path);
    }
  });
});
