/** What `rad` of each generation and `radicle-httpd` 0.10.0 do to issues and patches: after each step, we read what the newest `rad` and they do. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { signerOf } from "../support/keys.ts";
import { type Generation, GENERATIONS, type Runtime, type Service, startHttpd } from "../support/programs.ts";
import { HISTORIES } from "./action_steps.ts";
import { nodeIdOf, withoutOwnAlias } from "../support/own_alias.ts";
import { comparableCob } from "./httpd_cobs.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertSameState,
  type Client,
  createWrittenProject,
  signIn,
  type WrittenProject,
} from "./written_project.ts";

/** Which of our runtimes reads. */
const READERS: Readonly<Record<Generation, Runtime>> = { "0.10": "deno", "newest": "bun" };

const { folder, serve, stopAfter } = createServedHomes("cobs-read");

for (const generation of GENERATIONS) {
  const runtime = READERS[generation];
  describe(`objects that rad ${generation} wrote, read by xylem on ${runtime}`, () => {
    let project: WrittenProject;
    let client: Client;
    let httpd: Service | undefined;
    let work: string;
    let nodeId: string;
    before(async () => {
      const place = join(folder, generation);
      project = createWrittenProject(generation, place);
      work = join(place, "work");
      ({ nodeId } = await signerOf(project.seed));
      ({ client } = await serve(project, { runtime, args: ["--answers", "objects"] }));
      if (generation !== "0.10") return;
      httpd = await startHttpd(project.rad.home);
      stopAfter(httpd);
    });

    /** Compares what everybody makes of an object; answers what we do. */
    const look = async (type: CachedType, id: string) => {
      const path = `/${type === "xyz.radicle.issue" ? "issues" : "patches"}/${id}`;
      const ours = await client.read(path);
      if (httpd === undefined) await assertSameState(project, type, id);
      else {
        const theirs = await fetch(`${httpd.url}/api/v1/projects/${project.rid}${path}`);
        const wanted = comparableCob(await theirs.json());
        const nodeId = await nodeIdOf(httpd.url);
        assert.deepEqual(withoutOwnAlias(comparableCob(ours), wanted, nodeId), wanted);
      }
      return ours;
    };
    /** The object of a kind that was not there before a step. */
    const opened = async (path: string, step: () => void): Promise<string> => {
      const idsOf = async () => (await client.read(`${path}?state=all`)).map(({ id }: { id: string }) => id);
      const before = new Set(await idsOf());
      step();
      const [id, ...others] = (await idsOf()).filter((id: string) => !before.has(id));
      assert.ok(id !== undefined && others.length === 0);
      return id;
    };

    for (const { type, kind, opening, steps } of generation === "0.10" ? HISTORIES : []) {
      it(`${kind}: what radicle-httpd does is the same after each action`, async () => {
        const writer = await signIn(httpd!.url, project);
        const path = kind === "issue" ? "/issues" : "/patches";
        const [first, second] = project.commits;
        const object = await writer.send("POST", path, opening({ first, second }));
        const ids: Record<string, string> = { object, node: nodeId, first, second };
        for (const { type: action, as, body } of steps) {
          const entry = await writer.send("PATCH", `${path}/${object}`, { type: action, ...body(ids) });
          if (as !== undefined) ids[as] = entry;
          await look(type, object);
        }
      });
    }

    it("issues are the same after each command", async () => {
      const rad = (...args: string[]) => project.rad.rad(work, "issue", ...args, "--no-announce");
      const id = await opened(
        "/issues",
        () => rad("open", "--title", "Broken loom", "--description", "It *squeaks*."),
      );
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
      rad("assign", id, "--add", `did:key:${nodeId}`);
      rad("state", id, "--solved");
      const issue = await look("xyz.radicle.issue", id);
      const { labels, assignees, state } = issue;
      assert.deepEqual({ labels, assignees, state }, {
        labels: ["metal"],
        assignees: [`did:key:${nodeId}`],
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
      const push = () => home.git(work, "push", "--quiet", "rad", "HEAD:refs/patches");
      const id = await opened("/patches", push);
      const show = () => look("xyz.radicle.patch", id);
      assert.equal((await show()).state.status, "open");
      rad("comment", id, "--message", "Which oil?");
      const [{ discussions: [comment] }] = (await show()).revisions;
      rad("comment", id, "--message", "Linseed.", "--reply-to", comment.id);
      assert.equal((await show()).revisions[0].discussions[1].replyTo, comment.id);
      rad("edit", id, "--message", "Oil all looms", "--message", "Gently.");
      rad("label", id, "--add", "oil");
      rad("assign", id, "--add", `did:key:${nodeId}`);
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
