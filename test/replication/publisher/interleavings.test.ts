/** A repository that becomes private stays away, whatever another publisher does at the same time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepoId } from "../../../src/ids/rid.ts";
import { MAX_TOMBSTONES, Tombstones } from "../../../src/replication/publisher/tombstones.ts";
import { createWorld } from "../../support/world.ts";
import {
  claimAtEachCall,
  hideAtEachCall,
  hideBeside,
  HidingWorld,
  HISTORIES,
  killAtEachCall,
  showAtEachCall,
} from "./interleavings.ts";

/** Every so many a call is tried here, all of them by `npm run bucket:kills`. */
const STEP = 3;

const world = new HidingWorld();

for (const conditional of [true, false]) {
  describe(`two publishers ${conditional ? "with" : "without"} conditional puts`, () => {
    for (const [start, history] of HISTORIES.entries()) {
      it(`let a repository stay away that was ${history.name}, one of them held at any call`, async () => {
        await hideAtEachCall(world, { ...history, conditional, start, step: STEP });
      });
    }

    const calls = { conditional, start: conditional ? 0 : 1, step: STEP };

    it("let it stay away when one of them is killed with what it has put back", async () => {
      await killAtEachCall(world, calls);
    });

    it("leave a repository whole that becomes public again while one of them removes it", async () => {
      await showAtEachCall(world, calls);
    });

    it("do not publish into one bucket for two nodes", async () => {
      await claimAtEachCall(calls);
    });
  });
}

describe("a publisher that is held with one repository", () => {
  for (const conditional of [true, false]) {
    for (const watches of [true, false]) {
      const how = `${watches ? "and watches" : "of one round"}${
        conditional ? "" : ", without conditional puts"
      }`;
      it(`hides another one meanwhile, ${how}`, async () => {
        await hideBeside(world, conditional, watches);
      });
    }
  }
});

describe("repositories that are not public any more", () => {
  it("are looked for after 1, 2, 4 and more seconds, for some minutes", () => {
    const tombstones = new Tombstones();
    const { helloRid: rid } = createWorld();
    tombstones.add(rid, 5_000);
    const seen: number[] = [];
    for (let second = 0; second < 3600; second++) {
      if (tombstones.due(5_000 + 1000 * second).includes(rid)) seen.push(second);
    }
    assert.deepEqual(seen, [1, 3, 7, 15, 31, 63, 127, 255, 511, 1023]);
    assert.ok(!tombstones.has(rid));
  });

  it("are forgotten when they are too many, the first one first", () => {
    const tombstones = new Tombstones();
    const rids = Array.from({ length: MAX_TOMBSTONES + 1 }, (_, i) => `rad:z${i}` as RepoId);
    for (const rid of rids) tombstones.add(rid, 0);
    assert.deepEqual([...tombstones.rids()], rids.slice(1));
  });
});
