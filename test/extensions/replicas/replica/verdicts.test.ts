/** A cold replica verifies no signature of a state that was published with verdicts, and shows what the home shows. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApi } from "../../../../src/api.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import type { HomeGeneration } from "../../../../src/identity/generation.ts";
import { saveVerdicts } from "../../../../src/identity/save_verdicts.ts";
import { sigrefsRef } from "../../../../src/identity/sigrefs.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import { createReplica } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { createWriter } from "../../../cob/entries.ts";
import { CraftedHistory } from "../../../identity/crafted_sigrefs.ts";
import { ALICE, ALICE_SEED, BOB, BOB_SEED, createWorld, publish } from "../../../support/world.ts";
import { Task } from "../../../../src/scheduling/task.ts";

const profile = { nodeId: ALICE, alias: "alice", pinned: () => [] };
const loadLibgit2 = () => Promise.reject(new Error("not needed"));

describe("a cold replica", () => {
  const { storage, hello, commits } = createWorld();
  const verify = crypto.subtle.verify;
  let verified = 0;
  const withVerdicts = createMemoryBucket();
  const withoutVerdicts = createMemoryBucket();

  before(() => {
    crypto.subtle.verify = function (...args: Parameters<SubtleCrypto["verify"]>) {
      verified++;
      return verify.apply(this, args);
    };
    publish(hello, ALICE_SEED, { master: commits[2]! });
    publish(hello, BOB_SEED, { master: commits[1]! });
  });
  after(() => {
    crypto.subtle.verify = verify;
  });

  async function publishAll(generation: HomeGeneration = "newest"): Promise<void> {
    const node = { node: createAbsentNode(), profile };
    await createTestPublisher(storage, withoutVerdicts, { node }).publishAll();
    const find = () => Promise.resolve(undefined);
    await createTestPublisher(storage, withVerdicts, {
      node,
      derive: async (repository, earlier, write) => [
        await saveVerdicts({
          repository,
          task: new Task(),
          generation,
          rules: "newest",
          find,
          earlier,
          write,
        }),
      ],
    }).publishAll();
  }

  const PATH = `/api/v1/projects/${hello.rid}/remotes`;
  /** The remotes as a new replica shows them, and the signatures that it verified. */
  async function remotesOf(bucket: Bucket) {
    const replica = await createReplica(bucket, { loadLibgit2 });
    verified = 0;
    const text = await (await replica.fetch(new Request(`http://localhost${PATH}`))).text();
    await replica.close();
    return { text, verified };
  }
  async function remotesOfHome(generation: HomeGeneration = "newest"): Promise<string> {
    const node = createAbsentNode();
    const parts = { storage, profile, node, loadLibgit2, generation: () => generation };
    const api = createApi({ ...parts, behindProxy: true });
    const text = await (await api.fetch(new Request(`http://localhost${PATH}`))).text();
    await api.close();
    return text;
  }

  it("verifies no signatures that the publisher has verified", async () => {
    await publishAll();
    const expected = await remotesOfHome();
    assert.ok(expected.includes(ALICE) && expected.includes(BOB));
    assert.deepEqual(await remotesOf(withVerdicts), { text: expected, verified: 0 });
    const without = await remotesOf(withoutVerdicts);
    assert.equal(without.text, expected);
    assert.ok(without.verified >= 2);
  });

  it("verifies nothing that the publisher has found wrong, and does not show it", async () => {
    hello.setRef(sigrefsRef(BOB), hello.ref(sigrefsRef(ALICE))!.oid!);
    await publishAll();
    const expected = await remotesOfHome();
    assert.ok(expected.includes(ALICE) && !expected.includes(BOB));
    assert.deepEqual(await remotesOf(withVerdicts), { text: expected, verified: 0 });
  });

  it("shows what the home shows whose programs are older than --evaluation", async () => {
    const [x, y, z] = commits;
    const place = { root: hello.ref("refs/rad/id")!.oid!, states: { x, y, z } };
    // A replay, and a level below an earlier one: only the newest programs mind.
    const histories = ["x:none y:none x:none", "x:root y:none"].map((steps, i) => {
      const writer = createWriter(70 + i);
      const history = new CraftedHistory(hello.put, writer, place);
      for (const step of steps.split(" ")) {
        const [state, level] = step.split(":") as ["x" | "y", "none" | "root"];
        history.add({ state, level });
      }
      return { nid: writer.nid, tip: history.tip };
    });
    const shown = [];
    for (const generation of ["0.10", "newest"] as const) {
      for (const { nid } of histories) hello.deleteRef(sigrefsRef(nid));
      await publishAll(generation);
      for (const { nid, tip } of histories) hello.setRef(sigrefsRef(nid), tip);
      await publishAll(generation);
      const expected = await remotesOfHome(generation);
      assert.deepEqual(await remotesOf(withVerdicts), { text: expected, verified: 0 });
      const remotes: { id: string; heads: Record<string, string> }[] = JSON.parse(expected);
      shown.push(histories.map(({ nid }) => remotes.find(({ id }) => id === nid)?.heads["at"]));
    }
    assert.deepEqual(shown, [[x, y], [y, undefined]]);
  });
});
