// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * A publisher under load, as `publisher_load.test.ts` runs it: `node publisher_load.ts told|found` prints JSON. It is a
 * process of its own, since a runner of tests follows each promise, which takes a fifth of the time.
 */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryBucket } from "../../../extensions/replicas/bucket/memory.ts";
import { parseKey } from "../../../extensions/replicas/format/keys.ts";
import { readManifest } from "../../../extensions/replicas/publisher/changing_object.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { RadicleNode } from "../../../src/ports/radicle_node.ts";
import { createAbsentNode } from "../../../src/seeding/absent_node.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../src/storage/memory.ts";
import { randomNumbers } from "../../extensions/replicas/format/fuzz.ts";
import { wrapBucket } from "../../extensions/replicas/publisher/scripted_bucket.ts";
import {
  createDerive,
  createTestPublisher,
  untilAborted,
} from "../../extensions/replicas/publisher/test_publisher.ts";
import { ALICE, ALICE_SEED, createRepository, publish, putCommit, setHead } from "../../support/world.ts";

const REPOSITORIES = Number(process.env["LOAD_REPOSITORIES"] ?? 1000);
const UPDATES_PER_MINUTE = Number(process.env["LOAD_UPDATES"] ?? 1000);
const SECONDS = Number(process.env["LOAD_SECONDS"] ?? 600);
const CALL_MS = 20;
/** Time for the last updates to be published. */
const REST_MS = 10_000;

/** Figures of a load. Lags are in milliseconds. */
export interface LoadReport {
  readonly updates: number;
  /** Updates that should have been made. */
  readonly wantedUpdates: number;
  /** Updates that are not in the bucket. */
  readonly missing: number;
  /** Calls of the bucket, and milliseconds of processor time, of an update, with those that make it. */
  readonly calls: number;
  readonly cpuMs: number;
  readonly lag: { readonly median: number; readonly most99: number; readonly most: number };
}

if (import.meta.main) console.log(JSON.stringify(await load(process.argv[2] === "told")));

async function load(isTold: boolean): Promise<LoadReport> {
  const random = randomNumbers(1);
  const storage = createMemoryStorage();
  const repositories = Array.from({ length: REPOSITORIES }, (_, i) => {
    const repository = createRepository(storage, { name: `load-${i}` });
    commit(repository, "first");
    return repository;
  });
  const inner = createMemoryBucket();
  let calls = 0;
  /** Updates that are not in the bucket yet, by repository. */
  const waiting = new Map<RepoId, number[]>();
  const lags: number[] = [];
  const delayed = wrapBucket(inner, async () => {
    calls++;
    await sleep(CALL_MS);
  });
  const bucket: typeof delayed = {
    ...delayed,
    async put(key, bytes, options) {
      const put = await delayed.put(key, bytes, options);
      const parsed = parseKey(key);
      if (parsed?.of === "manifest" && put !== "conflict") await note(parsed.rid);
      return put;
    },
  };
  const note = async (rid: RepoId) => {
    const { value } = await readManifest(inner, rid);
    const updates = waiting.get(rid) ?? [];
    waiting.set(rid, updates.filter((atMs) => atMs > value!.publishedAtMs));
    for (const atMs of updates) if (atMs <= value!.publishedAtMs) lags.push(Date.now() - atMs);
  };
  const ending = new AbortController();
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  let tell = (_rid: RepoId) => {};
  const watchChanges: RadicleNode["watchChanges"] = async ({ onOpen, onChange }, signal) => {
    onOpen();
    tell = onChange;
    await untilAborted(0, signal);
  };
  const publisher = createTestPublisher(storage, bucket, {
    derive: createDerive(),
    node: {
      profile: { nodeId: ALICE, pinned: () => [] },
      node: { ...createAbsentNode(), ...isTold && { watchChanges } },
    },
    clock: undefined,
  });
  const watching = publisher.watch(ending.signal, () => resolve());
  await ready;
  const [callsBefore, cpuBefore] = [calls, process.cpuUsage()];
  const startMs = Date.now();
  let updates = 0;
  for (; Date.now() - startMs < 1000 * SECONDS; updates++) {
    const dueMs = startMs + updates * 60_000 / UPDATES_PER_MINUTE;
    if (dueMs > Date.now()) await sleep(dueMs - Date.now());
    const repository = repositories[Math.floor(random() * REPOSITORIES)]!;
    commit(repository, `${updates}`);
    waiting.set(repository.rid, [...waiting.get(repository.rid) ?? [], Date.now()]);
    tell(repository.rid);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  await sleep(REST_MS);
  ending.abort();
  await watching;
  lags.sort((a, b) => a - b);
  const at = (share: number) => lags[Math.min(lags.length - 1, Math.floor(share * lags.length))]!;
  return {
    updates,
    wantedUpdates: Math.floor(SECONDS * UPDATES_PER_MINUTE / 60),
    missing: [...waiting.values()].flat().length,
    calls: (calls - callsBefore) / updates,
    cpuMs: (user + system) / 1000 / updates,
    lag: { median: at(0.5), most99: at(0.99), most: at(1) },
  };
}

function commit(repository: MemoryRepository, text: string): void {
  const head = repository.ref("refs/heads/master")?.oid;
  const oid = putCommit(repository, {
    folder: { README: text },
    ...(head !== undefined && { parents: [head] }),
    message: `Say ${text}\n`,
  });
  setHead(repository, oid);
  publish(repository, ALICE_SEED, { master: oid });
}
