/** Random changes by several nodes: the state that grew with them is the state that is evaluated afresh. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toIssueRow, toPatchRow } from "../../src/cob/cache_row.ts";
import { toChange } from "../../src/cob/change.ts";
import type { IssueAction } from "../../src/cob/issue.ts";
import { draftIssue } from "../../src/cob/issue_request.ts";
import { checkPatchAction, checkReview, draftPatch, PatchRequest } from "../../src/cob/patch_request.ts";
import { type Generation, RULES } from "../../src/cob/rules.ts";
import { ApiError } from "../../src/errors.ts";
import { didOfNid } from "../../src/ids/did.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import * as v from "valibot";
import { signerOf } from "../support/keys.ts";
import { CONTRIBUTOR_SECRET, createFixtureWorld, createWriter, type FixtureWorld } from "./fixture_world.ts";
import { createRandom, type Random } from "./random.ts";

const CHANGES = 60;
const SEEDS = [1, 2, 3];
const NOWHERE = "f".repeat(40) as Oid;
const EMBEDS = [{ name: "a.txt", content: "data:,aGVsbG8=" }, { name: "b", content: "nowhere" }];

/** A founder, a second delegate, and two who are none. */
const [, second, ...strangers] = await Promise.all(
  [CONTRIBUTOR_SECRET, "11".repeat(32), "22".repeat(32), "33".repeat(32)].map(signerOf),
) as [Signer, Signer, Signer, Signer];

/** Something that may be done to an issue, with ids that may be those of comments. */
function randomIssueAction(random: Random, ids: readonly Oid[]): IssueAction {
  const [id, text, active] = [random.pick(ids), `text ${random.below(9)}`, random.below(3) > 0];
  return random.pick<IssueAction>([
    { type: "comment", body: text, replyTo: id, embeds: random.pick([[], EMBEDS]) },
    { type: "comment", body: text, replyTo: ids[0]!, embeds: [] },
    { type: "comment.edit", id, body: text, embeds: random.pick([[], EMBEDS]) },
    { type: "comment.redact", id },
    { type: "comment.react", id, reaction: random.pick(["✨", "🌱"]), active },
    { type: "edit", title: text },
    { type: "lifecycle", state: random.pick([{ status: "open" }, { status: "closed", reason: "solved" }]) },
    { type: "label", labels: random.pick([[], ["a"], ["a", "b"]]) },
    { type: "assign", assignees: random.pick([[], [didOfNid(second.nodeId)]]) },
  ]);
}

/** A body that may ask something of a patch. */
function randomPatchBody(random: Random, ids: readonly Oid[], commits: readonly Oid[]): unknown {
  const [id, other, body, active] = [
    random.pick(ids),
    random.pick(ids),
    `text ${random.below(9)}`,
    random.below(3) > 0,
  ];
  const [first = NOWHERE, revision] = [ids[0], random.pick([ids[0], id])];
  const location = random.pick([null, { commit: commits[0], path: "README" }]);
  const embeds = random.pick([[], EMBEDS]);
  return random.pick<unknown>([
    { type: "edit", title: body, target: "delegates" },
    { type: "label", labels: random.pick([[], ["a"], ["b", "a"]]) },
    { type: "lifecycle", state: { status: random.pick(["open", "draft", "archived"]) } },
    { type: "assign", assignees: [didOfNid(second.nodeId)] },
    { type: "merge", revision, commit: random.pick(commits) },
    { type: "revision", description: body, base: random.pick(commits), oid: random.pick(commits) },
    { type: "revision.edit", revision, description: body, embeds },
    { type: "revision.redact", revision: id },
    { type: "revision.react", revision, reaction: "✨", active, location },
    { type: "revision.comment", revision, body, location, embeds },
    { type: "revision.comment", revision: first, body, replyTo: other },
    { type: "revision.comment.edit", revision, comment: other, body, embeds },
    { type: "revision.comment.react", revision, comment: other, reaction: "✨", active },
    { type: "revision.comment.redact", revision, comment: other },
    { type: "review", revision, summary: body, labels: ["b", "a"] },
    { type: "review", revision, verdict: random.pick(["accept", "reject"]) },
    {
      type: "review.edit",
      review: id,
      verdict: random.pick(["accept", null]),
      summary: random.pick([body, null]),
    },
    { type: "review.redact", review: id },
    { type: "review.comment", review: id, body, replyTo: random.pick([null, other]), location, embeds },
    { type: "review.comment.edit", review: id, comment: other, body, embeds },
    { type: "review.comment.react", review: id, comment: other, reaction: "🌱", active },
    { type: "review.comment.redact", review: id, comment: other },
    { type: "review.comment.resolve", review: id, comment: other },
    { type: "review.comment.unresolve", review: id, comment: other },
  ]);
}

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
      assert.ok(error instanceof ApiError, String(error));
      assert.deepEqual(world.repository.refs("refs/"), before);
    }
  }
  return ids.length - 1;
}

describe("after random changes", () => {
  for (const rules of ["newest", "2024"] as const satisfies readonly Generation[]) {
    for (const seed of SEEDS) {
      it(`an issue is what it is afresh, and every entry counts (${rules}, ${seed})`, async () => {
        const random = createRandom(seed);
        const world = await createFixtureWorld(CONTRIBUTOR_SECRET, [second]);
        const { repository } = world;
        const signers = [world.signer, second, ...strangers];
        let nowSeconds = 1_700_000_000;
        const { writer, place, issues } = createWriter(world, { rules, nowSeconds: () => nowSeconds });
        const draft = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
        const id = await writer.create(
          issues,
          { ...place, signer: random.pick(signers) },
          await draftIssue(repository, draft),
        );
        const ids: Oid[] = [id];
        const taken = await makeChanges(world, () => {
          nowSeconds += random.below(3) - 1;
          const action = randomIssueAction(random, [...ids, NOWHERE]);
          const signer = random.pick(signers);
          return writer.update(issues, { ...place, signer }, id, () => toChange(repository, action));
        }, ids);
        const afresh = (await createWriter(world, { rules }).issues.get(repository, place.index, id))!;
        const grown = (await issues.get(repository, place.index, id))!;
        assert.deepEqual(toIssueRow(grown.state), toIssueRow(afresh.state));
        assert.deepEqual(grown.tips, afresh.tips);
        assert.ok(afresh.isWhole && afresh.size === taken + 1);
        assert.ok(taken > CHANGES / 4 && taken < CHANGES);
      });

      it(`a patch is what it is afresh, and every entry counts (${rules}, ${seed})`, async () => {
        const random = createRandom(seed);
        const world = await createFixtureWorld(CONTRIBUTOR_SECRET, [second]);
        const { repository, commits } = world;
        const signers = [world.signer, second, ...strangers];
        let nowSeconds = 1_700_000_000;
        const { writer, place, patches } = createWriter(world, { rules, nowSeconds: () => nowSeconds });
        const draft = { title: "t", description: "d", target: commits[0], oid: commits[2], labels: [] };
        const change = await draftPatch(repository, place.index, draft);
        const id = await writer.create(patches, { ...place, signer: random.pick(signers) }, change);
        const ids: Oid[] = [id];
        const taken = await makeChanges(world, async () => {
          nowSeconds += random.below(3) - 1;
          const body = randomPatchBody(random, [...ids, NOWHERE], commits);
          const action = checkPatchAction(v.parse(PatchRequest, body), RULES[rules]);
          const signer = random.pick(signers);
          return await writer.update(patches, { ...place, signer }, id, (state) => {
            checkReview(state, signer.nodeId, action, RULES[rules]);
            return toChange(repository, action);
          });
        }, ids);
        const afresh = (await createWriter(world, { rules }).patches.get(repository, place.index, id))!;
        const grown = (await patches.get(repository, place.index, id))!;
        assert.deepEqual(toPatchRow(grown.state, "newest"), toPatchRow(afresh.state, "newest"));
        assert.deepEqual(grown.tips, afresh.tips);
        assert.ok(afresh.isWhole && afresh.size === taken + 1);
        assert.ok(taken > CHANGES / 8 && taken < CHANGES);
      });
    }
  }
});
