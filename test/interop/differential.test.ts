/**
 * What the real programs make of objects that nobody in their right mind would write, we make of them, too: one oddity at a time, and random
 * graphs of entries. `XYLEM_FUZZ=10000` makes more random objects, `XYLEM_SEED=7` others.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { GENERATIONS, removeFolder, temporaryFolder } from "../support/programs.ts";
import { createDesk, type Desk, findDifferences } from "./fuzz/desk.ts";
import { featuresBut } from "./fuzz/features.ts";
import { randomObject } from "./fuzz/generate.ts";
import { tell } from "./fuzz/report.ts";
import { shrink } from "./fuzz/shrink.ts";
import { LEFT_OUT } from "./fuzz/switches.ts";
import { systematicCases } from "./fuzz/systematic.ts";

/** Random objects for each generation. */
const OBJECTS = Number(process.env["XYLEM_FUZZ"] ?? 300);
const SEED = Number(process.env["XYLEM_SEED"] ?? 1);
/** Objects that are in one repository at a time. */
const BATCH = 600;
/** Differences that are made smaller before they are told. */
const MAX_SHRUNK = 12;

const folder = temporaryFolder("differential");
after(() => removeFolder(folder));

for (const generation of GENERATIONS) {
  describe(`what rad ${generation} makes of entries`, () => {
    let desk: Desk;
    before(() => desk = createDesk(generation, join(folder, generation)));

    it("we make of them when one thing is odd", async (test) => {
      const cases = systematicCases().filter(({ oddity }) => !LEFT_OUT[generation].has(oddity));
      const differences = await findDifferences(desk, cases.map(({ plan }) => plan));
      test.diagnostic?.(`${cases.length} objects`);
      const found = new Map(differences.map(({ object, text }) => [object.plan, text]));
      const told = cases.flatMap(({ oddity, detail, plan }) =>
        found.has(plan) ? [`${oddity}: ${detail}: ${found.get(plan)}`] : []
      );
      assert.deepEqual(told, []);
    });

    it(`we make of them in random objects (seed ${SEED})`, async (test) => {
      const features = featuresBut(LEFT_OUT[generation]);
      for (let at = 0; at < OBJECTS; at += BATCH) {
        const count = Math.min(BATCH, OBJECTS - at);
        const plans = Array.from(
          { length: count },
          (_, i) => randomObject(SEED * 1_000_000 + at + i, features),
        );
        const differences = await findDifferences(desk, plans);
        if (differences.length === 0) continue;
        const smallest = await shrink(desk, differences.slice(0, MAX_SHRUNK));
        assert.fail(
          `${differences.length} of objects ${at} to ${at + count}, seed ${SEED}:\n${tell(smallest)}`,
        );
      }
      test.diagnostic?.(`${OBJECTS} objects`);
    });
  });
}
