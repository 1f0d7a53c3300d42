/** What `rad` of each generation does to issues and patches: after each of its commands, we read what the newest `rad` and `radicle-httpd` 0.10.0 do. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { signerOf } from "../support/keys.ts";
import {
  type Generation,
  GENERATIONS,
  removeFolder,
  type Runtime,
  type Service,
  startHttpd,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { comparableCob } from "./httpd_cobs.ts";
import {
  assertSameState,
  type Client,
  createWrittenProject,
  signIn,
  type WrittenProject,
} from "./written_project.ts";

/** Which of our runtimes reads. */
const READERS: Readonly<Record<Generation, Runtime>> = { "0.10": "deno", "newest": "bun" };

const folder = temporaryFolder("cobs-read");
const running: Service[] = [];
after(async () => {
  await Promise.all(running.map((service) => service.stop()));
  removeFolder(folder);
});

for (const generation of GENERATIONS) {
  const runtime = READERS[generation];
  describe(`objects that rad ${generation} wrote, read by xylem on ${runtime}`, () => {
    let project: WrittenProject;
    let client: Client;
    let httpd: Service | undefined;
    let work: string;
    let did: string;
    before(async () => {
      const place = join(folder, generation);
      project = createWrittenProject(generation, place);
      work = join(place, "work");
      did = `did:key:${(await signerOf(project.seed)).nodeId}`;
      const service = await startService(runtime, project.rad.home, ["--answers", "objects"]);
      running.push(service);
      client = await signIn(service.url, project);
      if (generation !== "0.10") return;
      httpd = await startHttpd(project.rad.home);
      running.push(httpd);
    });

    /** Compares what everybody makes of an object; answers what we do. */
    const look = async (type: CachedType, id: string) => {
      const path = `/${type === "xyz.radicle.issue" ? "issues" : "patches"}/${id}`;
      const ours = await client.read(path);
      if (httpd === undefined) await assertSameState(project, type, id);
      else {
        const theirs = await fetch(`${httpd.url}/api/v1/projects/${project.rid}${path}`);
        assert.deepEqual(comparableCob(ours), comparableCob(await theirs.json()));
      }
      return ours;
    };
    /** The one object of a kind. */
    const only = async (path: string): Promise<string> => {
      const objects = await client.read(`${path}?state=all`);
      assert.equal(objects.length, 1);
      return objects[0].id;
    };

    it("issues are the same after each command", async () => {
      const rad = (...args: string[]) => project.rad.rad(work, "issue", ...args, "--no-announce");
      rad("open", "--title", "Broken loom", "--description", "It *squeaks*.");
      const id = await only("/issues");
      const comments = async () => (await look("xyz.radicle.issue", id)).discussion;
      assert.equal((await comments())[0].body, "It *squeaks*.");
      rad("comment", id, "--message", "Since when?");
      const [, comment] = await comments();
      rad("comment", id, "--message", "Since Monday.", "--reply-to", comment.id);
      assert.equal((await comments())[2].replyTo, comment.id);
      rad("react", id, "--emoji", "✨", "--to", comment.id);
      assert.equal((await comments())[1].reactions.length, 1);
      if (generation === "newest") {
        rad("edit", id, "--title", "Broken loom, again", "--description", "It squeaks.");
        assert.equal((await comments())[0].edits.length, 2);
      }
      rad("label", id, "--add", "wood");
      rad("label", id, "--add", "metal");
      rad("label", id, "--delete", "wood");
      rad("assign", id, "--add", did);
      rad("state", id, "--solved");
      const issue = await look("xyz.radicle.issue", id);
      const { labels, assignees, state } = issue;
      assert.deepEqual({ labels, assignees, state }, {
        labels: ["metal"],
        assignees: [did],
        state: { status: "closed", reason: "solved" },
      });
      rad("state", id, "--open");
      assert.equal((await look("xyz.radicle.issue", id)).state.status, "open");
    });

    it("patches are the same after each command", async () => {
      const { rad: home } = project;
      const rad = (...args: string[]) => home.rad(work, "patch", ...args, "--no-announce");
      const commit = (message: string) => {
        home.git(work, "commit", "--quiet", "--allow-empty", "--message", message);
        home.git(work, "push", "--quiet", "--force", "rad", "HEAD:refs/heads/side");
      };
      home.git(work, "checkout", "--quiet", "-b", "feature");
      commit("Oil the loom");
      home.git(work, "push", "--quiet", "rad", "HEAD:refs/patches");
      const id = await only("/patches");
      const show = () => look("xyz.radicle.patch", id);
      assert.equal((await show()).state.status, "open");
      rad("comment", id, "--message", "Which oil?");
      const [{ discussions: [comment] }] = (await show()).revisions;
      rad("comment", id, "--message", "Linseed.", "--reply-to", comment.id);
      assert.equal((await show()).revisions[0].discussions[1].replyTo, comment.id);
      rad("edit", id, "--message", "Oil all looms", "--message", "Gently.");
      rad("label", id, "--add", "oil");
      rad("assign", id, "--add", did);
      rad("ready", id, "--undo");
      assert.equal((await show()).state.status, "draft");
      rad("ready", id);
      rad("archive", id);
      assert.equal((await show()).state.status, "archived");
      rad("archive", id, "--undo");
      commit("Wipe it");
      rad("update", id, "--message", "Wiped");
      const [, second] = (await show()).revisions;
      rad("review", id, "--revision", second.id, "--accept", "--message", "Shines");
      assert.equal((await show()).revisions[1].reviews[0].verdict, "accept");
      commit("Wipe it twice");
      rad("update", id, "--message", "Too much");
      const { revisions: [, , third] } = await show();
      rad("redact", third.id);
      const { title, labels, revisions } = await show();
      assert.deepEqual([title, labels, revisions.length], ["Oil all looms", ["oil"], 2]);
      // The remote helper of 0.10 does not read the rows that its rad writes.
      if (generation === "0.10") return;
      home.git(work, "checkout", "--quiet", "main");
      home.git(work, "merge", "--quiet", "--ff-only", second.oid);
      home.git(work, "push", "--quiet", "rad", "main");
      assert.equal((await show()).state.status, "merged");
    });
  });
}
