/** The number of reads that cold answers take from a repository with a large pack and many small ones. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createApi } from "../../../../src/api.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import type { PublishedPack } from "../../../../extensions/replicas/format/manifest.ts";
import { createReplica } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { noise } from "../../../support/noise.ts";
import { createPackMaker, placesOf } from "../../../support/packs.ts";
import { CountingBucket, putManifest, putNode, putPack, randomFaults } from "../../../support/published.ts";
import {
  ALICE,
  ALICE_SEED,
  createRepository,
  publish,
  putCommit,
  setHead,
  START_SECONDS,
} from "../../../support/world.ts";

/** Most reads of the bucket for a cold answer. */
const MOST_READS = 8;
const COMMITS = 600;
const SMALL_PACKS = 12;
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
  const profile = { nodeId: ALICE, alias: "alice", pinned: () => [rid] };
  const loadLibgit2 = () => Promise.reject(new Error("not needed"));
  const environment = { now: () => 1000 * START_SECONDS };

  function addCommit(): void {
    const i = commits.length;
    const folder = Math.floor(random() * FOLDERS);
    const file = `file${Math.floor(random() * FILES)}.txt`;
    folders[folder]!.set(file, Array.from({ length: 12 }, () => `${random()}\n`).join(""));
    changed.push(`folder${folder}/${file}`);
    commits.push(putCommit(repository, {
      folder: {
        ...Object.fromEntries(folders.map((files, i) => [`folder${i}`, Object.fromEntries(files)])),
        ...(i === 0 && { large: noise(5 * 2 ** 20) }),
      },
      parents: commits.slice(-1),
      message: `Commit ${i}\n`,
      timeSeconds: START_SECONDS + 60 * i,
    }));
  }

  before(async () => {
    const maker = createPackMaker(storage);
    const packs: PublishedPack[] = [];
    let published: readonly Oid[] = [];
    for (let i = 0; i < COMMITS; i++) {
      addCommit();
      if (i < COMMITS - SMALL_PACKS - 1) continue;
      setHead(repository, commits[i]!);
      publish(repository, ALICE_SEED, { master: commits[i]! });
      const tips = repository.refs("refs/").flatMap(({ oid }) => oid ?? []);
      await maker.make({ rid, tips, published, shallow: [] }, async (made) => {
        packs.unshift({
          ...await putPack(bucket, rid, { ...made, places: placesOf(made.idx) }),
          firstBlocks: i === COMMITS - 1 ? [0] : [],
        });
      });
      published = tips;
    }
    assert.ok(packs.length === SMALL_PACKS + 1 && packs.at(-1)!.bytes > 2 ** 22);
    await putManifest(bucket, rid, { refs: [repository.ref("HEAD")!, ...repository.refs("refs/")], packs });
    await putNode(bucket, ALICE, [rid]);
  });

  const casesOf = () => {
    const head = commits.at(-1)!;
    const deep = Math.floor(COMMITS / 3);
    return {
      "a project": "",
      "a folder": `/tree/${head}/folder1`,
      "a file": `/blob/${head}/${changed[COMMITS - 100]}`,
      "an old commit": `/commits/${commits[deep]}`,
      "an old folder": `/tree/${commits[deep]}/folder2`,
      "an old file": `/blob/${commits[deep]}/${changed[deep]}`,
      "a page of the history": `/commits?parent=${head}&perPage=30`,
    };
  };
  const request = (path: string) => new Request(`http://localhost/api/v1/projects/${rid}${path}`);

  it(`takes ${MOST_READS} reads and a read of each small pack at the most, and is right`, async () => {
    const home = createApi({
      storage,
      profile,
      node: createAbsentNode(),
      loadLibgit2,
      environment,
      behindProxy: true,
    });
    for (const [name, path] of Object.entries(casesOf())) {
      const replica = await createReplica(bucket, { loadLibgit2, environment });
      bucket.reset();
      const text = await (await replica.fetch(request(path))).text();
      assert.equal(text, await (await home.fetch(request(path))).text(), name);
      const most = MOST_READS + SMALL_PACKS;
      assert.ok(bucket.reads <= most, `${name}: ${bucket.asked.join("\n")}`);
      await replica.close();
    }
    await home.close();
  });

  it("has no object whose id only begins like the id of another one", async () => {
    for (const isWarm of [false, true]) {
      const replica = await createReplica(bucket, { loadLibgit2, environment });
      for (const oid of [commits[3]!, commits.at(-1)!]) {
        if (isWarm) assert.equal((await replica.fetch(request(`/commits/${oid}`))).status, 200);
        const forged = `${oid.slice(0, 30)}0123456789`;
        for (const path of [`/commits/${forged}`, `/tree/${forged}/`, `/commits?parent=${forged}`]) {
          assert.equal((await replica.fetch(request(path))).status, 404, path);
        }
      }
      await replica.close();
    }
  });

  it("shows the same, or says that it is unavailable, whatever the bucket answers", async () => {
    let [right, unavailable] = [0, 0];
    for (let round = 0; round < 8; round++) {
      const replica = await createReplica(bucket, { loadLibgit2, environment });
      const paths = Object.values(casesOf());
      const texts = new Map<string, string>();
      bucket.fault = randomFaults(random);
      for (const path of paths) {
        const response = await replica.fetch(request(path));
        if (response.status === 200) texts.set(path, await response.text());
        else {
          assert.equal(response.status, 503, `${path}: ${await response.text()}`);
          unavailable++;
        }
      }
      bucket.fault = undefined;
      for (const [path, text] of texts) {
        const fresh = await createReplica(bucket, { loadLibgit2, environment });
        assert.equal(text, await (await fresh.fetch(request(path))).text(), path);
        right++;
        await fresh.close();
      }
      await replica.close();
    }
    assert.ok(right > 0 && unavailable > 0, `${right} right, ${unavailable} unavailable`);
  });
});
