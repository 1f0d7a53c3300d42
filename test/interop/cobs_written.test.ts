/** Issues and patches that we wrote over HTTP, read and continued by the real programs of both generations, and the other way round. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/session.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { toIssueRow, toPatchRow } from "../../src/cob/cache_row.ts";
import { createCobs } from "../../src/cob/store.ts";
import { CommitIndex } from "../../src/git/commit_index.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { signerOf } from "../support/keys.ts";
import {
  createRadHome,
  type Generation,
  GENERATIONS,
  type RadHome,
  removeFolder,
  RUNTIMES,
  type Service,
  startService,
  temporaryFolder,
} from "../support/programs.ts";

const SEED = "b7".repeat(32);
const CONTRIBUTOR_SEED = "c7".repeat(32);

const folder = temporaryFolder("cobs-written");
const running: Service[] = [];
after(async () => {
  await Promise.all(running.map((service) => service.stop()));
  removeFolder(folder);
});

/** A project of `rad`'s own making, with our service beside it and somebody signed in. */
interface Desk {
  readonly rad: (...args: string[]) => string;
  readonly storage: string;
  readonly rid: string;
  /** Commits: the first, and one on top of it. */
  readonly commits: readonly [string, string];
  /** Sends a change and returns the id in the answer. */
  send(method: "POST" | "PATCH", path: string, body: unknown): Promise<string>;
  // deno-lint-ignore no-explicit-any -- answers are looked into
  read(path: string): Promise<any>;
}

async function openDesk(
  generation: Generation,
  runtime: typeof RUNTIMES[number],
  name: string = runtime,
): Promise<Desk> {
  const place = join(folder, `${generation}-${name}`);
  const work = join(place, "work");
  mkdirSync(place);
  const alice: RadHome = createRadHome(generation, place, { alias: "alice", seed: SEED });
  alice.git(place, "init", "--quiet", work);
  alice.git(work, "commit", "--quiet", "--allow-empty", "--message", "First");
  const init = ["--name", "x", "--description", "", "--default-branch", "main", "--public", "--no-confirm"];
  alice.rad(work, "init", ...init);
  alice.git(work, "commit", "--quiet", "--allow-empty", "--message", "Second");
  alice.git(work, "push", "--quiet", "rad", "HEAD:refs/heads/side");
  const commits = alice.git(work, "log", "--reverse", "--format=%H").trim().split("\n") as [string, string];
  const rid = alice.rad(work, "inspect", "--rid").trim();
  return {
    ...await serve(alice, runtime, rid, SEED),
    rad: (...args) => alice.rad(work, ...args),
    commits,
  };
}

/** The desk of somebody who is no delegate, with a copy of another's repository. */
async function openContributorsDesk(desk: Desk, generation: Generation): Promise<Desk> {
  const place = join(folder, `${generation}-contributor`);
  mkdirSync(place);
  const bob: RadHome = createRadHome(generation, place, { alias: "bob", seed: CONTRIBUTOR_SEED });
  cpSync(desk.storage, join(bob.home, "storage", basename(desk.storage)), { recursive: true });
  // The first command that needs the objects database makes it.
  bob.rad(place, "issue", "list", "--repo", desk.rid);
  return {
    ...await serve(bob, "node", desk.rid, CONTRIBUTOR_SEED),
    rad: (...args) => bob.rad(place, ...args, "--repo", desk.rid),
    commits: desk.commits,
  };
}

/** Starts a service on a home and signs in. */
async function serve(
  { home }: RadHome,
  runtime: typeof RUNTIMES[number],
  rid: string,
  seed: string,
): Promise<Omit<Desk, "rad" | "commits">> {
  const service = await startService(runtime, home);
  running.push(service);
  const token = await openAuthorized(service.url, await signerOf(seed));
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.url}/api/v1/projects/${rid}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${answer.error}`);
    return answer;
  };
  return {
    storage: join(home, "storage", rid.replace("rad:", "")),
    rid,
    send: async (method, path, body) => (await ask(method, path, body)).id,
    read: (path) => ask("GET", path),
  };
}

/** The entries of an object as `rad cob log` lists them, the newest first. */
function logOf({ rad, rid }: Desk, type: string, id: string): string[] {
  const log = rad("cob", "log", "--repo", rid, "--type", type, "--object", id);
  return [...log.matchAll(/^commit\s+([0-9a-f]{40})$/gm)].map(([, entry]) => entry!);
}

/** Whether `rad` makes of an object what we do; only the newest tells all. */
async function assertSameState({ rad, rid, storage }: Desk, type: CachedType, id: string): Promise<void> {
  const shown = JSON.parse(rad("cob", "show", "--repo", rid, "--type", type, "--object", id));
  const files = createHomeStorage({ root: dirname(storage), fileSystem });
  const repository = files.repository(rid as RepoId)!;
  const { issues, patches } = createCobs("newest", (_level, message) => assert.fail(message));
  const row = type === "xyz.radicle.issue"
    ? toIssueRow((await issues.get(repository, new CommitIndex(), id as Oid))!.state)
    : toPatchRow((await patches.get(repository, new CommitIndex(), id as Oid))!.state, "newest");
  files.close();
  assert.deepEqual(JSON.parse(JSON.stringify(row)), shown);
}

for (const generation of GENERATIONS) {
  for (const runtime of RUNTIMES) {
    describe(`objects that xylem on ${runtime} wrote beside rad ${generation}`, () => {
      let desk: Desk;
      before(async () => {
        desk = await openDesk(generation, runtime);
      });

      it("issues are listed and shown, and rad goes on with them", async () => {
        const { send, read, rad } = desk;
        const embeds = [{ name: "a.txt", content: "data:text/plain;base64,aGVsbG8=" }];
        const id = await send("POST", "/issues", {
          title: "Broken lamp",
          description: "It does not *shine*.",
          labels: ["light"],
          assignees: [],
          embeds,
        });
        const path = `/issues/${id}`;
        const entries = [id];
        const change = async (body: object) => {
          const entry = await send("PATCH", path, body);
          entries.unshift(entry);
          return entry;
        };
        const comment = await change({
          type: "comment",
          body: "Have you tried the switch?",
          replyTo: id,
          embeds,
        });
        await change({ type: "comment.react", id: comment, reaction: "✨", active: true });
        await change({ type: "comment.edit", id: comment, body: "Have you tried *the* switch?", embeds });
        await change({ type: "label", labels: ["light", "power"] });
        await change({ type: "assign", assignees: [(await read(path)).author.id] });
        await change({ type: "edit", title: "Broken lamp, repaired" });
        await change({
          type: "comment.redact",
          id: await change({ type: "comment", body: "x", replyTo: id }),
        });
        await change({ type: "lifecycle", state: { status: "closed", reason: "solved" } });

        assert.deepEqual(logOf(desk, "xyz.radicle.issue", id), entries);
        if (generation === "newest") await assertSameState(desk, "xyz.radicle.issue", id);
        assert.match(rad("issue", "list", "--all"), /Broken lamp, repaired/);
        const shown = rad("issue", "show", id);
        for (const text of ["Broken lamp, repaired", "light", "power", "closed", "It does not *shine*."]) {
          assert.ok(shown.includes(text), `${text} is not in\n${shown}`);
        }
        assert.ok(shown.includes("Have you tried *the* switch?"), shown);

        rad("issue", "state", id, "--open", "--no-announce");
        const issue = await read(path);
        assert.equal(issue.state.status, "open");
        const last = await change({ type: "edit", title: "And again" });
        assert.match(rad("issue", "show", id), /And again/);
        assert.equal(logOf(desk, "xyz.radicle.issue", id)[0], last);
      });

      it("patches are listed and shown, and rad goes on with them", async () => {
        const { send, read, rad, commits: [first, second] } = desk;
        const id = await send("POST", "/patches", {
          title: "A new lamp",
          description: "It is bright.",
          target: first,
          oid: second,
          labels: ["light"],
        });
        const path = `/patches/${id}`;
        const entries = [id];
        const change = async (body: object) => {
          const entry = await send("PATCH", path, body);
          entries.unshift(entry);
          return entry;
        };
        const location = {
          commit: second,
          path: "lamp",
          old: null,
          new: { type: "lines", range: { start: 0, end: 1 } },
        };
        await change({ type: "edit", title: "A brighter lamp", target: "delegates" });
        await change({ type: "label", labels: ["bright"] });
        await change({ type: "assign", assignees: [(await read(path)).author.id] });
        const revision = await change({
          type: "revision",
          description: "Brighter",
          base: first,
          oid: second,
        });
        await change({ type: "revision.edit", revision, description: "Brighter still" });
        await change({ type: "revision.react", revision, reaction: "✨", active: true, location });
        const comment = await change({ type: "revision.comment", revision, body: "How bright?", location });
        await change({
          type: "revision.comment.edit",
          revision,
          comment,
          body: "How bright is it?",
          embeds: [],
        });
        await change({ type: "revision.comment.react", revision, comment, reaction: "✨", active: true });
        const oops = await change({ type: "revision.comment", revision, body: "Oops", replyTo: comment });
        await change({ type: "revision.comment.redact", revision, comment: oops });
        const review = await change({
          type: "review",
          revision,
          summary: "Bright enough",
          verdict: "reject",
        });
        const note = await change({ type: "review.comment", review, body: "A note", location });
        await change({ type: "review.comment", review, body: "A reply", replyTo: note });
        await change({
          type: "review.comment.edit",
          review,
          comment: note,
          body: "A better note",
          embeds: [],
        });
        await change({ type: "review.comment.react", review, comment: note, reaction: "✨", active: true });
        await change({ type: "review.comment.resolve", review, comment: note });
        await change({ type: "review.comment.unresolve", review, comment: note });
        const slip = await change({ type: "review.comment", review, body: "A slip" });
        await change({ type: "review.comment.redact", review, comment: slip });
        await change({ type: "review.edit", review, summary: "Bright indeed", verdict: "accept" });
        await change({
          type: "review.redact",
          review: await change({ type: "review", revision: id, verdict: "reject" }),
        });
        const third = await change({ type: "revision", description: "Too bright", base: first, oid: second });
        await change({ type: "revision.redact", revision: third });
        await change({ type: "lifecycle", state: { status: "draft" } });

        assert.deepEqual(logOf(desk, "xyz.radicle.patch", id), entries);
        if (generation === "newest") await assertSameState(desk, "xyz.radicle.patch", id);
        assert.match(rad("patch", "list", "--all"), /A brighter lamp/);
        const shown = rad("patch", "show", id);
        for (const text of ["A brighter lamp", "bright", "draft", "It is bright."]) {
          assert.ok(shown.includes(text), `${text} is not in\n${shown}`);
        }
        const { revisions } = await read(path);
        assert.equal(revisions.length, 2);
        assert.equal(revisions[1].reviews[0].verdict, "accept");

        rad("patch", "ready", id, "--no-announce");
        assert.equal((await read(path)).state.status, "open");
        await change({ type: "merge", revision, commit: first });
        assert.match(rad("patch", "show", id), /merged/);
      });

      it("leave a repository that git finds no fault with, and signed references that rad believes", () => {
        const { storage, rad } = desk;
        const git = spawnSync("git", [
          "-c",
          "safe.directory=*",
          "--git-dir",
          storage,
          "fsck",
          "--full",
          "--strict",
        ]);
        assert.equal(git.status, 0, String(git.stderr));
        assert.match(rad("inspect", "--sigrefs"), /[0-9a-f]{40}/);
      });
    });
  }

  describe(`objects of a contributor beside rad ${generation}`, () => {
    it("are shown by rad, which goes on with them", async () => {
      const desk = await openContributorsDesk(await openDesk(generation, "node", "founder"), generation);
      const { send, read, rad, commits: [first, second] } = desk;
      const draft = {
        title: "A small lamp",
        description: "It is dim.",
        labels: [],
        assignees: [],
        embeds: [],
      };
      const issue = await send("POST", "/issues", draft);
      await send("PATCH", `/issues/${issue}`, { type: "edit", title: "A dim lamp" });
      assert.match(rad("issue", "show", issue), /A dim lamp/);
      rad("issue", "comment", issue, "--message", "Indeed", "--no-announce");
      assert.equal((await read(`/issues/${issue}`)).discussion[1].body, "Indeed");
      const { title, description } = draft;
      const patch = await send("POST", "/patches", {
        title,
        description,
        target: first,
        oid: second,
        labels: [],
      });
      await send("PATCH", `/patches/${patch}`, { type: "review", revision: patch, verdict: "accept" });
      assert.match(rad("patch", "show", patch), /A small lamp/);
      await assert.rejects(() => send("POST", "/issues", { ...draft, labels: ["dim"] }), /403/);
    });
  });
}
