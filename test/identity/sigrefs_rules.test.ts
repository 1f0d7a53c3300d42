/** What each generation of programs shows of a history of signed references. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { createSigrefsCache, SigrefsReader, sigrefsRef } from "../../src/identity/sigrefs.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createWriter } from "../cob/entries.ts";
import { createWorld } from "../support/world.ts";
import { BRANCH, CRAFTED, CraftedHistory, PLACE_OF, type Shown, type State } from "./crafted_sigrefs.ts";
import { Task } from "../../src/scheduling/task.ts";

/** A repository for histories of Carol's. */
export function openPlace() {
  const { hello, commits: [x, y, z] } = createWorld();
  const carol = createWriter(7);
  const place = { root: hello.ref("refs/rad/id")!.oid!, states: { x, y, z } };
  const history = new CraftedHistory(hello.put, carol, place);
  const show = (tip: Oid) => hello.setRef(sigrefsRef(carol.nid), tip);
  return { hello, nid: carol.nid, place, history, show };
}

for (const generation of ["2024", "0.10", "1.1", "newest"] as const satisfies HomeGeneration[]) {
  describe(`signed references by the rules of ${generation}`, () => {
    for (const { name, make, shown } of CRAFTED) {
      const expected = shown[PLACE_OF[generation]];
      it(`${expected === "refused" ? "refused" : `show ${expected}`}: ${name}`, async () => {
        const { hello, nid, place, history, show } = openPlace();
        make(history);
        show(history.tip);
        let found: Shown;
        try {
          const refs = await new SigrefsReader(
            hello,
            createSigrefsCache(undefined, { generation: () => generation }),
            new Task(),
          ).read(nid);
          const at = refs!.get(BRANCH);
          found = at === undefined
            ? "empty"
            : (Object.keys(place.states) as State[]).find((state) => place.states[state] === at)!;
        } catch (error) {
          assert.ok(error instanceof DamagedError, `${error}`);
          found = "refused";
        }
        assert.equal(found, expected);
      });
    }
  });
}
