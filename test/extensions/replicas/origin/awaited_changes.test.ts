/** Changes that a replica passed on: for how long it asks the origin about their repository. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepoId } from "../../../../src/ids/rid.ts";
import {
  AwaitedChanges,
  MAX_CATCH_UP_MS,
  MAX_CATCHING_UP,
} from "../../../../extensions/replicas/origin/awaited_changes.ts";
import type { ConsistencyToken } from "../../../../extensions/replicas/origin/consistency_token.ts";

const RID = "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5" as RepoId;
const OTHER = "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx" as RepoId;
const TOKEN: ConsistencyToken = { rid: RID, digest: "a".repeat(32), atMs: 1000 };

function awaited(token: ConsistencyToken = TOKEN) {
  const clock = { nowMs: 0 };
  const changes = new AwaitedChanges(() => clock.nowMs);
  changes.add(token);
  return { clock, changes };
}

describe("a change that was passed on", () => {
  it(`is awaited for ${MAX_CATCH_UP_MS} ms at most, by the clock of the replica alone`, () => {
    const { clock, changes } = awaited({ ...TOKEN, atMs: 9_000_000_000_000 });
    assert.equal(changes.get(OTHER), undefined);
    clock.nowMs = MAX_CATCH_UP_MS - 1;
    assert.equal(changes.get(RID)?.atMs, 9_000_000_000_000);
    clock.nowMs++;
    assert.equal(changes.get(RID), undefined);
  });

  it("is the later of two, in whichever order the answers came", () => {
    for (const order of [[1000, 2000], [2000, 1000]]) {
      const changes = new AwaitedChanges(() => 0);
      for (const atMs of order) changes.add({ ...TOKEN, atMs });
      assert.equal(changes.get(RID)?.atMs, 2000);
    }
  });

  it("is forgotten when it has arrived, but not when another one has taken its place", () => {
    const { changes } = awaited();
    const later = { ...TOKEN, atMs: 2000 };
    changes.add(later);
    changes.delete(TOKEN);
    assert.equal(changes.get(RID), later);
    changes.delete(later);
    assert.equal(changes.get(RID), undefined);
  });

  it(`makes room beyond ${MAX_CATCHING_UP} repositories by the oldest`, () => {
    const { changes } = awaited();
    for (let i = 0; i < MAX_CATCHING_UP; i++) changes.add({ ...TOKEN, rid: `rad:z${i}` as RepoId });
    assert.equal(changes.get(RID), undefined);
    assert.notEqual(changes.get("rad:z0" as RepoId), undefined);
  });
});
