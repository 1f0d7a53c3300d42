/** Remotes and the references of revisions: by the rules that `--evaluation` names. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sigrefsRef } from "../../src/identity/sigrefs.ts";
import { createWriter } from "../cob/entries.ts";
import { BRANCH, CraftedHistory } from "../identity/crafted_sigrefs.ts";
import { createTestApi } from "../support/api.ts";
import { BOB, BOB_SEED, createWorld } from "../support/world.ts";

/** A world in which Bob has signed X, Y and X again, as programs before 1.1 sign. */
function openWorld() {
  const world = createWorld();
  const { hello, commits: [x, y, z] } = world;
  const place = { root: hello.ref("refs/rad/id")!.oid!, states: { x, y, z } };
  const history = new CraftedHistory(hello.put, createWriter(BOB_SEED), place);
  for (const state of ["x", "y", "x"] as const) history.add({ state, level: "none" });
  hello.setRef(sigrefsRef(BOB), history.tip);
  return { world, x, y };
}

describe("remotes", () => {
  for (const evaluation of ["2024", "0.10", "1.1", "newest"] as const) {
    for (const api of ["v1", "today"] as const) {
      it(`show a repeated state as ${evaluation} does (${api})`, async () => {
        const { world, x, y } = openWorld();
        const { get } = createTestApi({ evaluation, api }, world);
        const path = api === "v1" ? `/projects/${world.helloRid}` : `/repos/${world.helloRid}`;
        const expected = { [BRANCH.slice("refs/heads/".length)]: evaluation === "newest" ? y : x };
        const remote = await get(`${path}/remotes/${BOB}`);
        assert.deepEqual(remote.body.heads, expected);
        const { body } = await get(`${path}/remotes`);
        assert.deepEqual(
          body.find(({ id }: { id: string }) => id === BOB || id.endsWith(BOB)).heads,
          expected,
        );
      });
    }
  }
});
