/** Changes that a replica passed on: for how long it asks the origin about their repository. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFromReplica } from "../../../src/replication/origin/forwarded_head.ts";
import {
  AwaitedChanges,
  CHANGE_POINT_FIELD,
  type ChangePoint,
  formatChangePoint,
  MAX_CATCH_UP_MS,
  MAX_CATCHING_UP,
  parseChangePoint,
  stateDigest,
} from "../../../src/replication/origin/change_point.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createChangeApi } from "../../routes/change_api.ts";

const RID = "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5" as RepoId;
const OTHER = "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx" as RepoId;
const POINT: ChangePoint = { rid: RID, digest: "a".repeat(32), atMs: 1000 };
const OLD = { digest: "b".repeat(32), readAtMs: 1000 };

function awaited(point: ChangePoint = POINT) {
  const clock = { nowMs: 0 };
  const changes = new AwaitedChanges(() => clock.nowMs);
  changes.add(point);
  return { clock, changes };
}

describe("a change that was passed on", () => {
  it("is awaited while nothing, or an older state, is published", () => {
    const { changes } = awaited();
    assert.equal(changes.isAwaited(RID, undefined), true);
    assert.equal(changes.isAwaited(RID, OLD), true);
    assert.equal(changes.isAwaited(OTHER, OLD), false);
  });

  it("has arrived with a state of its digest, whenever that was read", () => {
    const { changes } = awaited();
    assert.equal(changes.isAwaited(RID, { digest: POINT.digest, readAtMs: 0 }), false);
    assert.equal(changes.isAwaited(RID, OLD), false);
  });

  it("has arrived with a state that was read later, though other changes followed", () => {
    const { changes } = awaited();
    assert.equal(changes.isAwaited(RID, { ...OLD, readAtMs: 1001 }), false);
  });

  it(`is awaited for ${MAX_CATCH_UP_MS} ms at most, by the clock of the replica alone`, () => {
    const { clock, changes } = awaited({ ...POINT, atMs: 9_000_000_000_000 });
    clock.nowMs = MAX_CATCH_UP_MS - 1;
    assert.equal(changes.isAwaited(RID, OLD), true);
    clock.nowMs++;
    assert.equal(changes.isAwaited(RID, OLD), false);
  });

  it("waits for the later of two changes, in whichever order the answers came", () => {
    for (const order of [[1000, 2000], [2000, 1000]]) {
      const changes = new AwaitedChanges(() => 0);
      for (const atMs of order) changes.add({ rid: RID, digest: String(atMs).padStart(32, "0"), atMs });
      assert.equal(changes.isAwaited(RID, { ...OLD, readAtMs: 1500 }), true);
      assert.equal(changes.isAwaited(RID, { ...OLD, readAtMs: 2001 }), false);
    }
  });

  it(`makes room beyond ${MAX_CATCHING_UP} repositories by the oldest`, () => {
    const { changes } = awaited();
    for (let i = 0; i < MAX_CATCHING_UP; i++) changes.add({ ...POINT, rid: `rad:z${i}` as RepoId });
    assert.equal(changes.has(RID), false);
    assert.equal(changes.has("rad:z0" as RepoId), true);
  });
});

describe("the point of a change", () => {
  it("is read as it was written, and not at all when it is malformed", () => {
    assert.deepEqual(parseChangePoint(formatChangePoint(POINT)), POINT);
    const malformed = [
      null,
      undefined,
      "",
      RID,
      `${RID} abc 1`,
      `x ${POINT.digest} 1`,
      `${RID} ${POINT.digest} -1`,
    ];
    for (const text of malformed) assert.equal(parseChangePoint(text), undefined);
  });

  const ISSUE = { title: "One", description: "", labels: [], assignees: [], embeds: [] };

  it("is in the origin's answer to a change by a replica, with the digest of the state after it", async () => {
    const { send, token, world } = await createChangeApi();
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const direct = await send("POST", "/issues", ISSUE, { headers });
    assert.equal(direct.headers.get(CHANGE_POINT_FIELD), null);
    const before = await stateDigest(world.hello);
    const forwarded = { ...headers, via: "1.1 xylem-replica" };
    const answer = await send("POST", "/issues", { ...ISSUE, title: "Two" }, { headers: forwarded });
    assert.equal(answer.status, 201);
    const point = parseChangePoint(answer.headers.get(CHANGE_POINT_FIELD));
    const after = await stateDigest(world.hello);
    assert.notEqual(before, after);
    assert.deepEqual(point, { rid: world.helloRid, digest: after, atMs: 1_673_100_000_000 });
    const read = await send("GET", "/issues", undefined, { headers: { via: forwarded.via } });
    assert.equal(read.headers.get(CHANGE_POINT_FIELD), null);
    const refused = await send("POST", "/issues", { ...ISSUE, title: 1 }, { headers: forwarded });
    assert.equal(refused.headers.get(CHANGE_POINT_FIELD), null);
  });

  it("is the same with and without hidden references, which are not published", async () => {
    const { world } = await createChangeApi();
    const before = await stateDigest(world.hello);
    const oid = world.hello.refs("refs/heads/")[0]!.oid!;
    world.hello.setRef("refs/drafts/review", oid);
    assert.equal(await stateDigest(world.hello), before);
    world.hello.setRef("refs/heads/another", oid);
    assert.notEqual(await stateDigest(world.hello), before);
  });

  it("is asked for by the name of a replica anywhere in Via", () => {
    const from = (via: string) => isFromReplica(new Request("http://localhost/", { headers: { via } }));
    assert.equal(from("1.1 xylem-replica"), true);
    assert.equal(from("HTTP/2 xylem-replica, 1.1 haproxy"), true);
    assert.equal(from("1.1 proxy (xylem-replica)"), false);
    assert.equal(isFromReplica(new Request("http://localhost/")), false);
  });
});
