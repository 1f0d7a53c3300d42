/** 20,000 random histories of signed references: we show what the real programs of both generations show. */
import { join } from "node:path";
import { after, it } from "node:test";
import { randomHistories } from "../../identity/crafted_sigrefs.ts";
import { removeFolder, temporaryFolder } from "../../support/programs.ts";
import { assertSame, putHistories, shownByFetch, shownByHttpd, shownByUs } from "../judged_sigrefs.ts";
import { makeHome } from "../signed_home.ts";

const ALICE_SEED = "a1".repeat(32);
const HISTORIES = 20_000;
const HISTORIES_PER_HOME = 500;

const folder = temporaryFolder("sigrefs-histories");
after(() => removeFolder(folder));

for (let first = 0; first < HISTORIES; first += HISTORIES_PER_HOME) {
  it(`histories from seed ${first} on are shown as by the real programs`, async () => {
    const place = join(folder, `${first}`);
    const histories = randomHistories(first, HISTORIES_PER_HOME);
    const early = await makeHome("0.10", join(place, "0.10"), ALICE_SEED);
    const inEarly = await putHistories(early, histories);
    assertSame(inEarly, await shownByUs(early, "0.10", inEarly), await shownByHttpd(early, inEarly));
    const newest = await makeHome("newest", join(place, "newest"), ALICE_SEED);
    const put = await putHistories(newest, histories);
    assertSame(
      put,
      await shownByUs(newest, "newest", put),
      await shownByFetch(newest, join(place, "bob"), put),
    );
    removeFolder(place);
  });
}
