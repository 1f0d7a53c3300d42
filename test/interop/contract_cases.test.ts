/** Schemathesis finds no fault with the service: all checks, all operations of both dialects, on the demo home. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, it } from "node:test";
import { ALL_WANTED } from "../support/cases.ts";
import { removeFolder, temporaryFolder } from "../support/programs.ts";
import { runCases } from "./contract_cases.ts";
import { copyDemoHome } from "../support/demo_home.ts";

/** Requests at least, of all operations together. */
const CASES = ALL_WANTED ? 500 : 300;
/** Cases of each operation, which come to a few more. */
const CASES_OF_EACH = ALL_WANTED ? 8 : 5;

const folder = temporaryFolder("contract");
after(() => removeFolder(folder));

it("every request that the contract allows is served, every other one refused, as it says", async (test) => {
  const home = join(folder, "home");
  await copyDemoHome(home);
  const { status, output, count } = await runCases({
    home,
    cases: CASES_OF_EACH,
    withLinks: false,
    seed: 1,
  });
  test.diagnostic(`${count} requests`);
  assert.equal(status, 0, output);
  assert.ok(count >= CASES, `${count} requests`);
});
