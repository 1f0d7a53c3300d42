/**
 * Signatures that no program makes, judged by the Rust crates that the Radicle programs use and by us, on
 * every runtime. `XYLEM_SIGNATURES=20000` judges more random ones.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { craftedSignatures, randomSignatures } from "../support/crafted_signatures.ts";
import { runtimeCommand, RUNTIMES } from "../support/programs.ts";
import { judgeSignatures, verdictsOf } from "./signature_judge.ts";
import { recordedVerdicts } from "../support/signature_verdicts.ts";

/** Random signatures besides the crafted ones. */
const RANDOM = Number(process.env["XYLEM_SIGNATURES"] ?? 2000);
const SEED = 1;

const crafted = craftedSignatures();
const cases = [...crafted, ...randomSignatures(SEED, RANDOM)];

describe("crafted and random signatures", () => {
  let verdicts: readonly string[];
  before(() => verdicts = judgeSignatures(cases));

  it(`are more than 300 and ${RANDOM}, of which each crate accepts and refuses some`, () => {
    assert.ok(crafted.length > 300);
    assert.equal(verdicts.length, cases.length);
    assert.deepEqual(new Set(verdicts), new Set(["00", "01", "10", "11"]));
  });

  it("are judged as recorded for the tests without the crates", () => {
    assert.deepEqual(recordedVerdicts(), new Map(crafted.map(({ name }, i) => [name, verdicts[i]])));
  });

  for (const runtime of RUNTIMES) {
    it(`are judged by us as by the crates, on ${runtime}`, () => {
      const script = join(import.meta.dirname, "judge_signatures.ts");
      const ours = verdictsOf(runtimeCommand(runtime, script), cases);
      const different = cases.flatMap(({ name }, i) => {
        const wanted = `${verdicts[i]}${verdicts[i] === "11" ? "1" : "0"}`;
        return ours[i] === wanted ? [] : [`${name}: ${wanted}, ours ${ours[i]}`];
      });
      assert.deepEqual(different, []);
    });
  }
});
