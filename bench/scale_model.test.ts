/**
 * Tests the simulation of `bench/notes/scale.md`: laws that hold for all values of the constants, on small
 * cases with a fixed seed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { COSTS, type Costs } from "./scale_constants.ts";
import { numbers, type Outcome, simulate, type Situation } from "./scale_model.ts";

/** Requests per run: enough to see a difference, and still quick. */
const REQUESTS = 1_500;
const SEED = 7;

const SMALL: Situation = { repositories: 20, requestsPerSecond: 200, hasCdn: false, isRouted: false };

function outcomeOf(situation: Partial<Situation> = {}, costs: Partial<Costs> = {}): Outcome {
  return simulate({ ...SMALL, ...situation }, { ...COSTS, ...costs }, SEED, REQUESTS);
}

const limitOf = ({ limits }: Outcome, name: string): number =>
  limits.find(([limit]) => limit === name)?.[1] ?? assert.fail(name);

describe("the simulation", () => {
  it("gives the same for the same seed", () => {
    assert.deepEqual(outcomeOf(), outcomeOf());
    const [first, again, other] = [numbers(3), numbers(3), numbers(4)].map((
      next,
    ) => [next(), next(), next()]);
    assert.deepEqual(first, again);
    assert.notDeepEqual(first, other);
    assert.ok(first!.every((value) => value >= 0 && value < 1));
  });

  it("has shares between 0 and 1, and no negative numbers", () => {
    for (const hasCdn of [false, true]) {
      for (const isRouted of [false, true]) {
        for (const repositories of [1, 20, 300]) {
          const outcome = outcomeOf({ hasCdn, isRouted, repositories });
          for (const part of [outcome.cdnHits, outcome.cacheHits]) assert.ok(part >= 0 && part <= 1);
          for (const [name, value] of Object.entries(outcome)) {
            if (typeof value === "number") assert.ok(Number.isFinite(value) && value >= 0, name);
          }
          assert.equal(hasCdn ? outcome.cdnHits > 0 : outcome.cdnHits === 0, true);
          assert.ok(outcome.ageMedian <= outcome.age99);
          const used = outcome.limits.map(([, part]) => part);
          assert.deepEqual(used, used.toSorted((a, b) => b - a));
        }
      }
    }
  });

  it("has as many replicas as the requests take, and never fewer than the least", () => {
    assert.equal(outcomeOf({ requestsPerSecond: 1 }).replicas, COSTS.leastReplicas);
    const { replicas, cpuMs } = outcomeOf({ requestsPerSecond: 10_000 });
    const cores = 10_000 * cpuMs / 1000 / COSTS.usableCore;
    assert.ok(replicas >= cores && replicas <= cores * 1.2, `${replicas} replicas for ${cores}`);
    const counts = [100, 1_000, 10_000].map((requestsPerSecond) => outcomeOf({ requestsPerSecond }).replicas);
    assert.deepEqual(counts, counts.toSorted((a, b) => a - b));
  });

  it("reads the bucket less with larger caches, and not at all for what all replicas have", () => {
    const tiny = { answerCacheBytes: 0, stateCacheBytes: 0, blockCacheBytes: 0, diskCacheBytes: 0 };
    const [none, usual] = [outcomeOf({}, tiny), outcomeOf()];
    assert.equal(none.cacheHits, 0);
    assert.ok(usual.cacheHits > 0.5);
    assert.ok(none.bucketReadsPerSecond > 5 * usual.bucketReadsPerSecond);
    const huge = { answerCacheBytes: 2 ** 40, stateCacheBytes: 2 ** 40, blockCacheBytes: 2 ** 40 };
    const known = outcomeOf({ repositories: 1 }, { ...huge, freshSeconds: 1e9, secondsBetweenChanges: 1e9 });
    assert.ok(known.bucketReadsPerSecond < 0.1 * usual.bucketReadsPerSecond);
  });

  it("reads less when each repository has its replica, or a CDN is in front", () => {
    const many = { repositories: 2_000, requestsPerSecond: 2_000 };
    const [any, routed, behind] = [
      outcomeOf(many),
      outcomeOf({ ...many, isRouted: true }),
      outcomeOf({ ...many, isRouted: true, hasCdn: true }),
    ];
    assert.ok(routed.cacheHits > any.cacheHits);
    assert.ok(routed.replicas < any.replicas);
    assert.ok(routed.bucketReadsPerSecond < any.bucketReadsPerSecond);
    assert.ok(behind.answerMegabytesPerSecond <= routed.answerMegabytesPerSecond);
  });

  it("shows a state whose age comes from scans, publishing and --fresh", () => {
    const { ageMedian, age99, lookSeconds } = outcomeOf();
    const most = COSTS.freshSeconds + lookSeconds + COSTS.publishSeconds;
    assert.ok(ageMedian >= COSTS.publishSeconds && age99 <= most, `${ageMedian} ${age99} ${most}`);
    const fresh = outcomeOf({}, { freshSeconds: 0 });
    assert.ok(fresh.age99 <= lookSeconds + COSTS.publishSeconds);
  });

  it("checks all repositories within an hour, and shows changes that the node reports at once, in homes of any size", () => {
    const within = (repositories: number, limit: string) =>
      limitOf(outcomeOf({ repositories, requestsPerSecond: 1 }), limit);
    const { nearRepositories } = COSTS;
    assert.ok(within(1_000, "looks within an hour") < within(nearRepositories + 1, "looks within an hour"));
    assert.ok(within(100_000, "looks within an hour") < 1);
    assert.ok(within(100_000, "calls of the publisher") < 1);
    const told = outcomeOf({ repositories: 20_000 }, { toldShare: 1, freshSeconds: 0 });
    assert.ok(told.age99 <= COSTS.lookPauseSeconds + COSTS.publishSeconds);
    // The checks never take more than their share of a processor.
    for (const repositories of [10, nearRepositories, 20_000]) {
      const { publisherLoad } = outcomeOf({ repositories, requestsPerSecond: 1 }, { publishMs: 0 });
      assert.ok(publisherLoad <= COSTS.lookShare + 1e-9, `${publisherLoad}`);
    }
  });

  it("costs what its prices say", () => {
    const free = { replicaMonth: 0, millionReads: 0, millionPuts: 0, gigabyteMonth: 0, egressGigabyte: 0 };
    assert.equal(outcomeOf({}, { prices: free }).costPerMonth, 0);
    const { costPerMonth, replicas } = outcomeOf({}, { prices: { ...free, replicaMonth: 20 } });
    assert.equal(costPerMonth, 20 * replicas);
  });

  it("knows kinds of requests whose parts make a whole", () => {
    const kinds = Object.values(COSTS.kinds);
    for (const name of ["personShare", "crawlerShare"] as const) {
      const sum = kinds.reduce((all, kind) => all + kind[name], 0);
      assert.ok(Math.abs(sum - 1) < 1e-9, `${name} ${sum}`);
    }
    for (const { firstMs, repeatedMs } of kinds) assert.ok(firstMs >= repeatedMs);
  });
});
