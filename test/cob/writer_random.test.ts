/** Random changes by several nodes: the state that grew with them is the state that is evaluated afresh. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toIssueRow, toPatchRow } from "../../src/cob/rad_cache/cache_rows.ts";
import { toChange } from "../../src/cob/write/change.ts";
import { checkIssueAction, draftIssue } from "../../src/cob/write/issue_request.ts";
import {
  checkPatchAction,
  checkReview,
  completeLocation,
  draftPatch,
  PatchRequest,
} from "../../src/cob/write/patch_request.ts";
import { type Generation, RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { CoreError } from "../../src/errors.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import * as v from "valibot";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createMemoryDerived, withDerived } from "../support/derived.ts";
import { signerOf } from "../support/keys.ts";
import { CONTRIBUTOR_SECRET, createFixtureWorld, createWriter, type FixtureWorld } from "./fixture_world.ts";
import { createRandom } from "./random.ts";
import { NOWHERE, randomIssueAction, randomPatchBody } from "./random_changes.ts";
import { Task } from "../../src/scheduling/task.ts";

const CHANGES = 60;
const SEEDS = [1, 2, 3];
/** Rules that objects are shown by, and those of the programs that work on the home. */
const RULES_IN_FORCE: readonly (readonly [Generation, Generation])[] = [
  ["newest", "newest"],
  ["2024", "2024"],
  ["newest", "2024"],
  ["newest", "0.10"],
  ["2024", "newest"],
];

/** A founder, a second delegate, and two who are none. */
const [, second, ...strangers] = await Promise.all(
  [CONTRIBUTOR_SECRET, "11".repeat(32), "22".repeat(32), "33".repeat(32)].map(signerOf),
) as [Signer, Signer, Signer, Signer];

/** Makes changes one after the other; refused ones must leave all references where they were. Returns how many were taken. */
async function makeChanges(
  world: FixtureWorld,
  change: (i: number) => Promise<Oid>,
  ids: Oid[],
): Promise<number> {
  for (let i = 0; i < CHANGES; i++) {
    const before = world.repository.refs("refs/");
    try {
      ids.push(await change(i));
    } catch (error) {
      assert.ok(error instanceof CoreError, String(error));
      assert.deepEqual(world.repository.refs("refs/"), before);
    }
  }
  return ids.length - 1;
}

/** The evaluation of an object that was saved, as another process has it without reading an entry. */
async function readSaved(
  type: "issues" | "patches",
  rules: Generation,
  repository: MemoryRepository,
  id: Oid,
): Promise<unknown> {
  const derived = createMemoryDerived();
  const graph = new CommitGraph();
  const cobs = createCobs(RULES[rules], () => {});
  derived.publish(
    (await cobs[type].save(
      { objects: repository, graph, task: new Task() },
      undefined,
      (file) => derived.write(file),
    ))!,
  );
  const replica = withDerived(repository, derived, (oid) => assert.fail(`${oid} is read`));
  return await createCobs(RULES[rules], () => {})[type].get(
    { objects: replica, graph, task: new Task() },
    id,
  );
}

describe("after random changes", () => {
  for (const [rules, home] of RULES_IN_FORCE) {
    for (const seed of SEEDS) {
      it(`an issue is what it is afresh, and every entry counts (${rules} on a home of ${home}, ${seed})`, async () => {
        const random = createRandom(seed);
        const world = await createFixtureWorld(CONTRIBUTOR_SECRET, [second]);
        const { repository } = world;
        const signers = [world.signer, second, ...strangers];
        let nowSeconds = 1_700_000_000;
        const { writer, place, issues } = createWriter(world, {
          rules,
          generation: () => home,
          nowSeconds: () => nowSeconds,
        });
        const draft = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
        const id = await writer.create(
          issues,
          { ...place, signer: random.pick(signers) },
          await draftIssue(repository, draft),
        );
        const ids: Oid[] = [id];
        const taken = await makeChanges(world, async () => {
          nowSeconds += random.below(3) - 1;
          const action = randomIssueAction(random, [...ids, NOWHERE], second.nodeId, "all");
          checkIssueAction(action, [RULES[rules], RULES[home]], "all");
          const signer = random.pick(signers);
          return await writer.update(issues, { ...place, signer }, id, () => toChange(repository, action));
        }, ids);
        for (const one of [rules, home]) {
          const afresh = (await createWriter(world, { rules: one }).issues.get({
            objects: repository,
            graph: place.graph,
            task: new Task(),
          }, id))!;
          const grown = (await issues.under(RULES[one]).get(
            { objects: repository, graph: place.graph, task: new Task() },
            id,
          ))!;
          assert.deepEqual(toIssueRow(grown.state), toIssueRow(afresh.state));
          assert.deepEqual(grown.tips, afresh.tips);
          assert.ok(afresh.isWhole && afresh.size === taken + 1);
          assert.deepEqual(await readSaved("issues", one, repository, id), afresh);
        }
        assert.ok(taken > CHANGES / 4 && taken < CHANGES);
      });

      it(`a patch is what it is afresh, and every entry counts (${rules} on a home of ${home}, ${seed})`, async () => {
        const random = createRandom(seed);
        const world = await createFixtureWorld(CONTRIBUTOR_SECRET, [second]);
        const { repository, commits } = world;
        const signers = [world.signer, second, ...strangers];
        let nowSeconds = 1_700_000_000;
        const { writer, place, patches } = createWriter(world, {
          rules,
          generation: () => home,
          nowSeconds: () => nowSeconds,
        });
        const draft = { title: "t", description: "d", target: commits[0], oid: commits[2], labels: [] };
        const change = await draftPatch({ objects: repository, graph: place.graph, task: new Task() }, draft);
        const id = await writer.create(patches, { ...place, signer: random.pick(signers) }, change);
        const ids: Oid[] = [id];
        const taken = await makeChanges(world, async () => {
          nowSeconds += random.below(3) - 1;
          const body = randomPatchBody(random, [...ids, NOWHERE], commits, second.nodeId, "all");
          const action = checkPatchAction(v.parse(PatchRequest, body), [RULES[rules], RULES[home]], "all");
          const signer = random.pick(signers);
          return await writer.update(patches, { ...place, signer }, id, {
            check: (state, rules) => checkReview(state, signer.nodeId, action, rules),
            plan: (state) => toChange(repository, completeLocation(state, action)),
          });
        }, ids);
        for (const one of [rules, home]) {
          const afresh = (await createWriter(world, { rules: one }).patches.get({
            objects: repository,
            graph: place.graph,
            task: new Task(),
          }, id))!;
          const grown = (await patches.under(RULES[one]).get({
            objects: repository,
            graph: place.graph,
            task: new Task(),
          }, id))!;
          assert.deepEqual(toPatchRow(grown.state, "newest"), toPatchRow(afresh.state, "newest"));
          assert.deepEqual(grown.tips, afresh.tips);
          assert.ok(afresh.isWhole && afresh.size === taken + 1);
          assert.deepEqual(await readSaved("patches", one, repository, id), afresh);
        }
        assert.ok(taken > CHANGES / 8 && taken < CHANGES);
      });
    }
  }
});
