/** The demo home: what is in it, and that it is the same each time but for its key. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { makeDemoHome } from "../../../../adapters/cli/demo/home.ts";
import { createHomeApi, type HomeApi } from "../../../../adapters/node/mod.ts";
import { readCommitter } from "../../../../src/storage/home/writable_repository.ts";
import { askChecked } from "../../../support/contract.ts";
import { fileSystem } from "../../../support/files.ts";
import { GitRepository } from "../../../support/git.ts";

/** Another id means that the demo shows something else: then raise `DEMO_EDITION`, so that everybody gets to see it. */
const HEAD = "c5c736a9d52f7ef2b8e8f6acf193447090f01df6";

const client = { transport: "tcp", address: "127.0.0.1" } as const;

let home: string;
let made: HomeApi;
let rid: string;
before(async () => {
  home = mkdtempSync(join(tmpdir(), "xylem-demo-"));
  await makeDemoHome(home);
  made = await createHomeApi({ home });
  rid = made.profile.pinned()[0]!;
});
after(async () => {
  await made.node.close();
  made.storage.close();
  rmSync(home, { recursive: true });
});

// deno-lint-ignore no-explicit-any -- answers of the API, as it gives them
async function get(path: string): Promise<any> {
  const response = await askChecked(made.api, new Request(`http://localhost/api/v1${path}`), client);
  assert.equal(response.status, 200, path);
  return await response.json();
}

const project = (path: string) => get(`/projects/${rid}${path}`);
const titles = async (path: string) =>
  (await project(path)).map(({ title }: { title: string }) => title).sort();

describe("the demo home", () => {
  it("has three repositories, one of them private", async () => {
    const shown = await get("/projects?show=all");
    const names = shown.map(({ name }: { name: string }) => name).sort();
    assert.deepEqual(names, ["seed-catalogue", "winter-notes", "xylem-demo"]);
    const hidden = await askChecked(made.api, new Request("http://localhost/api/v1/projects?show=all"));
    assert.equal((await hidden.json()).length, 2);
  });

  it("has the same commits each time, and a key of its own", async () => {
    assert.equal((await project("")).head, HEAD);
    const other = mkdtempSync(join(tmpdir(), "xylem-demo-"));
    try {
      await makeDemoHome(other);
      const [key, otherKey] = [home, other].map((path) => readFileSync(join(path, "keys/radicle"), "utf8"));
      assert.notEqual(key, otherKey);
      const { profile, storage } = await createHomeApi({ home: other });
      const [pinned] = profile.pinned();
      assert.ok(pinned !== undefined && pinned !== rid);
      assert.equal((await storage.repository(pinned)?.ref("refs/heads/main"))?.oid, HEAD);
      storage.close();
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it("has a key that only its owner may read", () => {
    assert.equal(statSync(join(home, "keys", "radicle")).mode & 0o777, 0o600);
  });

  it("has repositories in which git finds no fault, and that say in whose name commits are made", () => {
    for (const name of readdirSync(join(home, "storage"))) {
      const path = join(home, "storage", name);
      const git = new GitRepository(path);
      git.run(["fsck", "--full", "--strict", "--no-dangling"]);
      const { nodeId } = made.profile;
      assert.deepEqual(readCommitter(fileSystem, path), { name: "demo", email: `demo@${nodeId}` });
      assert.equal(git.text(["config", "user.email"]), `demo@${nodeId}`);
    }
  });

  it("neither listens on nor connects to anything when a node is started on it", () => {
    const { preferredSeeds, node } = JSON.parse(readFileSync(join(home, "config.json"), "utf8"));
    assert.deepEqual(preferredSeeds, []);
    assert.deepEqual([node.listen, node.connect, node.externalAddresses], [[], [], []]);
    assert.deepEqual([node.network, node.peers, node.relay], ["test", { type: "static" }, "never"]);
  });

  it("knows its nodes by name, and what it seeds", async () => {
    const remotes: { alias: string; delegate: boolean }[] = await project("/remotes");
    assert.deepEqual(remotes.map(({ alias }) => alias).sort(), ["bob", "demo", "zoë"]);
    assert.deepEqual(remotes.filter(({ delegate }) => delegate).map(({ alias }) => alias), ["demo"]);
    assert.equal((await get("/node/policies/repos")).length, 3);
    assert.equal((await project("")).seeding, 1);
  });
});

describe("the history of the demo", () => {
  const changes = async (message: string) => {
    const { commits } = await project("/commits?perPage=100");
    const found = commits.find(({ commit }: { commit: { summary: string } }) => commit.summary === message);
    assert.ok(found, message);
    return (await project(`/commits/${found.commit.id}`)).diff;
  };

  it("is by three people, with merges, branches and tags", async () => {
    const { commits, contributors, branches } = (await project(`/tree/${HEAD}/`)).stats;
    assert.deepEqual([commits, contributors], [23, 3]);
    assert.ok(branches >= 1);
    const { heads } = (await project("/remotes")).find(({ delegate }: { delegate: boolean }) => delegate);
    assert.ok("feature/birds" in heads);
    const tags = await made.storage.repository(rid as `rad:z${string}`)!
      .refs(`refs/namespaces/${made.profile.nodeId}/refs/tags/`);
    assert.deepEqual(tags.map(({ name }) => name.split("/").at(-1)), ["v0.1.0", "v0.2.0"]);
  });

  it("has renames with and without change", async () => {
    assert.equal((await changes("Move the guide into a folder of its own")).moved.length, 2);
    const [seasons] = (await changes("Rename season.ts and name the months")).moved;
    assert.deepEqual([seasons.oldPath, seasons.newPath], ["src/season.ts", "src/seasons.ts"]);
  });

  it("has a change in several places, one of a picture, one of a mode, a removal", async () => {
    assert.equal((await changes("Expect drier summers")).modified[0].diff.hunks.length, 3);
    const red = await changes("Turn the leaf red, drop the plan");
    assert.deepEqual([red.modified[0].path, red.deleted[0].path], ["assets/leaf.png", "docs/plan.txt"]);
    assert.equal((await changes("Make the program executable")).modified.length, 1);
  });

  it("has folders in folders, names in several scripts, a picture and a README", async () => {
    const { entries } = await project(`/tree/${HEAD}/docs`);
    assert.deepEqual(entries.map(({ name }: { name: string }) => name), ["de", "日本語", "guide.md"]);
    assert.match((await project(`/blob/${HEAD}/docs/日本語/木.md`)).content, /年輪/);
    const picture = await project(`/blob/${HEAD}/assets/leaf.png`);
    assert.equal(picture.binary, true);
    assert.match((await project(`/readme/${HEAD}`)).content, /assets\/leaf\.png/);
  });
});

describe("the issues and patches of the demo", () => {
  it("are in every state", async () => {
    assert.deepEqual(await titles("/issues?state=open"), [
      "Print the rings as a picture",
      "Trees are never watered",
      "Ästhetik: names of files in all scripts 🌍",
    ]);
    assert.deepEqual(await titles("/issues?state=closed"), [
      "Leaves fall up",
      "Sell trees by the metre",
      "Which licence is this under?",
    ]);
    assert.deepEqual(await titles("/patches?state=open"), ["Count the leaves", "Water the trees"]);
    assert.deepEqual(await titles("/patches?state=draft"), ["Sleep in winter"]);
    assert.deepEqual(await titles("/patches?state=archived"), ["Offer plastic trees"]);
    assert.deepEqual(await titles("/patches?state=merged"), [
      "Auf Deutsch: die Anleitung",
      "Spell chlorophyll",
    ]);
  });

  it("are talked about", async () => {
    const issues: Talk[] = await project("/issues?state=all&perPage=100");
    const comments = issues.flatMap(({ discussion }) => discussion);
    assert.ok(comments.some(({ reactions }) => reactions.length > 0));
    assert.ok(comments.some(({ embeds }) => embeds.length > 0));
    assert.ok(comments.some(({ edits }) => edits.length > 1));
    assert.ok(issues.some(({ assignees }) => assignees.length > 0));
    assert.ok(issues.every(({ discussion }) => discussion.length > 0));
    const patches = await Promise.all(
      ["open", "draft", "archived", "merged"].map((state) => project(`/patches?state=${state}`)),
    );
    const revisions: Revised[] = patches.flat().flatMap(({ revisions }) => revisions);
    const reviews = revisions.flatMap(({ reviews }) => reviews);
    assert.deepEqual([...new Set(reviews.map(({ verdict }) => verdict))].sort(), ["accept", "reject"]);
    assert.ok(reviews.some(({ comments }) => comments.some(([, { resolved }]) => resolved)));
    assert.ok(patches.flat().some(({ revisions }) => revisions.length > 1));
  });

  it("have rows for rad, as the API shows them", () => {
    const database = new DatabaseSync(join(home, "cobs", "cache.db"), { readOnly: true });
    const count = (table: string) =>
      database.prepare(`select count(*) as count from ${table} where repo = ?`).get(rid)?.["count"];
    assert.deepEqual([count("issues"), count("patches")], [6, 6]);
    database.close();
  });
});

interface Talk {
  readonly assignees: readonly unknown[];
  readonly discussion: readonly { reactions: unknown[]; embeds: unknown[]; edits: unknown[] }[];
}

interface Revised {
  readonly reviews: readonly { verdict: string; comments: readonly [string, { resolved: boolean }][] }[];
}
