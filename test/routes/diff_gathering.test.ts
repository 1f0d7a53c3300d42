import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gatheringOf } from "../../src/routes/diff_gathering.ts";
import type { DiffAnswer } from "../../src/diff_service/diff_answer.ts";
import { GATHERED_BYTES } from "../../src/http/respond.ts";
import type { Oid } from "../../src/ids/oid.ts";

const MEGABYTE = 2 ** 20;

function diffWith(members?: DiffAnswer["members"]): DiffAnswer {
  return { touched: [], touchedBytes: 0, bytes: 0, members, async *pieces() {} };
}

describe("an answer with a diff", () => {
  it("is gathered up to 4 MiB when its files are in memory, and counts them", () => {
    const members = new Map([1, 2].map((i) => [`${i}`.repeat(40) as Oid, new Uint8Array(i * MEGABYTE)]));
    assert.deepEqual(gatheringOf(diffWith(members)), {
      gatheredBytes: 4 * MEGABYTE,
      heldBytes: 3 * MEGABYTE,
    });
  });

  it("is gathered as others are when its files are still to be made", () => {
    for (const members of [undefined, new Map()]) {
      assert.deepEqual(gatheringOf(diffWith(members)), { gatheredBytes: GATHERED_BYTES, heldBytes: 0 });
    }
  });
});
