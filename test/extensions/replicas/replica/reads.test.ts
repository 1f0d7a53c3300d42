/** The number of reads of the bucket that cold answers take, and that it does not depend on other repositories. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createApi } from "../../../../src/api.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { RULES } from "../../../../src/cob/rules.ts";
import { createCobs } from "../../../../src/cob/evaluation/store.ts";
import { CommitGraphs } from "../../../../src/git/commit_graphs.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { type RepoId, sortRids } from "../../../../src/ids/rid.ts";
import type { RadicleNode } from "../../../../src/ports/radicle_node.ts";
import { createReplica } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createMemoryStorage, type MemoryStorage } from "../../../../src/storage/memory.ts";
import { createWriter, ENTRY_SECONDS, putEntry, setTip } from "../../../cob/entries.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { CountingBucket } from "../../../support/published.ts";
import {
  ALICE,
  ALICE_SEED,
  createRepository,
  type Folder,
  publish,
  putCommit,
  setHead,
  START_SECONDS,
} from "../../../support/world.ts";
import { Task } from "../../../../src/scheduling/task.ts";

/** Most reads of the bucket for a cold answer. */
const MOST_READS = 8;
const ISSUES = 1000;
const COMMITS = 120;
const DIFFS = 30;

/** A node that seeds and offers all repositories. */
function nodeOf({ repositoryIds }: Pick<MemoryStorage, "repositoryIds">): RadicleNode {
  return {
    ...createAbsentNode(),
    knownNodes: () => Promise.resolve([ALICE]),
    inventory: (nid) => Promise.resolve(nid === ALICE ? sortRids(repositoryIds()) : []),
    policies: () => Promise.resolve(repositoryIds().map((rid) => ({ rid, scope: "all", policy: "allow" }))),
  };
}

describe("a cold answer of a replica", () => {
  const bucket = new CountingBucket(createMemoryBucket());
  const alone = new CountingBucket(createMemoryBucket());
  const storage = createMemoryStorage();
  let rid: RepoId;
  let head: Oid;
  const commits: Oid[] = [];

  before(async () => {
    const repository = createRepository(storage, { name: "many-issues" });
    rid = repository.rid;
    const folder: { [name: string]: Folder | string } = {};
    for (let i = 0; i < COMMITS; i++) {
      const name = `file${i % 40}.txt`;
      folder[`folder${i % 7}`] = { ...(folder[`folder${i % 7}`] as Folder), [name]: `${i}\n`.repeat(200) };
      folder["README.md"] = `Version ${i}\n`;
      commits.push(putCommit(repository, {
        folder: { ...folder },
        parents: commits.slice(-1),
        message: `Commit ${i}\n`,
        timeSeconds: START_SECONDS + 60 * i,
      }));
    }
    head = commits.at(-1)!;
    setHead(repository, head);
    const writer = createWriter(ALICE_SEED);
    const resource = repository.ref("refs/rad/id")!.oid;
    for (let i = 0; i < ISSUES; i++) {
      const actions = [
        { type: "comment", body: `What is wrong with ${i}` },
        { type: "edit", title: `Issue ${i}` },
      ];
      const timeSeconds = ENTRY_SECONDS + i;
      const id = putEntry(repository, { writer, actions, resource, timeSeconds });
      setTip(repository, writer.nid, id, id);
    }
    publish(repository, ALICE_SEED, { master: head });
    const source = {
      node: nodeOf(storage),
      profile: { nodeId: ALICE, alias: "alice", pinned: () => [rid] },
    };
    const log = () => {};
    const { issues, patches } = createCobs(RULES.newest, log);
    const graphs = new CommitGraphs({ log });
    const publishAll = (into: CountingBucket) =>
      createTestPublisher(storage, into, {
        node: source,
        readHistory: (repository, tips, task) => graphs.table(repository, tips, task),
        async derive(repository, earlier, write) {
          const graph = graphs.of(repository.rid);
          const roots = [
            await issues.save({ objects: repository, graph, task: new Task() }, earlier, write),
            await patches.save({ objects: repository, graph, task: new Task() }, earlier, write),
          ];
          return roots.filter((root) => root !== undefined);
        },
      }).publishAll();
    await publishAll(alone);
    // Others beside it: they cost a request nothing.
    for (let i = 0; i < 30; i++) {
      const other = createRepository(storage, { name: `other-${i}` });
      setHead(other, putCommit(other, { folder: { README: `${i}` }, message: "Start\n" }));
    }
    await publishAll(bucket);
    await graphs.close();
  });

  /** Answers paths below a place, by default that of the repository, by a new replica. */
  async function costOf(from: CountingBucket, paths: readonly string[], place = `/api/v1/projects/${rid}`) {
    const replica = await createReplica(from, {
      loadLibgit2: () => Promise.reject(new Error("not needed")),
      environment: { now: () => 1000 * START_SECONDS },
    });
    from.reset();
    const bodies: string[] = [];
    for (const path of paths) {
      const response = await replica.fetch(new Request(`http://localhost${place}${path}`));
      assert.equal(response.status, 200, path);
      bodies.push(await response.text());
    }
    const { reads, bytes, asked } = from;
    await replica.close();
    return { reads, bytes, asked, bodies };
  }

  const CASES = {
    "a project": () => [""],
    "a folder": () => [`/tree/${head}/`],
    "a file": () => [`/blob/${head}/README.md`],
    [`10 of ${ISSUES} issues`]: () => ["/issues?perPage=10"],
    "activity": () => ["/activity"],
    [`a page of the history and its ${DIFFS} diffs`]: () => [
      `/commits?parent=${head}&perPage=${DIFFS}`,
      ...commits.slice(-DIFFS).map((oid) => `/commits/${oid}`),
    ],
  };
  for (const [name, paths] of Object.entries(CASES)) {
    it(`takes ${MOST_READS} reads at the most for ${name}, however many repositories there are`, async () => {
      const cost = await costOf(bucket, paths());
      assert.ok(cost.reads <= MOST_READS, `${cost.reads} reads: ${cost.asked.join()}`);
      assert.ok(cost.bytes < 4 * 2 ** 20, `${cost.bytes} bytes`);
      const costAlone = await costOf(alone, paths());
      assert.equal(cost.reads, costAlone.reads);
      assert.equal(cost.bytes, costAlone.bytes);
      assert.deepEqual(cost.bodies, costAlone.bodies);
    });
  }

  for (
    const path of [
      "/projects?show=all",
      "/projects?show=all&page=2&perPage=8",
      "/projects?show=all&page=9",
      "/stats",
      `/delegates/did:key:${ALICE}/projects?show=all`,
      `/nodes/${ALICE}/inventory`,
      "/node/policies/repos",
    ]
  ) {
    it(`takes two reads at the most for ${path}, and shows what the repositories say`, async () => {
      const cost = await costOf(bucket, [path], "/api/v1");
      assert.ok(cost.reads <= 2, cost.asked.join());
      const readsNode = path.startsWith("/node");
      assert.ok(!readsNode || cost.asked.every((key) => !key.includes("catalogue")), cost.asked.join());
      const home = createApi({
        storage,
        profile: { nodeId: ALICE, alias: "alice", pinned: () => [rid] },
        node: nodeOf(storage),
        loadLibgit2: () => Promise.reject(new Error("not needed")),
        behindProxy: true,
      });
      const response = await home.fetch(new Request(`http://localhost/api/v1${path}`));
      assert.deepEqual(cost.bodies, [await response.text()]);
      await home.close();
    });
  }
});
