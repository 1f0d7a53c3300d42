/** A repository that becomes private stays away, whatever a publisher does that has lost its lease. */
import { describe, it } from "node:test";
import {
  claimAtEachCall,
  hideAtEachCall,
  hideBeside,
  hideFromItself,
  HidingWorld,
  HISTORIES,
  killAtEachCall,
  PASTS,
  showAtEachCall,
} from "./interleavings.ts";

/** Every so many a call is tried here, all of them by `npm run bucket:kills`. */
const STEP = 3;

const world = new HidingWorld();

describe("a publisher whose lease is taken while a call of it is under way", () => {
  for (const [start, history] of HISTORIES.entries()) {
    it(`shows nothing of a repository that was ${history.name} and has become private`, async () => {
      await hideAtEachCall(world, { ...history, start, step: STEP });
    });
  }

  for (const [start, past] of PASTS.entries()) {
    it(`shows nothing of it when it is killed, and its call takes effect; published before: ${past}`, async () => {
      await killAtEachCall(world, { past, start, step: STEP });
    });
  }

  it("is named by nothing when its own publisher finds it private", async () => {
    await hideFromItself(world, { start: 0, step: 1 });
  });

  it("takes nothing away for long from a repository that becomes public again", async () => {
    await showAtEachCall(world, { start: 1, step: STEP });
  });

  it("does not publish for another node", async () => {
    await claimAtEachCall({ start: 0, step: STEP });
  });
});

describe("a publisher that is held with one repository", () => {
  for (const watches of [true, false]) {
    it(`hides another one meanwhile, ${watches ? "and watches" : "of one round"}`, async () => {
      await hideBeside(world, watches);
    });
  }
});
