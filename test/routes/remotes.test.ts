/** Remotes and the references of revisions: by the rules of `--evaluation` or, if they are older, of the home's programs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HomeGeneration } from "../../src/identity/generation.ts";
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
  it("follow the home's programs, also when they are replaced", async () => {
    const { world, x, y } = openWorld();
    let generation: HomeGeneration = "0.10";
    const { get } = createTestApi({ compatibility: { generation: () => generation } }, world);
    const at = async () => (await get(`/projects/${world.helloRid}/remotes/${BOB}`)).body.heads["at"];
    assert.equal(await at(), x);
    generation = "newest";
    assert.equal(await at(), y);
  });

  const cases = [
    ...(["2024", "0.10", "1.1", "newest"] as const).map((evaluation) => [evaluation, "newest"] as const),
    ["newest", "0.10"],
    ["newest", "2024"],
    ["2024", "0.10"],
  ] as const;
  for (const [evaluation, generation] of cases) {
    for (const api of ["v1", "today"] as const) {
      it(`show a repeated state as ${evaluation} does in a home of ${generation} (${api})`, async () => {
        const { world, x, y } = openWorld();
        const { get } = createTestApi({
          compatibility: { evaluation, generation: () => generation },
          api,
        }, world);
        const path = api === "v1" ? `/projects/${world.helloRid}` : `/repos/${world.helloRid}`;
        const expected = {
          [BRANCH.slice("refs/heads/".length)]: evaluation === "newest" && generation === "newest" ? y : x,
        };
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
