/** A project of `rad`'s own making, clients that write to it over HTTP, and what must hold after any writing. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { toIssueRow, toPatchRow } from "../../src/cob/rad_cache/cache_rows.ts";
import { RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { createSigrefsCache, SigrefsReader } from "../../src/identity/sigrefs.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { GitRepository } from "../support/git.ts";
import { signerOf } from "../support/keys.ts";
import { createRadHome, type Generation, openRadHome, type RadHome } from "../support/programs.ts";
import { Task } from "../../src/scheduling/task.ts";

const SEED = "d7".repeat(32);
const CONTRIBUTOR_SEED = "e7".repeat(32);

/** A repository in a home of its own. */
export interface WrittenProject {
  /** Of the home's key. */
  readonly seed: string;
  readonly rad: RadHome;
  readonly rid: RepoId;
  readonly git: GitRepository;
  /** Commits that patches can be made of: the first, and one on top of it. */
  readonly commits: readonly [string, string];
}

/** Makes a home below the new folder `place`, and a project in it. */
export function createWrittenProject(generation: Generation, place: string): WrittenProject {
  mkdirSync(place, { recursive: true });
  const rad = createRadHome(generation, place, { alias: "alice", seed: SEED });
  const work = join(place, "work");
  rad.git(place, "init", "--quiet", work);
  rad.git(work, "commit", "--quiet", "--allow-empty", "--message", "First");
  const rid = rad.init(work, "x", { description: "" });
  rad.git(work, "commit", "--quiet", "--allow-empty", "--message", "Second");
  rad.git(work, "push", "--quiet", "rad", "HEAD:refs/heads/side");
  const [first = "", second = ""] = rad.git(work, "log", "--reverse", "--format=%H").trim().split("\n");
  const git = new GitRepository(join(rad.home, "storage", rid.slice("rad:".length)));
  return { seed: SEED, rad, rid, git, commits: [first, second] };
}

/** A home below the new folder `place` of somebody who is no delegate, with a copy of the project; Bob's, if not told otherwise. */
export function createContributorsProject(
  generation: Generation,
  place: string,
  project: WrittenProject,
  { alias, seed } = { alias: "bob", seed: CONTRIBUTOR_SEED },
): WrittenProject {
  mkdirSync(place, { recursive: true });
  const rad = createRadHome(generation, place, { alias, seed });
  const path = join(rad.home, "storage", basename(project.git.path));
  cpSync(project.git.path, path, { recursive: true });
  // The first command that needs the objects database makes it.
  rad.rad(place, "issue", "list", "--repo", project.rid);
  return { ...project, seed, rad, git: new GitRepository(path) };
}

/** An answer that is none of success. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`${status} ${message}`);
    this.status = status;
  }
}

/** Somebody who is signed in with the key of the home. */
export interface Client {
  /** Sends a change; the answer is the id that acknowledges it. Throws {@link RefusedError}, or what `fetch` does when the service dies. */
  send(method: "POST" | "PATCH", path: string, body: unknown): Promise<string>;
  // deno-lint-ignore no-explicit-any -- answers are looked into
  read(path: string): Promise<any>;
}

/** Folder of repositories in paths of version 1, or of today's dialect. */
export type Below = "projects" | "repos";

/**
 * Signs in at a service that serves the home of the project.
 *
 * @param writes Where changes are sent; objects are read as in version 1.
 */
export async function signIn(
  base: string,
  { rid, seed }: Pick<WrittenProject, "rid" | "seed">,
  writes: Below = "projects",
): Promise<Client> {
  const token = await openAuthorized(base, await signerOf(seed));
  const ask = async (method: string, path: string, body?: unknown, below: Below = "projects") => {
    const response = await fetch(`${base}/api/v1/${below}/${rid}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new RefusedError(response.status, answer.error);
    return answer;
  };
  return {
    send: async (method, path, body) => (await ask(method, path, body, writes)).id,
    read: (path) => ask("GET", path),
  };
}

/** Body of a request that opens an issue. */
export function newIssue(title: string): object {
  return { title, description: `What ${title} is about`, labels: [], assignees: [], embeds: [] };
}

/** Body of a request that comments on an issue. */
export function newComment(issue: string, body: string): object {
  return { type: "comment", body, replyTo: issue };
}

/** The entries of an object as `rad cob log` lists them. */
export function entriesInRad(
  { rad, rid }: WrittenProject,
  id: string,
  type: CachedType = "xyz.radicle.issue",
): Set<string> {
  const object = ["--repo", rid, "--type", type, "--object", id];
  const log = rad.rad(dirname(rad.home), "cob", "log", ...object);
  return new Set([...log.matchAll(/^commit\s+([0-9a-f]{40})$/gm)].map(([, entry]) => entry!));
}

/** Checks that git can read every object, and that every reference leads to one. */
export function assertIntact({ git }: WrittenProject): void {
  git.run(["fsck", "--full", "--strict", "--no-dangling"]);
}

/** Checks that the newest `rad` and we believe the node's signed references, and that they are what the namespace holds. */
export async function assertSigned({ rad, rid, git, seed }: WrittenProject): Promise<void> {
  const { nodeId } = await signerOf(seed);
  const namespace = `refs/namespaces/${nodeId}/`;
  const tip = git.text(["rev-parse", `${namespace}refs/rad/sigrefs`]);
  const newest = openRadHome("newest", rad.home, "alice");
  assert.ok(newest.rad(dirname(rad.home), "inspect", "--sigrefs", rid).includes(`${nodeId} ${tip}`));

  const storage = createHomeStorage({ root: join(rad.home, "storage"), fileSystem });
  try {
    const signed = await new SigrefsReader(storage.repository(rid)!, createSigrefsCache(), new Task()).read(
      nodeId,
    );
    const held = git.refs().filter(({ name }) =>
      name.startsWith(`${namespace}refs/cobs/`) || name.startsWith(`${namespace}refs/heads/`)
    );
    assert.ok(held.length > 0);
    for (const { name, oid } of held) {
      assert.equal(signed?.get(name.slice(namespace.length)), oid, `${name} is not signed as it is`);
    }
  } finally {
    storage.close();
  }
}

/** Checks that the newest `rad` makes of an object what we do. */
export async function assertSameState(
  { rad, rid }: WrittenProject,
  type: CachedType,
  id: string,
): Promise<void> {
  const object = ["--repo", rid, "--type", type, "--object", id];
  const shown = JSON.parse(rad.rad(dirname(rad.home), "cob", "show", ...object));
  const storage = createHomeStorage({ root: join(rad.home, "storage"), fileSystem });
  try {
    const repository = storage.repository(rid)!;
    const { issues, patches } = createCobs(RULES.newest, (_level, message) => assert.fail(message));
    const row = type === "xyz.radicle.issue"
      ? toIssueRow(
        (await issues.get({ objects: repository, graph: new CommitGraph(), task: new Task() }, id as Oid))!
          .state,
      )
      : toPatchRow(
        (await patches.get({ objects: repository, graph: new CommitGraph(), task: new Task() }, id as Oid))!
          .state,
        "newest",
      );
    assert.deepEqual(JSON.parse(JSON.stringify(row)), shown);
  } finally {
    storage.close();
  }
}
