/** Jobs of a commit, as automated programs write them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTestApi } from "../support/api.ts";
import { ALICE, ALICE_SEED, BOB, BOB_SEED, createWorld } from "../support/world.ts";
import { createWriter, putEntry } from "./entries.ts";

const JOB = "xyz.radworks.job";
const HELLO = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
const HEAD = "e8c676b9e3b42308dc9d218b70faa5408f8e58ca";
const [FIRST, SECOND] = ["7c2f4b52-6a2f-4a0e-9d3b-1f9f2ad5c001", "7c2f4b52-6a2f-4a0e-9d3b-1f9f2ad5c002"];

const [alice, bob] = [createWriter(ALICE_SEED), createWriter(BOB_SEED)];
const request = (oid: string) => ({ Request: { oid } });
const run = (uuid: string, n: number) => ({ Run: { uuid, log: `https://ci.example/${n}` } });
/** Commits that an entry names as related, as the real programs write it. */
const requestedBy = (action: unknown) => {
  const { Request } = action as { Request?: { oid: string } };
  return Request === undefined ? [] : [Request.oid];
};
const finished = (uuid: string, reason: string) => ({ Finished: { uuid, reason } });

/** A world with a way to write jobs for its public repository. */
function jobsWorld() {
  const world = createWorld();
  const { hello } = world;
  const resource = hello.ref("refs/rad/id")?.oid;
  return {
    world,
    ask: async (commit = HEAD) =>
      await createTestApi({ api: "today" }, world).get(`/repos/${HELLO}/jobs/${commit}`),
    put: (actions: readonly unknown[], writer = alice, parents: readonly string[] = []) =>
      putEntry(hello, {
        type: JOB,
        writer,
        actions,
        parents: parents as never,
        related: actions.flatMap((action) => requestedBy(action)) as never,
        ...(resource && { resource }),
      }),
    point: (id: string, oid: string, nid: string = ALICE) =>
      hello.setRef(`refs/namespaces/${nid}/refs/cobs/${JOB}/${id}`, oid as never),
  };
}

describe("GET /repos/:rid/jobs/:sha", () => {
  it("shows the runs of nodes, as far as they have come", async () => {
    const { ask, put, point } = jobsWorld();
    const id = put([request(HEAD)]);
    const started = put([run(FIRST, 1), run(SECOND, 2)], alice, [id]);
    const ended = put([finished(SECOND, "Failed"), finished(FIRST.toUpperCase(), "Succeeded")], alice, [
      started,
    ]);
    const other = put([run(FIRST, 3)], bob, [id]);
    point(id, ended);
    point(id, other, BOB);
    const { status, body } = await ask();
    assert.equal(status, 200);
    assert.deepEqual(body, [{
      jobId: id,
      commit: HEAD,
      runs: [
        { runId: FIRST, node: { id: `did:key:${ALICE}` }, status: "succeeded", log: "https://ci.example/1" },
        { runId: SECOND, node: { id: `did:key:${ALICE}` }, status: "failed", log: "https://ci.example/2" },
        { runId: FIRST, node: { id: `did:key:${BOB}` }, status: "started", log: "https://ci.example/3" },
      ].sort((a, b) => a.node.id < b.node.id ? -1 : a.node.id > b.node.id ? 1 : 0),
    }]);
  });

  it("leaves out jobs without runs, of other commits, and what is no job", async () => {
    const { ask, put, point } = jobsWorld();
    const empty = put([request(HEAD)]);
    point(empty, empty);
    const absent = put([request("f".repeat(40)), run(FIRST, 1)]);
    point(absent, absent);
    const handmade = put([{ type: "request", oid: HEAD }, { type: "run", uuid: FIRST, log: "https://a.b/" }]);
    point(handmade, handmade);
    const unknown = put([request(HEAD), { Cancelled: {} }]);
    point(unknown, unknown);
    assert.deepEqual((await ask()).body, []);
    assert.deepEqual((await ask("f".repeat(40))).body, []);
  });

  it("passes over a second start of a run, and the end of one that has not begun", async () => {
    const { ask, put, point } = jobsWorld();
    const id = put([
      request(HEAD),
      finished(SECOND, "Failed"),
      run(FIRST, 1),
      run(FIRST, 2),
      request("0".repeat(40)),
    ]);
    point(id, id);
    const [{ runs }] = (await ask()).body;
    assert.deepEqual(runs.map(({ log, status }: { log: string; status: string }) => [log, status]), [
      ["https://ci.example/1", "started"],
    ]);
  });
});
