/** Histories of signed references, crafted and random: we show what the real programs of both generations show. */
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { CRAFTED, randomHistories } from "../identity/crafted_sigrefs.ts";
import { GENERATIONS, removeFolder, temporaryFolder } from "../support/programs.ts";
import {
  acceptedByRad,
  assertSame,
  putHistories,
  shownByFetch,
  shownByHttpd,
  shownByUs,
} from "./judged_sigrefs.ts";
import { makeHome } from "./signed_home.ts";

const ALICE_SEED = "a1".repeat(32);
const RANDOM_HISTORIES = 300;

const folder = temporaryFolder("sigrefs-histories");
after(() => removeFolder(folder));

const random = randomHistories(0, RANDOM_HISTORIES);

for (const [kind, histories] of [["crafted", CRAFTED], ["random", random]] as const) {
  for (const generation of GENERATIONS) {
    describe(`${kind} histories in a home of ${generation}`, () => {
      it("are shown as by its programs", async () => {
        const made = await makeHome(generation, join(folder, `${kind}-${generation}`), ALICE_SEED);
        const put = await putHistories(made, histories);
        const ours = await shownByUs(made, generation, put);
        if (generation === "0.10") return assertSame(put, ours, await shownByHttpd(made, put));
        assertSame(put, ours.map((shown) => shown !== "refused"), acceptedByRad(made, put));
      });
    });
  }

  it(`${kind} histories are fetched as we show them`, async () => {
    const made = await makeHome("newest", join(folder, `${kind}-fetched`), ALICE_SEED);
    const put = await putHistories(
      made,
      histories.filter(({ isWhole }) => isWhole),
    );
    assertSame(
      put,
      await shownByUs(made, "newest", put),
      await shownByFetch(made, join(folder, `${kind}-bob`), put),
    );
  });
}
