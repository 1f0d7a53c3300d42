/**
 * A publisher keeps up with 1,000 updates a minute over 1,000 repositories, on a bucket whose every call takes
 * 20 ms: an update is in the bucket within 5 seconds, of a hundred at least 99. The node tells of the updates,
 * or does not: then the publisher finds them by looks. `LOAD_SECONDS` replaces ten minutes for each.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryBucket } from "../../../src/replication/bucket/memory.ts";
import { parseKey } from "../../../src/replication/format/keys.ts";
import { readManifest } from "../../../src/replication/publisher/changing_object.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { RadicleNode } from "../../../src/ports/radicle_node.ts";
import { createAbsentNode } from "../../../src/seeding/absent_node.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../src/storage/memory.ts";
import { randomNumbers } from "../../replication/format/fuzz.ts";
import { wrapBucket } from "../../replication/publisher/scripted_bucket.ts";
import {
  createDerive,
  createTestPublisher,
  untilAborted,
} from "../../replication/publisher/test_publisher.ts";
import { ALICE, ALICE_SEED, createRepository, publish, putCommit, setHead } from "../../support/world.ts";

const REPOSITORIES = Number(process.env["LOAD_REPOSITORIES"] ?? 1000);
const UPDATES_PER_MINUTE = Number(process.env["LOAD_UPDATES"] ?? 1000);
const CALL_MS = 20;
const MOST_LAG_MS = 5000;
const SECONDS = Number(process.env["LOAD_SECONDS"] ?? 600);

describe("a publisher under load", () => {
  for (const isTold of [true, false]) {
    const how = isTold ? "of which the node tells" : "that it finds itself";
    it(`has 99 of 100 updates ${how} in the bucket within ${MOST_LAG_MS / 1000} seconds`, () => load(isTold));
  }
});

async function load(isTold: boolean): Promise<void> {
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
  const hearChanges: RadicleNode["hearChanges"] = async ({ onOpen, onChange }, signal) => {
    onOpen();
    tell = onChange;
    await untilAborted(0, signal);
  };
  const publisher = createTestPublisher(storage, bucket, {
    derive: createDerive(),
    node: {
      profile: { nodeId: ALICE, pinned: () => [] },
      node: { ...createAbsentNode(), ...isTold && { hearChanges } },
    },
    pauseBeside: undefined,
    clock: undefined,
  });
  const watching = publisher.watch(ending.signal, () => resolve());
  await ready;
  const callsBefore = calls;
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
  await sleep(2 * MOST_LAG_MS);
  ending.abort();
  await watching;
  lags.sort((a, b) => a - b);
  const at = (share: number) => lags[Math.min(lags.length - 1, Math.floor(share * lags.length))];
  process.stdout.write(
    `${updates} updates in ${SECONDS} s, ${((calls - callsBefore) / updates).toFixed(2)} calls each; ` +
      `lag ${at(0.5)} ms in the middle, ${at(0.99)} ms at 99 %, ${at(1)} ms at most\n`,
  );
  assert.ok(updates >= 0.98 * SECONDS * UPDATES_PER_MINUTE / 60, `only ${updates} updates were made`);
  assert.equal([...waiting.values()].flat().length, 0, "updates are missing");
  assert.ok(at(0.99)! <= MOST_LAG_MS, `${at(0.99)} ms at 99 %`);
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
