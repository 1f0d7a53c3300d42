/** The number of reads that cold answers take from a repository of a long history, in many packs. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { CommitGraphs } from "../../../../src/git/commit_graphs.ts";
import { UnavailableError } from "../../../../src/errors.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { type Manifest, manifestOf } from "../../../../extensions/replicas/format/manifest.ts";
import { manifestKey } from "../../../../extensions/replicas/format/keys.ts";
import { createReplica } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createBucketStorage } from "../../../../extensions/replicas/storage/storage.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { CountingBucket, randomFaults } from "../../../support/published.ts";
import {
  ALICE,
  ALICE_SEED,
  createRepository,
  publish,
  putCommit,
  setHead,
  START_SECONDS,
} from "../../../support/world.ts";
import { Task } from "../../../../src/scheduling/task.ts";

/** Most reads of the bucket for a cold answer. A small repository is read as a whole: up to ten packs at once. */
const MOST_READS = 12;
const COMMITS = 1500;
const [FOLDERS, FILES] = [8, 6];

describe("a cold answer of a replica from many packs", () => {
  const bucket = new CountingBucket(createMemoryBucket());
  const storage = createMemoryStorage();
  const repository = createRepository(storage, { name: "long-history" });
  const { rid } = repository;
  const commits: Oid[] = [];
  const random = randomNumbers(1);
  const folders = Array.from({ length: FOLDERS }, () => new Map<string, string>());
  const changed: string[] = [];
  const graphs = new CommitGraphs({ log: () => {} });

  function addCommit(): void {
    const i = commits.length;
    const folder = Math.floor(random() * FOLDERS);
    const file = `file${Math.floor(random() * FILES)}.txt`;
    folders[folder]!.set(file, Array.from({ length: 12 }, () => `${random()}\n`).join(""));
    changed.push(`folder${folder}/${file}`);
    commits.push(putCommit(repository, {
      folder: Object.fromEntries(folders.map((files, i) => [`folder${i}`, Object.fromEntries(files)])),
      parents: commits.slice(-1),
      message: `Commit ${i}\n`,
      timeSeconds: START_SECONDS + 60 * i,
    }));
  }

  const publisher = createTestPublisher(storage, bucket, {
    node: {
      node: createAbsentNode(),
      profile: { nodeId: ALICE, alias: "alice", pinned: () => [rid] },
    },
    async derive(repository, earlier, write) {
      const root = await graphs.save(
        repository,
        START_SECONDS + 60 * commits.length,
        earlier,
        write,
        new Task(),
      );
      return root === undefined ? [] : [root];
    },
  });

  async function publishAll(): Promise<Manifest> {
    const head = commits.at(-1)!;
    setHead(repository, head);
    publish(repository, ALICE_SEED, { master: head });
    await publisher.publishAll();
    const found = await bucket.get(manifestKey(rid));
    assert.ok(found !== undefined && found !== "unchanged");
    return manifestOf(rid).decode(found.bytes);
  }

  before(async () => {
    for (let i = 0; i < COMMITS; i++) addCommit();
    await publishAll();
  });

  /** The reads of a new replica for an answer. */
  async function readsOf(path: string): Promise<readonly string[]> {
    const replica = await createReplica(bucket, {
      loadLibgit2: () => Promise.reject(new Error("not needed")),
      environment: { now: () => 1000 * START_SECONDS },
    });
    bucket.reset();
    const response = await replica.fetch(new Request(`http://localhost/api/v1/projects/${rid}${path}`));
    assert.equal(response.status, 200, `${path}: ${await response.text()}`);
    await replica.close();
    return bucket.asked;
  }

  async function checkReads(perPage: number): Promise<void> {
    const head = commits.at(-1)!;
    const deep = Math.floor(COMMITS / 3);
    const CASES = {
      "a project": "",
      "a folder": `/tree/${head}/folder1`,
      "a file": `/blob/${head}/${changed[COMMITS - 100]}`,
      "an old commit": `/commits/${commits[deep]}`,
      "an old folder": `/tree/${commits[deep]}/folder2`,
      "an old file": `/blob/${commits[deep]}/${changed[deep]}`,
      "a page of the history": `/commits?parent=${head}&perPage=${perPage}`,
    };
    for (const [name, path] of Object.entries(CASES)) {
      const reads = await readsOf(path);
      assert.ok(reads.length <= MOST_READS, `${name}: ${reads.join("\n")}`);
    }
  }

  it(`takes ${MOST_READS} reads at the most, also of what is old`, async () => {
    await checkReads(30);
  });

  it(`takes ${MOST_READS} reads at the most after many small changes`, async () => {
    let most = 0;
    for (let i = 0; i < 16; i++) {
      addCommit();
      most = Math.max(most, (await publishAll()).packs.length);
    }
    assert.ok(most >= 8, `${most} packs`);
    await checkReads(10);
  });

  it("shows what is right or says that it is unavailable, whatever the bucket answers", async () => {
    let [right, unavailable] = [0, 0];
    for (let round = 0; round < 12; round++) {
      const read = createBucketStorage(bucket, { environment: { now: () => 0 } });
      bucket.fault = randomFaults(random);
      const wanted = Array.from({ length: 20 }, () => commits[Math.floor(random() * commits.length)]!);
      const check = async () => {
        const published = await read.repository(rid);
        assert.ok(published !== undefined);
        for (const oid of wanted) {
          assert.deepEqual(await published.object(oid), repository.object(oid));
          assert.equal((await published.header(oid))?.kind, "commit");
        }
        assert.deepEqual(await published.objects(wanted), repository.objects(wanted));
        assert.equal(await published.object("ab".repeat(20) as Oid), undefined);
        right++;
      };
      await check().catch((error) => {
        assert.ok(error instanceof UnavailableError, String(error));
        unavailable++;
      });
      bucket.fault = undefined;
      await check();
    }
    assert.ok(right >= 12 && unavailable > 0);
  });
});
