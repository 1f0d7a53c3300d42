/** A Radicle home on the runtime that executes this: its API by itself, and the service. */
import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assembleHomeApi } from "../../adapters/home/home.ts";
import { serveHome } from "../../adapters/home/serve_home.ts";
import type { Server } from "../../adapters/server/server.ts";
import type { Address } from "../../adapters/node/mod.ts";
import { fileSystem } from "../support/files.ts";
import { GitRepository } from "../support/git.ts";
import { watchFiles } from "../support/watched_files.ts";
import { RID } from "../support/written_home.ts";
import { makeHome, NID } from "./cli/command.ts";
import { adapter } from "./this_runtime.ts";

const ANY_PORT: Address = { transport: "tcp", hostname: "127.0.0.1", port: 0 };

let folder: string;
let home: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "xylem-home-"));
  home = makeHome(join(folder, "home"));
});
after(() => rmSync(folder, { recursive: true }));

describe("createHomeApi", () => {
  it("answers below the path where it is mounted", async () => {
    const { api, profile } = await adapter.createHomeApi({ home, basePath: "/radicle" });
    const response = await api.fetch(new Request("http://localhost/radicle/api/v1"));
    assert.equal(response.status, 200);
    assert.equal((await response.json()).nid, NID);
    assert.equal(profile.alias, "alice");
  });

  it("does not compile libgit2", async () => {
    const parts = { ...adapter.homeParts, loadLibgit2: () => assert.fail("compiled") };
    const { api } = await assembleHomeApi({ home }, parts);
    assert.equal((await api.fetch(new Request("http://localhost/api/v1/projects"))).status, 200);
  });

  it("refuses a home without a public key", async () => {
    await assert.rejects(async () => await adapter.createHomeApi({ home: folder }), { name: "ProfileError" });
  });
});

describe("serve", () => {
  it("answers on all its addresses until it is closed", async () => {
    const server = await adapter.serve({ home, listen: [ANY_PORT, ANY_PORT] });
    assert.equal(new Set(server.urls).size, 2);
    for (const url of server.urls) {
      const response = await fetch(`${url}/api/v1/projects`);
      assert.deepEqual([response.status, await response.json()], [200, []]);
    }
    await server.close();
    for (const url of server.urls) await assert.rejects(fetch(`${url}/api/v1`));
  });

  it("lets requests wait that come before the API is loaded", async () => {
    const early = Promise.withResolvers<Promise<{ readonly status: number }>>();
    const server = await serveHome(
      { home, listen: [ANY_PORT] },
      adapter.homeParts,
      async (handler, options) => {
        early.resolve(Promise.resolve(handler(new Request("http://localhost/api/v1/projects"))));
        return await adapter.createServer(handler, options);
      },
    );
    assert.equal((await (await early.promise)).status, 200);
    await server.close();
  });

  it("removes locks of references that a killed process has left", async () => {
    const { path } = GitRepository.create(join(home, "storage", RID.slice("rad:".length)));
    mkdirSync(join(path, "xylem"));
    for (const name of ["mutex", "mark"]) writeFileSync(join(path, "xylem", name), "");
    const lock = join(path, "refs", "heads", "main.lock");
    linkSync(join(path, "xylem", "mark"), lock);
    const removed = Promise.withResolvers<string>();
    const watched = watchFiles(fileSystem, ({ path }) => removed.resolve(path));
    const parts = { ...adapter.homeParts, fileSystem: watched };
    const server = await serveHome({ home, listen: [ANY_PORT] }, parts, adapter.createServer);
    assert.equal(await removed.promise, lock);
    await server.close();
    assert.equal(existsSync(lock), false);
    rmSync(path, { recursive: true });
  });

  it("opens no socket when one of them cannot be opened", async () => {
    const server = await adapter.serve({ home, listen: [ANY_PORT] });
    const opened: Server[] = [];
    const listen = [ANY_PORT, ...server.addresses];
    const failing = serveHome({ home, listen }, adapter.homeParts, async (handler, options) => {
      const made = await adapter.createServer(handler, options);
      opened.push(made);
      return made;
    });
    const message = `Cannot listen on ${server.urls[0]}: the address is in use`;
    await assert.rejects(failing, { name: "ListenError", message });
    const [closed] = opened;
    assert.ok(closed?.address.transport === "tcp");
    await assert.rejects(fetch(`http://127.0.0.1:${closed.address.port}/`));
    await server.close();
  });
});
