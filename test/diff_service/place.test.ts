import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BOTH_FROM_BYTES,
  BOTH_MOST_BYTES,
  type Load,
  MAX_SHARED_JOBS,
  MOST_HERE,
  placeOf,
} from "../../src/diff_service/place.ts";

const NOTHING = { fileBytes: 0, largestBytes: 0, comparedBytes: 0 };
const UNKNOWN = { here: 9, worker: undefined };

describe("the place of a diff", () => {
  it("is a worker as soon as one cost is too high for this thread", () => {
    assert.equal(placeOf(MOST_HERE, UNKNOWN), "here");
    for (const cost of ["fileBytes", "largestBytes", "comparedBytes"] as const) {
      assert.equal(placeOf({ ...NOTHING, [cost]: MOST_HERE[cost] + 1 }, UNKNOWN), "worker");
    }
  });

  it("is a worker that has less to do than this thread, and little", () => {
    for (
      const [here, worker, place] of [
        [0, 0, "here"],
        [1, 0, "worker"],
        [1, 1, "here"],
        [99, MAX_SHARED_JOBS - 1, "worker"],
        [99, MAX_SHARED_JOBS, "here"],
        [99, Infinity, "here"],
      ] as const
    ) {
      assert.equal(placeOf(NOTHING, { here, worker }), place, `${here} here, ${worker} there`);
    }
  });

  it("is both while both are idle and the diff is neither small nor large", () => {
    const place = (fileBytes: number, load: Load) => placeOf({ ...NOTHING, fileBytes }, load);
    for (const fileBytes of [BOTH_FROM_BYTES + 1, BOTH_MOST_BYTES]) {
      assert.equal(place(fileBytes, { here: 0, worker: 0 }), "both");
      for (const load of [{ here: 1, worker: 0 }, { here: 0, worker: 1 }, UNKNOWN]) {
        assert.notEqual(place(fileBytes, load), "both");
      }
    }
    assert.equal(place(BOTH_FROM_BYTES, { here: 0, worker: 0 }), "here");
    assert.equal(place(BOTH_MOST_BYTES + 1, { here: 0, worker: 0 }), "worker");
  });
});
