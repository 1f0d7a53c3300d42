/** What the owner and `rad` change in a home shows at the next request, on whichever runtime runs this test. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { HomeApi } from "../../adapters/home/home.ts";
import type { Client } from "../../src/ports/client.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";
import { adapter } from "./this_runtime.ts";
import { askChecked } from "../support/contract.ts";

const OWNER: Client = { transport: "tcp", address: "127.0.0.1" };
const PLAIN = "rad:z3F8iLT3QXXmWkdhjGEBchwG5YooP";
const UNICODE = "rad:z7TbX1nFCDqjMefUomnESiH1TNqT";

describe("a home that is served", () => {
  const folder = temporaryFolder("no-restart");
  let home: string, api: HomeApi["api"];
  before(async () => {
    home = unpackHome("browse.tar.gz", folder);
    ({ api } = await adapter.createHomeApi({ home }));
  });
  after(() => removeFolder(folder));

  const ask = async (path: string, method = "GET") => {
    const answer = await askChecked(api, new Request(`http://localhost/api/v1${path}`, { method }), OWNER);
    return await answer.json();
  };
  const idsOf = (projects: readonly { id: string }[]) => projects.map(({ id }) => id);
  const place = (rid: string) => join(home, "storage", rid.slice("rad:".length));
  /** Writes the configuration in place, so that the file stays the same one. */
  const configure = (alias: string, ...repositories: string[]) => {
    const path = join(home, "config.json");
    const { node, ...config } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(
      path,
      JSON.stringify({ ...config, web: { pinned: { repositories } }, node: { ...node, alias } }),
    );
  };

  it("shows edits of its configuration, however quickly they follow each other", async () => {
    for (const [alias, pinned] of [["anna", PLAIN], ["otto", UNICODE], ["anne", PLAIN]] as const) {
      configure(alias, pinned);
      assert.deepEqual(idsOf(await ask("/projects?show=pinned")), [pinned]);
      assert.equal((await ask("/sessions", "POST")).alias, alias);
      assert.equal((await ask("/profile")).config.node.alias, alias);
    }
  });

  it("shows repositories that come and go", async () => {
    const list = async () => idsOf(await ask("/projects?show=all&perPage=100"));
    const away = join(folder, "away");
    cpSync(place(PLAIN), away, { recursive: true });
    assert.ok((await list()).includes(PLAIN));
    rmSync(place(PLAIN), { recursive: true });
    assert.ok(!(await list()).includes(PLAIN));
    assert.equal((await ask(`/projects/${PLAIN}`)).code, 404);
    cpSync(away, place(PLAIN), { recursive: true });
    assert.ok((await list()).includes(PLAIN));
    assert.equal((await ask(`/projects/${PLAIN}`)).name, "plain");
  });

  it("shows policies and aliases that others write", async () => {
    const database = adapter.createNodeDatabase(join(home, "node", "policies.db"));
    const write = (sql: string, ...values: string[]) => database.write([{ sql, values }]);
    const policy = async () =>
      (await ask("/node/policies/repos")).find(({ id }: { id: string }) => id === PLAIN);
    for (const scope of ["all", "followed", "all"]) {
      await write("insert or replace into seeding (id, scope) values (?, ?)", PLAIN, scope);
      assert.deepEqual(await policy(), { id: PLAIN, scope, policy: "allow" });
    }
    await write("delete from seeding where id = ?", PLAIN);
    assert.equal(await policy(), undefined);
    const nid = "z6MktWkM9vcfysWFq1c2aaLjJ6j4PYYg93TLPswR4qtuoAeT";
    for (const alias of ["fred", "frida"]) {
      await write("insert or replace into following (id, alias) values (?, ?)", nid, alias);
      assert.equal((await ask(`/nodes/${nid}`)).alias, alias);
    }
  });

  it("does without databases, and reads them when they come", async () => {
    const path = join(home, "node");
    const away = join(folder, "node");
    cpSync(path, away, { recursive: true });
    rmSync(path, { recursive: true });
    assert.deepEqual(await ask("/node/policies/repos"), []);
    mkdirSync(path);
    cpSync(away, path, { recursive: true });
    assert.ok((await ask("/node/policies/repos")).length > 0);
  });
});
