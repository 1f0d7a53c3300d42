import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AnswerLimits, NodeSocketError } from "../../src/ports/node_socket.ts";
import { createControl, MAX_ANSWER_BYTES } from "../../src/seeding/control.ts";
import { BOB, createWorld } from "../support/world.ts";

const RID = createWorld().helloRid;

/** A node that answers everything alike, and what it was asked. */
function nodeAnswering(answer: string) {
  const asked: { line: Record<string, unknown>; limits: AnswerLimits }[] = [];
  const control = createControl((line, limits) => {
    asked.push({ line: JSON.parse(line), limits });
    return Promise.resolve(answer);
  });
  return { control, asked };
}

const both = (command: string) => ({ type: command, command });

describe("createControl", () => {
  it("names commands as both generations do, with their members", async () => {
    const { control, asked } = nodeAnswering("{}");
    await control.status();
    await control.config(500);
    await control.seed(RID, "all");
    await control.unseed(RID);
    await control.announceRefs(RID);
    assert.deepEqual(asked.map(({ line }) => line), [
      both("status"),
      both("config"),
      { ...both("seed"), rid: RID, scope: "all" },
      { ...both("unseed"), rid: RID },
      { ...both("announceRefs"), rid: RID },
    ]);
    const [statusMs, ...timesMs] = asked.map(({ limits }) => limits.timeoutMs);
    assert.ok(statusMs! < 1000, "a page waits for it");
    // The real service waits so long for changes.
    assert.deepEqual(timesMs, [500, 9000, 9000, 9000]);
    assert.ok(asked.every(({ limits }) => limits.limitBytes === MAX_ANSWER_BYTES));
  });

  it("gives a fetch nine seconds, and waits a little longer (8)", async () => {
    const { control, asked } = nodeAnswering('{"status":"success","updated":[],"namespaces":[]}');
    await control.fetch(RID, BOB);
    const [{ line, limits }] = asked as [typeof asked[0] & object];
    assert.deepEqual(line, { ...both("fetch"), rid: RID, nid: BOB, timeout: { secs: 9, nanos: 0 } });
    assert.equal(limits.limitBytes, MAX_ANSWER_BYTES);
    assert.ok(limits.timeoutMs > 9000 && limits.timeoutMs < 12_000);
  });

  for (
    const result of [
      { status: "success", updated: [{ created: { name: "a", oid: "b" } }], namespaces: [BOB], clone: true },
      { status: "failed", reason: "peer is not connected" },
    ]
  ) {
    it(`returns all that the node reports about a fetch that ${result.status}`, async () => {
      assert.deepEqual(await nodeAnswering(JSON.stringify(result)).control.fetch(RID, BOB), result);
    });
  }

  it("sees an error before anything else", async () => {
    const { control } = nodeAnswering('{"error":"entity not found","updated":true,"status":"success"}');
    for (
      const call of [() => control.status(), () => control.seed(RID, "all"), () => control.fetch(RID, BOB)]
    ) {
      await assert.rejects(
        call(),
        (error) => error instanceof NodeSocketError && error.obstacle === "refused",
      );
    }
  });

  for (const answer of ["", "{", "ok", "[]", '"yes"', "null", "1"]) {
    it(`takes ${JSON.stringify(answer)} for no answer`, async () => {
      const { control } = nodeAnswering(answer);
      for (
        const call of [control.status(), control.unseed(RID), control.fetch(RID, BOB), control.config(1)]
      ) {
        await assert.rejects(
          call,
          (error) => error instanceof NodeSocketError && error.obstacle === "broken",
        );
      }
    });
  }

  it("takes a fetch without an outcome for no answer", async () => {
    for (const answer of ["{}", '{"status":"success"}', '{"status":"failed"}', '{"status":"perhaps"}']) {
      await assert.rejects(nodeAnswering(answer).control.fetch(RID, BOB), NodeSocketError);
    }
  });

  it("subscribes to changed references, and to nothing else", async () => {
    const lines = [
      `{"type":"refsFetched","remote":"${BOB}","rid":"${RID}","updated":[{"updated":{"name":"refs/hea`,
      `{"type":"localRefsAnnounced","rid":"${RID}","refs":{"remote":"${BOB}","at":"0"},"timestamp":1}`,
      `{"type":"refsFetched","remote":"${BOB}","rid":"rad:zzz","updated":[]}`,
      `{"type":"refsFetched","remote":"${BOB}"`,
      `{"type":"refsAnnounced","nid":"${BOB}","rid":"${RID}","refs":[],"timestamp":1}`,
      `{"type":"nodeAnnounced","nid":"${BOB}","alias":"\\"type\\":\\"refsFetched\\"","rid":"${RID}"}`,
      `{"error":"(de)serialization failed"}`,
      "{",
    ];
    const told: unknown[] = [];
    const control = createControl(() => assert.fail(), (line, { onOpen, onLine }, { limitBytes }) => {
      assert.deepEqual(JSON.parse(line), both("subscribe"));
      assert.ok(limitBytes < 2 ** 16, "of a long line only the start");
      onOpen();
      lines.forEach(onLine);
      return Promise.resolve();
    });
    const listener = { onOpen: () => told.push("open"), onChange: (rid: unknown) => told.push(rid) };
    await control.watchChanges(listener, new AbortController().signal);
    assert.deepEqual(told, ["open", RID, RID, undefined, undefined]);
  });
});
