/** Random changes by three peers, over HTTP and by `rad` of both generations: everybody shows the same in the end. */
import { describe, it } from "node:test";
import { ALL_WANTED } from "../support/cases.ts";
import { testPeers } from "./peers.ts";
import { createServedHomes } from "./served_homes.ts";

/** `long/peers.test.ts` has more. */
const SEQUENCES = ALL_WANTED ? 3 : 2;
const homes = createServedHomes("peers");

describe("random changes by three peers", () => {
  for (let seed = 0; seed < SEQUENCES; seed++) {
    it(`come to the same for all (${seed})`, async (test) => {
      test.diagnostic?.(JSON.stringify(await testPeers(seed, homes, seed === 0)));
    });
  }
});
