/** Search in real homes, on whichever runtime runs this test. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { HomeApi } from "../../../adapters/home/home.ts";
import { askChecked } from "../../support/contract.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { GitRepository } from "../../support/git.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

const OWNER = { transport: "unix" } as const;
/** A private repository of the home, and a public one with its issues and patches. */
const ATTIC = "rad:z7K46iYD2Rza3FyWnRSUuyuQnmE8";
const ATELIER = "rad:z2wDWbjWsk4yRK4RvpnMV83RrDFvP";

/** Texts of the home that have a word beginning with "re", the best first. */
const RE_FOUND = ["patch 19da433", "patch 134f5c9", "issue 6d2c3ae", "patch fd942b4", "patch 1c24e09"];

interface Found {
  readonly type: string;
  readonly rid: string;
  readonly id?: string;
  readonly title: string;
}

let folder: string, home: string, cachePath: string;
before(() => {
  folder = temporaryFolder("search");
  home = unpackHome("today/today-collab.tar.gz", folder);
  cachePath = join(folder, "cache");
});
after(() => removeFolder(folder));

async function ask({ api }: HomeApi, path: string, client?: unknown) {
  const response = await askChecked(api, new Request(`http://localhost/api/v1${path}`), client);
  assert.equal(response.status, 200, path);
  return await response.json();
}

async function find(made: HomeApi, query: string, client?: unknown): Promise<readonly Found[]> {
  return await ask(made, `/search?perPage=100&q=${encodeURIComponent(query)}`, client);
}

/** Searches until what is found is as wanted. */
async function findUntil(
  made: HomeApi,
  query: string,
  isWanted: (found: readonly Found[]) => boolean,
  client?: unknown,
): Promise<readonly Found[]> {
  for (const deadline = Date.now() + PATIENCE_MS;;) {
    const found = await find(made, query, client);
    if (isWanted(found)) return found;
    assert.ok(Date.now() < deadline, `${query}: ${JSON.stringify(found)}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

const shortIds = (found: readonly Found[]) =>
  found.map(({ type, id = "" }) => `${type} ${id.slice(0, 7)}`.trim());

describe("a file of the search index that is lost while it is in use", () => {
  it("is made again before anything is found in it", async () => {
    const path = join(folder, "lost");
    const made = await adapter.createHomeApi({ home, cachePath: path });
    const found = await findUntil(made, "re", (found) => found.length > 0);
    const [file] = readdirSync(path).filter((name) => name.endsWith(".public.db"));
    const damages: ((file: string) => void)[] = [
      (file) => rmSync(file),
      (file) => writeFileSync(file, ""),
      (file) => writeFileSync(file, new Uint8Array(statSync(file).size)),
    ];
    for (const damage of damages) {
      damage(join(path, file!));
      assert.deepEqual(await find(made, "re"), found);
      assert.deepEqual(await find(made, "re"), found);
    }
    await made.close();
  });
});

describe("search in a home that today's programs wrote", () => {
  it("finds every issue and patch by its title, in the same order on every runtime", async () => {
    const made = await adapter.createHomeApi({ home });
    await findUntil(made, "attic", (found) => found.length > 0, OWNER);
    let asked = 0;
    for (const { id: rid } of await ask(made, "/projects", OWNER)) {
      for (const kind of ["issues", "patches"]) {
        for (
          const { id, title } of await ask(made, `/projects/${rid}/${kind}?state=all&perPage=100`, OWNER)
        ) {
          if (title === "") continue;
          asked++;
          await findUntil(
            made,
            title,
            (found) => found.some((one) => one.id === id && one.rid === rid),
            OWNER,
          );
        }
      }
    }
    assert.ok(asked >= 30);
    assert.deepEqual(shortIds(await find(made, "re", OWNER)), RE_FOUND);
    await made.close();
  });

  it("keeps its index in the cache folder: private texts apart, and away with their repository", async () => {
    const first = await adapter.createHomeApi({ home, cachePath });
    await findUntil(first, "attic", (found) => found[0]?.rid === ATTIC, OWNER);
    assert.deepEqual(await find(first, "attic"), []);
    await first.close();
    const fileOf = (part: string) =>
      join(cachePath, readdirSync(cachePath).find((name) => name.endsWith(`.${part}.db`)) ?? "missing");
    assert.ok(!readFileSync(fileOf("public")).includes("attic"));
    for (const part of ["public", "private"]) assert.equal(statSync(fileOf(part)).mode & 0o777, 0o600);

    rmSync(join(home, "storage", ATTIC.slice(4)), { recursive: true });
    const second = await adapter.createHomeApi({ home, cachePath });
    await findUntil(second, "attic", (found) => found.length === 0, OWNER);
    for (const deadline = Date.now() + PATIENCE_MS; existsSync(fileOf("private"));) {
      assert.ok(Date.now() < deadline);
      await find(second, "attic", OWNER);
    }
    await second.close();
  });

  it("finds an issue of rad after its reference has come, and not before", async () => {
    const made = await adapter.createHomeApi({ home, cachePath });
    const [{ id, title }] = await ask(made, `/projects/${ATELIER}/issues?state=all&perPage=1`);
    const git = new GitRepository(join(home, "storage", ATELIER.slice(4)));
    const refs = git.text(["for-each-ref", "--format=%(refname) %(objectname)"]).split("\n")
      .filter((line) => line.includes(`/refs/cobs/xyz.radicle.issue/${id} `))
      .map((line) => line.split(" ") as [string, string]);
    assert.ok(refs.length > 0);
    await findUntil(made, title, (found) => found.some((one) => one.id === id));
    for (const [name] of refs) git.run(["update-ref", "-d", name]);
    await findUntil(made, title, (found) => !found.some((one) => one.id === id));
    for (const [name, oid] of refs) git.run(["update-ref", name, oid]);
    await findUntil(made, title, (found) => found.some((one) => one.id === id));
    await made.close();
  });
});
