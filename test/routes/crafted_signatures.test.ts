/**
 * Issues with entries whose signatures no program makes: they count exactly where the Radicle programs of the
 * generation count them, on every runtime, and what others write on top of them stays.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Generation } from "../../src/cob/rules.ts";
import { MAX_EXACT_CHECKS } from "../../src/cob/entry/entry_signature.ts";
import { parseOid } from "../../src/ids/oid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createWriter, putEntry, setTip, type Writer } from "../cob/entries.ts";
import { encodingsOf, signMixed, TORSION } from "../support/crafted_signatures.ts";
import { formatNid } from "../../src/ids/nid.ts";
import { ALICE, ALICE_SEED, BOB_SEED, createWorld } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";

const ISSUE = { title: "Issue #1", description: "It is broken", labels: [], assignees: [], embeds: [] };
const ENTRY_SECONDS = 1_673_100_000;
const [, ORDER_4, , ORDER_2, , , , IDENTITY] = TORSION;

const bob = createWriter(BOB_SEED);
const carol = createWriter(9);
/** Signs with R plus a point of order 2 or 4. */
const mixed = (point = ORDER_2!): Writer => ({
  ...bob,
  sign: (message) => signMixed(BOB_SEED, message, point).signature,
});
/** "Signs" with the identity, which verifies for every message where such a key is accepted. */
const nobody: Writer = (() => {
  const [publicKey] = encodingsOf(IDENTITY!);
  const signature = Uint8Array.from([...publicKey!, ...new Uint8Array(32)]);
  return { nid: formatNid(publicKey!), publicKey: publicKey!, sign: () => signature };
})();

/** An issue of Alice's, evaluated by the rules of a generation in a home of the same or another one. */
async function createIssue(evaluation: Generation, home = evaluation) {
  const world = createWorld();
  const api = await createChangeApi({ compatibility: { evaluation, generation: () => home } }, world);
  const { body: { id } } = await api.send("POST", "/issues", ISSUE);
  const issue = parseOid(id);
  return {
    issue,
    /** Puts somebody's comment into the namespace of a node. */
    comment(node: Writer, writer: Writer, parents: readonly Oid[], body: string): Oid {
      const entry = putEntry(world.hello, {
        writer,
        actions: [{ type: "comment", body, replyTo: issue }],
        parents,
        resource: world.hello.ref("refs/rad/id")!.oid,
        timeSeconds: ENTRY_SECONDS,
      });
      setTip(world.hello, node.nid, issue, entry);
      return entry;
    },
    change: (body: unknown) => api.send("PATCH", `/issues/${issue}`, body),
    async comments(): Promise<string[]> {
      const { body } = await api.send("GET", `/issues/${issue}`, undefined);
      return body.discussion.slice(1).map((comment: { body: string }) => comment.body);
    },
    parentsOfTip(): readonly Oid[] {
      const { oid } = world.hello.ref(`refs/namespaces/${ALICE}/refs/cobs/xyz.radicle.issue/${issue}`)!;
      const text = new TextDecoder().decode(world.hello.object(oid!)!.bytes);
      return [...text.matchAll(/^parent (.*)$/gm)].map(([, parent]) => parseOid(parent!));
    },
  };
}

describe("a comment with a point of order 2 or 4 in its signature", () => {
  for (const [name, point] of Object.entries({ "order 2": ORDER_2!, "order 4": ORDER_4! })) {
    it(`is shown by the rules of 0.10, with all that others write on top of it (${name})`, async () => {
      const { issue, comment, change, comments } = await createIssue("0.10");
      const odd = comment(bob, mixed(point), [issue], "odd");
      comment(carol, carol, [odd], "on top of it");
      assert.deepEqual(await comments(), ["odd", "on top of it"]);
      const { status, body } = await change({ type: "comment", body: "mine", replyTo: issue });
      assert.deepEqual([status, body.success], [200, true]);
      assert.deepEqual(await comments(), ["odd", "on top of it", "mine"]);
    });

    it(`does not count by the newest rules, and nothing is lost with it (${name})`, async () => {
      const { issue, comment, change, comments } = await createIssue("newest");
      comment(bob, mixed(point), [issue], "odd");
      comment(carol, carol, [issue], "honest");
      const { status } = await change({ type: "comment", body: "mine", replyTo: issue });
      assert.equal(status, 200);
      assert.deepEqual(await comments(), ["honest", "mine"]);
    });
  }
});

describe("in a home of 0.10 that is served by the newest rules", () => {
  it("a crafted comment on which rad has built is no obstacle to changes", async () => {
    const { issue, comment, change, comments } = await createIssue("newest", "0.10");
    const odd = comment(bob, mixed(), [issue], "odd");
    comment(createWriter(ALICE_SEED), createWriter(ALICE_SEED), [odd], "by rad");
    assert.equal((await change({ type: "comment", body: "mine", replyTo: issue })).status, 200);
    assert.deepEqual(await comments(), ["odd", "by rad", "mine"]);
  });
});

describe("a comment by a key that nobody has", () => {
  it("does not count by the rules of 0.10, and is no parent of what others write", async () => {
    const { issue, comment, change, comments, parentsOfTip } = await createIssue("0.10");
    const forged = comment(bob, nobody, [issue], "forged");
    const { status } = await change({ type: "comment", body: "mine", replyTo: issue });
    assert.equal(status, 200);
    assert.deepEqual(await comments(), ["mine"]);
    assert.ok(!parentsOfTip().includes(forged));
  });

  it("counts by the newest rules, as in the newest programs", async () => {
    const { issue, comment, change, comments, parentsOfTip } = await createIssue("newest");
    const forged = comment(bob, nobody, [issue], "forged");
    assert.deepEqual(await comments(), ["forged"]);
    assert.equal((await change({ type: "comment", body: "mine", replyTo: issue })).status, 200);
    assert.ok(parentsOfTip().includes(forged));
    assert.deepEqual(await comments(), ["forged", "mine"]);
  });
});

describe("an issue with more crafted signatures than are computed", () => {
  it(`shows ${MAX_EXACT_CHECKS} of them and all that is honest`, async () => {
    const { issue, comment, comments } = await createIssue("0.10");
    for (let i = 0; i <= MAX_EXACT_CHECKS; i++) {
      comment(createWriter(seedOf(i)), mixed(), [issue], `odd ${i}`);
    }
    comment(carol, carol, [issue], "honest");
    const shown = await comments();
    assert.equal(shown.filter((body) => body.startsWith("odd")).length, MAX_EXACT_CHECKS);
    assert.ok(shown.includes("honest"));
  });
});

function seedOf(number: number): Uint8Array {
  const seed = new Uint8Array(32).fill(3);
  new DataView(seed.buffer).setUint32(0, number);
  return seed;
}
