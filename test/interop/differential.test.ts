/**
 * What the real programs make of objects that nobody in their right mind would write, we make of them, too: one oddity at a time, and random
 * graphs of entries. `XYLEM_FUZZ=10000` makes more random objects, `XYLEM_SEED=7` others.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { ALL_WANTED } from "../support/cases.ts";
import { GENERATIONS, removeFolder, temporaryFolder } from "../support/programs.ts";
import { compareAnswers } from "./fuzz/answers.ts";
import { createDesk, type Desk, findDifferences } from "./fuzz/desk.ts";
import { compareEarly, EARLY_FEATURES } from "./fuzz/early.ts";
import { ALL_FEATURES } from "./fuzz/features.ts";
import { randomObject } from "./fuzz/generate.ts";
import { randomIdentity } from "./fuzz/identities.ts";
import { compareLogs, LOG_FEATURES } from "./fuzz/logs.ts";
import type { ObjectPlan } from "./fuzz/plans.ts";
import { compareReferences } from "./fuzz/references.ts";
import { tell } from "./fuzz/report.ts";
import { shrink } from "./fuzz/shrink.ts";
import { systematicCases } from "./fuzz/systematic.ts";

/** Random objects for each generation. */
const OBJECTS = Number(process.env["XYLEM_FUZZ"] ?? 300);
const SEED = Number(process.env["XYLEM_SEED"] ?? 1);
/** There is one random identity for so many other objects: each takes a command of its own. */
const OBJECTS_FOR_AN_IDENTITY = 12;
/** Random objects that services are asked about. */
const ANSWERED = 100;
/** Random objects whose logs are read; some have none that can be. */
const LOGGED = 60;
/**
 * Of objects with one thing odd, which have each oddity with some details, the programs of 2024 see every so many-th: they and
 * their rules are not changed any more.
 */
const SYSTEMATIC_STEP = { "0.10": ALL_WANTED ? 1 : 2, newest: 1 };
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
      const step = SYSTEMATIC_STEP[generation];
      const cases = systematicCases().filter((_, i) => i % step === 0);
      const differences = await findDifferences(desk, cases.map(({ plan }) => plan));
      test.diagnostic?.(`${cases.length} objects`);
      const found = new Map(differences.map(({ object, text }) => [object.plan, text]));
      const told = cases.flatMap(({ oddity, detail, plan }) =>
        found.has(plan) ? [`${oddity}: ${detail}: ${found.get(plan)}`] : []
      );
      assert.deepEqual(told, []);
    });

    it("we make of them by way of tags and symbolic references", async () => {
      assert.deepEqual(await compareReferences(desk), []);
    });

    it(`we make of them in random objects (seed ${SEED})`, async () => {
      await compare(desk, OBJECTS, (seed) => randomObject(seed, ALL_FEATURES));
    });

    it(`we make of them in random identities (seed ${SEED})`, async () => {
      await compare(desk, Math.ceil(OBJECTS / OBJECTS_FOR_AN_IDENTITY), randomIdentity);
    });

    if (generation === "newest") {
      it("are as many as rad cob log lists, our newest among them", async () => {
        const plans = Array.from(
          { length: LOGGED },
          (_, i) => randomObject(SEED * 1_000_000 + i, LOG_FEATURES),
        );
        const { lines, compared } = await compareLogs(desk, plans);
        assert.deepEqual(lines, []);
        assert.ok(compared > LOGGED / 5);
      });
    }

    if (generation === "0.10") {
      it(`is what we make of them as in February 2024, except for changes in between (seed ${SEED})`, async (test) => {
        for (let at = 0; at < OBJECTS; at += BATCH) {
          const size = Math.min(BATCH, OBJECTS - at);
          const plans = Array.from(
            { length: size },
            (_, i) => randomObject(SEED * 1_000_000 + at + i, EARLY_FEATURES),
          );
          const { lines, compared, refused } = await compareEarly(desk, plans);
          assert.deepEqual(lines, []);
          assert.ok(compared > size / 3);
          test.diagnostic?.(`${compared} objects, ${refused} of them with entries that were refused then`);
        }
      });

      it("is what radicle-httpd 0.10.0 and we answer", async () => {
        const plans = Array.from(
          { length: ANSWERED },
          (_, i) => randomObject(SEED * 1_000_000 + i, ALL_FEATURES),
        );
        assert.deepEqual(await compareAnswers(desk, plans), []);
      });
    }
  });
}

/** Compares random objects in batches; fails at the first batch with differences, which it makes small. */
async function compare(desk: Desk, count: number, make: (seed: number) => ObjectPlan): Promise<void> {
  for (let at = 0; at < count; at += BATCH) {
    const size = Math.min(BATCH, count - at);
    const plans = Array.from({ length: size }, (_, i) => make(SEED * 1_000_000 + at + i));
    const differences = await findDifferences(desk, plans);
    if (differences.length === 0) continue;
    const smallest = await shrink(desk, differences.slice(0, MAX_SHRUNK));
    assert.fail(`${differences.length} of objects ${at} to ${at + size}, seed ${SEED}:\n${tell(smallest)}`);
  }
}
