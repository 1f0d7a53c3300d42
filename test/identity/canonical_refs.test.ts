/** Rules for branches and the default branch in identity documents, as the newest programs find them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchRule, readCanonicalRefs } from "../../src/identity/canonical_refs.ts";
import { parseDocJson } from "../../src/identity/doc_json.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import { ALICE, BOB } from "../support/world.ts";

const [alice, bob] = [didOfNid(ALICE), didOfNid(BOB)];
const DELEGATES = { allow: "delegates", threshold: 1 };
const OTHERS = { allow: [bob], threshold: 1 };

function read(payload: unknown, defaultBranch: string | undefined = "main", threshold = 1) {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const value = payload === undefined ? undefined : parseDocJson(new TextEncoder().encode(text));
  return readCanonicalRefs(value, { delegates: [alice], threshold, defaultBranch });
}
/** The pattern of the rule that decides about a name. */
const ruleFor = (name: string, ...patterns: readonly string[]) => {
  const refs = read({ rules: Object.fromEntries(patterns.map((pattern) => [pattern, OTHERS])) });
  assert.ok(refs, patterns.join());
  return matchRule(refs, name)?.pattern;
};

describe("canonical references", () => {
  it("of a document without the payload come from its project", () => {
    const rules = [{ pattern: "refs/heads/main", allowed: [alice], threshold: 1 }];
    assert.deepEqual(read(undefined), { head: "refs/heads/main", rules });
    assert.equal(
      readCanonicalRefs(undefined, { delegates: [alice], threshold: 1, defaultBranch: undefined }),
      undefined,
    );
  });

  it("name the default branch by HEAD, through other symbolic names", () => {
    const rules = { "refs/heads/*": DELEGATES };
    const find = (symbolic: object, branch?: string) =>
      readCanonicalRefs(parseDocJson(new TextEncoder().encode(JSON.stringify({ rules, symbolic }))), {
        delegates: [alice],
        threshold: 1,
        defaultBranch: branch,
      })?.head;
    assert.equal(find({ HEAD: "refs/heads/x" }), "refs/heads/x");
    assert.equal(find({ A: "refs/heads/x", B: "A", HEAD: "B" }), "refs/heads/x");
    assert.equal(find({ HEAD: "refs/heads/main" }, "main"), "refs/heads/main");
    assert.equal(find({ HEAD: "refs/heads/x" }, "main"), undefined);
    // A name must be there before what points to it.
    assert.equal(find({ HEAD: "B", B: "refs/heads/x" }), undefined);
    assert.equal(find({ HEAD: "refs/tags/x" }), undefined);
    assert.equal(find({}), undefined);
  });

  it("take the order of names from the text", () => {
    const rules = '{"refs/heads/*":{"allow":"delegates","threshold":1}}';
    const setting = { delegates: [alice], threshold: 1, defaultBranch: undefined };
    const find = (symbolic: string) =>
      readCanonicalRefs(
        parseDocJson(new TextEncoder().encode(`{"rules":${rules},"symbolic":${symbolic}}`)),
        setting,
      )?.head;
    assert.equal(find('{"1":"refs/heads/x","HEAD":"1"}'), "refs/heads/x");
    assert.equal(find('{"HEAD":"1","1":"refs/heads/x"}'), undefined);
    assert.equal(find('{"HEAD":"refs/heads/a","HEAD":"refs/heads/b"}'), "refs/heads/b");
  });

  it("may be spelled as arrays, and hold more than is known", () => {
    const rules = { "refs/heads/main": { ...DELEGATES, more: [1] } };
    for (const payload of [{ rules, more: 1 }, [rules], [rules, {}]]) assert.ok(read(payload));
    assert.ok(read({ rules: { "refs/heads/x": { allow: { delegates: null }, threshold: 1 } } }));
    assert.ok(read({ rules: { "refs/heads/x": { allow: [bob, bob], threshold: 1 } } }));
  });

  const bad: Record<string, unknown> = {
    "no object": 1,
    "null": null,
    "no rules": {},
    "too long an array": [{}, {}, {}],
    "rules that are an array": { rules: [] },
    "symbolic names that are null": { rules: {}, symbolic: null },
    "a pattern that has no kind": { rules: { "refs/x": OTHERS } },
    "a pattern that is no name": { rules: { "refs/heads/a..b": OTHERS } },
    "two asterisks": { rules: { "refs/heads/*/*": OTHERS } },
    "a rule as an array": { rules: { "refs/heads/x": ["delegates", 1] } },
    "a rule without threshold": { rules: { "refs/heads/x": { allow: "delegates" } } },
    "a rule that allows nobody": { rules: { "refs/heads/x": { allow: [], threshold: 1 } } },
    "a rule that allows a word": { rules: { "refs/heads/x": { allow: "all", threshold: 1 } } },
    "a rule that allows what is none": { rules: { "refs/heads/x": { allow: ["x"], threshold: 1 } } },
    "threshold 0": { rules: { "refs/heads/x": { allow: [bob], threshold: 0 } } },
    "a threshold that is no whole number": '{"rules":{"refs/heads/x":{"allow":"delegates","threshold":1.0}}}',
    "a threshold above those allowed": { rules: { "refs/heads/x": { allow: [bob, bob], threshold: 2 } } },
    "a protected pattern": { rules: { "refs/rad/*": OTHERS } },
    "a protected name": { rules: {}, symbolic: { "refs/rad/id": "refs/heads/main" } },
    "a name that leads nowhere": { rules: {}, symbolic: { X: "Y" } },
    "a name whose target has no rule": { rules: {}, symbolic: { X: "refs/heads/x" } },
    "a name that leads to itself": { rules: {}, symbolic: { "refs/heads/a": "refs/heads/a" } },
    "names in a circle": {
      rules: { "refs/heads/*": OTHERS },
      symbolic: { "refs/x/a": "refs/x/b", "refs/x/b": "refs/x/a" },
    },
    "a name that a rule matches": {
      rules: { "refs/heads/*": DELEGATES },
      symbolic: { "refs/heads/a": "refs/heads/b" },
    },
    "another rule for HEAD": { rules: { "refs/heads/main": OTHERS }, symbolic: { HEAD: "refs/heads/main" } },
    "another threshold for HEAD": {
      rules: { "refs/heads/main": { allow: "delegates", threshold: 2 } },
      symbolic: { HEAD: "refs/heads/main" },
    },
  };
  for (const [name, payload] of Object.entries(bad)) {
    it(`do not exist with ${name}`, () => assert.equal(read(payload), undefined));
  }

  it("do not exist beyond the limit", () => {
    const rules = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`refs/heads/x${i}`, OTHERS]));
    assert.ok(read({ rules: rules(500) }));
    assert.equal(read({ rules: rules(1000) }), undefined);
    const symbolic = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`X${i}`, "refs/heads/x0"]));
    assert.ok(read({ rules: rules(1), symbolic: symbolic(500) }));
    assert.equal(read({ rules: rules(1), symbolic: symbolic(1000) }), undefined);
  });

  // Without HEAD the rule for the project's branch may be any.
  it("may have another rule for the project's branch", () => {
    const refs = read({ rules: { "refs/heads/ma*": OTHERS } })!;
    assert.equal(refs.head, "refs/heads/main");
    assert.deepEqual(matchRule(refs, refs.head)?.allowed, [bob]);
  });
});

describe("a pattern", () => {
  it("without asterisk is a name", () => {
    assert.equal(ruleFor("refs/heads/a", "refs/heads/a"), "refs/heads/a");
    assert.equal(ruleFor("refs/heads/a/b", "refs/heads/a"), undefined);
  });

  it("matches what begins so when it ends in an asterisk", () => {
    for (const name of ["refs/heads/a", "refs/heads/a/b"]) assert.ok(ruleFor(name, "refs/heads/*"));
    for (const name of ["refs/heads/a", "refs/heads/ab/c"]) assert.ok(ruleFor(name, "refs/heads/a*"));
    assert.equal(ruleFor("refs/tags/a", "refs/heads/*"), undefined);
  });

  it("matches any number of components for one that is an asterisk", () => {
    for (const name of ["refs/heads/x", "refs/heads/a/x", "refs/heads/a/b/x"]) {
      assert.ok(ruleFor(name, "refs/heads/*/x"), name);
    }
    for (const name of ["refs/heads/ax", "refs/heads/a/x/y", "refs/heads/a/bx"]) {
      assert.equal(ruleFor(name, "refs/heads/*/x"), undefined, name);
    }
    assert.ok(ruleFor("refs/heads/main/x", "refs/*/x"));
  });

  it("matches within a component for an asterisk that is a part of one", () => {
    for (const name of ["refs/heads/ab", "refs/heads/axb"]) assert.ok(ruleFor(name, "refs/heads/a*b"), name);
    assert.ok(ruleFor("refs/heads/xb", "refs/heads/*b"));
    assert.ok(ruleFor("refs/heads/ax/c", "refs/heads/a*/c"));
    for (const name of ["refs/heads/a", "refs/heads/ax/b", "refs/heads/axbc"]) {
      assert.equal(ruleFor(name, "refs/heads/a*b"), undefined, name);
    }
    assert.equal(ruleFor("refs/heads/x/b", "refs/heads/*b"), undefined);
    assert.equal(ruleFor("refs/heads/ax/y/c", "refs/heads/a*/c"), undefined);
  });

  it("comes before less specific ones", () => {
    const decides = (name: string, winner: string, ...others: readonly string[]) => {
      assert.equal(ruleFor(name, winner, ...others), winner);
      assert.equal(ruleFor(name, ...others.toReversed(), winner), winner);
    };
    decides("refs/heads/a/b/c", "refs/heads/a/b/*", "refs/heads/a/*", "refs/heads/*");
    decides("refs/heads/a", "refs/heads/a", "refs/heads/*", "refs/*/a");
    decides("refs/heads/a", "refs/heads/*", "refs/*/a");
    decides("refs/heads/aab", "refs/heads/aa*", "refs/heads/a*", "refs/heads/*");
    decides("refs/heads/axb", "refs/heads/a*b", "refs/heads/a*");
  });
});
