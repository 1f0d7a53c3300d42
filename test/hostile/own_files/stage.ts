/**
 * What the cases of damaged files start from: a home in two states, and files that a service, a publisher and
 * a replica have written for it.
 */
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makeDemoHome } from "../../../adapters/cli/demo/home.ts";
import { openHomePublisher } from "../../../adapters/home/publish_home.ts";
import { createHomeApi, homeParts } from "../../../adapters/node/mod.ts";
import { openSessions } from "../../../adapters/node/sessions.ts";
import { createFolderBucket } from "../../../extensions/replicas/bucket/folder.ts";
import type { Client } from "../../../src/ports/client.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { putEntry } from "../../cob/entries.ts";
import { putCommit } from "../../support/world.ts";
import { authorized, unauthorized } from "../../session/table_suite.ts";
import { DiskRepository } from "../disk.ts";
import { documentOf, found, setHead } from "../target.ts";

/** Repositories whose histories are long enough to be saved, and their commits in each state of the home. */
const LONG = ["long", "longer"] as const;
const COMMITS = { older: [280, 330], newer: [560, 640] } as const;
const ISSUES = 12;
const SECONDS = 1_780_000_000;
const ISSUE = "xyz.radicle.issue";
/** Wait for work in the background, in milliseconds. */
const LIMIT_MS = 60_000;

/** Somebody on this machine, and a stranger. */
export const OWNER: Client = { transport: "unix" };
export const STRANGER: Client = { transport: "tcp", address: "203.0.113.7" };

/** Paths and what is asked. */
export interface Stage {
  readonly home: string;
  /** Cache folders that a service has filled: for the home, and for its older state. */
  readonly cache: string;
  readonly olderCache: string;
  /** Files of sessions: of the home's node, and of another node. */
  readonly sessions: string;
  readonly otherSessions: string;
  /** Tokens in the file of sessions. */
  readonly tokens: readonly string[];
  /** Folder buckets: of the home, and of its older state. */
  readonly bucket: string;
  readonly olderBucket: string;
  /** Paths that are asked of the home, and of a replica. */
  readonly homePaths: readonly string[];
  readonly replicaPaths: readonly string[];
}

/** Makes all of it in an empty folder. */
export async function makeStage(folder: string): Promise<Stage> {
  const demo = join(folder, "demo");
  mkdirSync(demo);
  await makeDemoHome(demo);
  const [home, older] = [join(folder, "home"), join(folder, "older")];
  for (const [path, commits] of [[home, COMMITS.newer], [older, COMMITS.older]] as const) {
    cpSync(demo, path, { recursive: true });
    LONG.forEach((name, i) => makeLongRepository(join(path, "storage"), name, commits[i]!));
  }
  const nodeId = (await createHomeApi({ home })).profile.nodeId;
  const replicaPaths = await pathsOf(home, STRANGER);
  const stage = {
    home,
    cache: join(folder, "cache"),
    olderCache: join(folder, "older-cache"),
    sessions: join(folder, "sessions"),
    otherSessions: join(folder, "other-sessions"),
    tokens: ["token-of-one", "token-of-two", "token-of-three"],
    bucket: join(folder, "bucket"),
    olderBucket: join(folder, "older-bucket"),
    homePaths: [
      ...await pathsOf(home, OWNER),
      ...["winter", "marmalade", "history", "seed"].map((word) => `/search?q=${word}`),
    ],
    replicaPaths,
  };
  await fillCache(home, stage.cache, stage.homePaths);
  await fillCache(older, stage.olderCache, stage.homePaths);
  await fillSessions(stage.sessions, nodeId, stage.tokens);
  await fillSessions(stage.otherSessions, "another node", stage.tokens);
  await publish(home, stage.bucket);
  await publish(older, stage.olderBucket);
  return stage;
}

function makeLongRepository(root: string, name: string, commits: number): void {
  const { rid } = documentOf(name);
  const repository = new DiskRepository(root, rid);
  const { alice, head, identity: resource } = found(repository, name);
  let tip = head;
  for (let i = 0; i < commits; i++) {
    const folder = { README: `${name}\n`, [`file${i % 9}.txt`]: `${i}\n` };
    tip = putCommit(repository, { folder, message: `${i}\n`, parents: [tip], timeSeconds: SECONDS + i });
  }
  setHead(repository, alice, tip);
  for (let i = 0; i < ISSUES + commits / 100; i++) {
    const actions = [
      { type: "comment", body: `Marmalade of ${name}, glass ${i}` },
      { type: "edit", title: `Issue ${i} of the history` },
    ];
    const id = putEntry(repository, { writer: alice, actions, resource, timeSeconds: SECONDS + i });
    repository.setRef(`refs/namespaces/${alice.nid}/refs/cobs/${ISSUE}/${id}`, id);
  }
  repository.finish();
}

/** What is asked of each repository that a client sees. */
async function pathsOf(home: string, client: Client): Promise<string[]> {
  const { api, close } = await createHomeApi({ home });
  const read = async (path: string) =>
    await (await api.fetch(new Request(`http://localhost/api/v1${path}`), client)).json();
  const projects: { id: RepoId; head: Oid }[] = await read("/projects?show=all&perPage=50");
  const paths = ["/projects?show=all", "/node", "/stats"];
  for (const { id, head } of projects) {
    const of = `/projects/${id}`;
    paths.push(of, `${of}/commits?perPage=5&diff=none`, `${of}/activity`, `${of}/tree/${head}/`);
    paths.push(`${of}/issues?perPage=5`, `${of}/patches`, `${of}/remotes`, `${of}/commits/${head}`);
  }
  await close();
  return paths;
}

/** Has a service fill a cache folder. */
async function fillCache(home: string, cachePath: string, paths: readonly string[]): Promise<void> {
  const { api, close } = await createHomeApi({ home, cachePath });
  for (const path of paths) {
    await (await api.fetch(new Request(`http://localhost/api/v1${path}`), OWNER)).text();
  }
  const indexes = () =>
    existsSync(cachePath) ? readdirSync(cachePath).filter((name) => name.endsWith(".xylem")).length : 0;
  for (const deadline = Date.now() + LIMIT_MS; indexes() < LONG.length;) {
    if (Date.now() > deadline) throw new Error("The indexes of history were not saved");
    await new Promise((resume) => setTimeout(resume, 20));
  }
  await close();
}

async function fillSessions(path: string, scope: string, tokens: readonly string[]): Promise<void> {
  const table = await openSessions(path, { scope, now: Date.now, log: () => {} });
  for (const token of tokens) {
    const session = unauthorized(token, Date.now());
    await table.add(session);
    await table.authorize({ ...authorized(session), expiresAtMs: Date.now() + 86_400_000 });
  }
  table.close();
}

async function publish(home: string, folder: string): Promise<void> {
  const bucket = createFolderBucket(folder, { fileSystem: homeParts.fileSystem as never });
  const opened = await openHomePublisher({ home, bucket }, homeParts);
  await opened.publisher.publishAll();
  await opened.close();
}
