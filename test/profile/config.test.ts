/** What is read of a configuration, and what stands in for a missing one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  defaultConfig,
  isAlias,
  parseConfig,
  pinnedRepositories,
  ProfileError,
} from "../../src/profile/config.ts";

const A = "rad:z37h2Y1mLMVCQJ3x45duqSV7kXD2p";
const B = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";

/** The pinned repositories of a file whose `web` is this. */
const pinned = (web: unknown) =>
  pinnedRepositories(parseConfig(JSON.stringify({ web, node: { alias: "alice" } })));

describe("parseConfig", () => {
  it("reads a file of early 2024", () => {
    const config = parseConfig(JSON.stringify(defaultConfig("alice")));
    assert.deepEqual(config, defaultConfig("alice"));
  });

  it("reads a file of later generations and keeps what it does not know", () => {
    const file = {
      publicExplorer: "https://radicle.network/nodes/$host/$rid$path",
      cli: { hints: true },
      web: { pinned: { repositories: [A] }, bannerUrl: "b", description: "d" },
      node: {
        alias: "ann",
        relay: "auto",
        peers: { type: "dynamic" },
        log: "INFO",
        seedingPolicy: { default: "block" },
        limits: { fetchPackReceive: "500.0 MiB" },
        "a key of tomorrow": [1],
      },
    };
    assert.deepEqual(parseConfig(JSON.stringify(file)), file);
  });

  it("needs no member but node.alias", () => {
    assert.equal(parseConfig('{"node":{"alias":"demo"}}').node.alias, "demo");
  });

  it("takes an alias with a space as it is", () => {
    assert.equal(parseConfig('{"node":{"alias":"has space"}}').node.alias, "has space");
  });

  for (const text of ["", "{", "node = 1", "{'node':{}}"]) {
    it(`refuses ${JSON.stringify(text)} as no JSON`, () => {
      assert.throws(() => parseConfig(text), new ProfileError("config.json is not JSON"));
    });
  }

  for (
    const text of [
      "{}",
      "null",
      "[]",
      '{"node":{}}',
      '{"node":{"alias":1}}',
      '{"alias":"a"}',
      '{"node":null}',
    ]
  ) {
    it(`refuses ${text} without an alias`, () => {
      assert.throws(() => parseConfig(text), new ProfileError("config.json lacks node.alias"));
    });
  }
});

describe("pinnedRepositories", () => {
  it("keeps the order of the file", () =>
    assert.deepEqual(pinned({ pinned: { repositories: [B, A] } }), [B, A]));

  it("names each repository once, in canonical form", () => {
    assert.deepEqual(pinned({ pinned: { repositories: [A.slice("rad:".length), A] } }), [A]);
  });

  it("leaves out what is no repository id", () => {
    assert.deepEqual(pinned({ pinned: { repositories: ["x", 1, null, {}, "rad:z1", A] } }), [A]);
  });

  for (
    const web of [undefined, null, 1, {}, { pinned: [] }, { pinned: {} }, { pinned: { repositories: A } }]
  ) {
    it(`is empty when web is ${JSON.stringify(web)}`, () => assert.deepEqual(pinned(web), []));
  }
});

describe("isAlias", () => {
  for (const alias of ["a", "alice", "ünïcödé", "a.b-c_d", "a".repeat(32)]) {
    it(`accepts ${alias}`, () => assert.equal(isAlias(alias), true));
  }

  const refused = [
    "",
    "a b",
    "a\tb",
    "a\n",
    "\u00a0",
    "\u2028",
    "a\u0000",
    "a".repeat(33),
    "ü".repeat(17),
  ];
  for (const alias of refused) {
    it(`refuses ${JSON.stringify(alias)}`, () => assert.equal(isAlias(alias), false));
  }
});

describe("defaultConfig", () => {
  it("pins nothing and names the node after the user", () => {
    const config = defaultConfig("someone");
    assert.equal(config.node.alias, "someone");
    assert.deepEqual(pinnedRepositories(config), []);
  });

  it("refuses a user name that is no alias", () => {
    assert.throws(() => defaultConfig("bad user"), ProfileError);
  });
});
