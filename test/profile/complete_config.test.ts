import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { completeConfig, newConfig } from "../../src/profile/config.ts";

describe("completeConfig", () => {
  it("fills the smallest file as the real service does (2.15)", () => {
    assert.deepEqual(completeConfig({ node: { alias: "has space" } }), {
      ...newConfig("has space"),
      preferredSeeds: [],
    });
  });

  it("leaves a file that lacks nothing as it is", () => {
    const config = newConfig("alice");
    assert.deepEqual(completeConfig(config), config);
  });

  it("keeps unknown members, at any depth", () => {
    const config = completeConfig({
      extra: { deep: [1, null] },
      web: { pinned: { repositories: ["rad:z"], order: 1 }, description: "ü" },
      node: { alias: "a", workers: 8, limits: { connection: { inbound: 128 }, maxOpenFiles: 7 } },
    });
    assert.deepEqual(config["extra"], { deep: [1, null] });
    assert.deepEqual(config["web"], { pinned: { repositories: ["rad:z"], order: 1 }, description: "ü" });
    const defaults = newConfig("a").node["limits"] as object;
    assert.deepEqual(config.node["limits"], { ...defaults, connection: { inbound: 128 }, maxOpenFiles: 7 });
    assert.equal(config.node["workers"], 8);
  });

  it("gives no hints where `cli` is there without them, else the default", () => {
    assert.deepEqual(completeConfig({ cli: {}, node: { alias: "a" } })["cli"], { hints: false });
    assert.deepEqual(completeConfig({ cli: { hints: true }, node: { alias: "a" } })["cli"], { hints: true });
    assert.deepEqual(completeConfig({ node: { alias: "a" } })["cli"], { hints: true });
  });

  it("adds a target to dynamic peers, not to static ones", () => {
    const peersOf = (peers: object) => completeConfig({ node: { alias: "a", peers } }).node["peers"];
    assert.deepEqual(peersOf({ type: "dynamic" }), { type: "dynamic", target: 8 });
    assert.deepEqual(peersOf({ type: "dynamic", target: 3 }), { type: "dynamic", target: 3 });
    assert.deepEqual(peersOf({ type: "static" }), { type: "static" });
  });

  const seedingPolicies = [
    [{ default: "block" }, { policy: "block", scope: "followed" }],
    [{ default: "allow", scope: "followed" }, { policy: "allow", scope: "followed" }],
    [{ default: "allow" }, { policy: "allow", scope: "all" }],
    [{}, { policy: "block", scope: "followed" }],
    ["all", { policy: "block", scope: "followed" }],
  ] as const;
  for (const [seedingPolicy, { policy, scope }] of seedingPolicies) {
    it(`says ${policy}, ${scope} for the seeding policy ${JSON.stringify(seedingPolicy)} of later files`, () => {
      const { node } = completeConfig({ node: { alias: "a", seedingPolicy } });
      assert.deepEqual([node["policy"], node["scope"], node["seedingPolicy"]], [
        policy,
        scope,
        seedingPolicy,
      ]);
    });
  }

  it("believes policy and scope where a file has them", () => {
    const { node } = completeConfig({
      node: { alias: "a", policy: "allow", scope: "all", seedingPolicy: { default: "block" } },
    });
    assert.deepEqual([node["policy"], node["scope"]], ["allow", "all"]);
  });

  it("keeps values of other types, and members with odd names", () => {
    const text = '{"web":7,"node":{"alias":"a","limits":null,"__proto__":{"x":1},"constructor":{"y":2}}}';
    const config = completeConfig(JSON.parse(text));
    assert.equal(config["web"], 7);
    assert.equal(config.node["limits"], null);
    assert.match(JSON.stringify(config), /"__proto__":\{"x":1\},"constructor":\{"y":2\}/);
    assert.equal(Object.getPrototypeOf(config.node), Object.prototype);
  });
});
