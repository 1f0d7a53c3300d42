/** Actions of any number of values are decoded in steps, and to the same as at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { sortedSet, Text } from "../../../src/cob/entry/fields.ts";
import { decodeIssueAction, IssueAction } from "../../../src/cob/issue/issue.ts";
import { decodePatchAction, PatchAction } from "../../../src/cob/patch/patch_action.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { decodeStored } from "../../../src/cob/entry/stored_action.ts";
import { readActionJson } from "../../../src/cob/entry/stored_json.ts";
import { formatNid } from "../../../src/ids/nid.ts";
import { runSync, type Steps } from "../../../src/scheduling/task.ts";
import { createRandom, type Random } from "../random.ts";

const encoder = new TextEncoder();
/** Some of a long list. */
const MANY = 256;
const OID = "0123456789abcdef0123456789abcdef01234567";

type Decode = (value: unknown, rules: (typeof RULES)["newest"]) => Steps<unknown>;

function* decodeText(decode: Decode, text: string): Steps<unknown> {
  const value = yield* readActionJson(encoder.encode(text));
  return value === undefined ? undefined : yield* decode(value, RULES.newest);
}

/** A long array with repetitions, in no order. */
const list = <T>(random: Random, item: (n: number) => T): T[] =>
  Array.from({ length: random.below(4 * MANY) }, () => item(random.below(3 * MANY)));

const did = (n: number) =>
  `did:key:${formatNid(Uint8Array.from({ length: 32 }, (_, i) => n >> (8 * (i % 4))))}`;
const hash = (n: number) => n.toString(16).padStart(40, "a");
const label = (n: number) => ["é", "😀", "￿", ""][n % 4] + String(n);
const embed = (n: number) => ({ name: label(n), content: `git:${hash(n)}` });

const RANDOM: readonly [Decode, v.GenericSchema, (random: Random) => Record<string, unknown>][] = [
  [decodeIssueAction, IssueAction, (random) => ({ type: "label", labels: list(random, label) })],
  [decodeIssueAction, IssueAction, (random) => ({ type: "assign", assignees: list(random, did) })],
  [
    decodeIssueAction,
    IssueAction,
    (random) => ({ type: "comment", body: "b", replyTo: OID, embeds: list(random, embed) }),
  ],
  [
    decodePatchAction,
    PatchAction,
    (random) => ({
      type: "revision",
      description: "d",
      base: OID,
      oid: OID,
      resolves: list(random, (n) => [hash(n % 5), hash(n)]),
    }),
  ],
  [
    decodePatchAction,
    PatchAction,
    (random) => ({
      type: "review.edit.v2",
      review: OID,
      summary: "s",
      verdict: "accept",
      labels: list(random, label),
      embeds: list(random, embed),
    }),
  ],
];

describe("a stored action", () => {
  it("is in steps what it is at once, whatever its length and its form", () => {
    const random = createRandom(3);
    for (let i = 0; i < 60; i++) {
      const [decode, schema, make] = random.pick(RANDOM);
      const action = make(random);
      const expected = v.parse(schema, action);
      const { type, ...members } = action;
      for (
        const text of [
          JSON.stringify(action),
          // Neither is how any program writes.
          JSON.stringify({ more: [[{}]], ...action }, null, 1),
          JSON.stringify([type, ...Object.values(members)]),
          JSON.stringify(action).replaceAll('{"name":', '{"x":{"name":0},"name":'),
        ]
      ) {
        assert.deepEqual(runSync(decodeText(decode, text)), expected, text.slice(0, 100));
      }
    }
  });

  it("is refused if a long array has a wrong item, wherever it is", () => {
    const labels = Array.from({ length: 5 * MANY }, (_, i) => `${i}`);
    for (const bad of [null, 1, ["x"], { name: "x" }, "did:key:x"]) {
      for (const at of [0, MANY - 1, MANY, labels.length - 1]) {
        const items: unknown[] = labels.with(at, "y");
        items[at] = bad;
        const decode = (action: object) => runSync(decodeText(decodeIssueAction, JSON.stringify(action)));
        assert.equal(decode({ type: "label", labels: items }) === undefined, typeof bad !== "string");
        assert.equal(decode({ type: "assign", assignees: items }), undefined);
        assert.equal(decode({ type: "comment", body: "", embeds: items }), undefined);
        // Not known there: not looked at.
        assert.ok(decode({ type: "comment", body: "", labels: items }));
      }
    }
  });

  it("takes its lists in steps of a bounded number of characters", () => {
    const most = 2 ** 16;
    for (const length of [1, 100, most / 2]) {
      const labels = Array.from({ length: 600 }, (_, i) => `${i}`.padStart(length, "0"));
      const value = runSync(readActionJson(encoder.encode(JSON.stringify({ type: "label", labels }))));
      const decoding = decodeIssueAction(value, RULES.newest);
      let steps = 0;
      let result = decoding.next();
      for (; !result.done; result = decoding.next()) steps++;
      assert.equal((result.value as { labels: string[] }).labels.length, 600);
      assert.ok(steps >= 600 * length / most, `${steps} steps`);
    }
  });

  it("sorts a long set in short steps", () => {
    let compared = 0;
    const labels = sortedSet(Text, (a, b) => {
      compared++;
      return a < b ? -1 : Number(a > b);
    });
    const schema = v.variant("type", [v.object({ type: v.literal("label"), labels })]);
    const items = Array.from({ length: 50_000 }, (_, i) => `${i * 7919 % 50_000}`);
    const text = JSON.stringify({ type: "label", labels: items });
    const value = runSync(readActionJson(encoder.encode(text)));
    const decoding = decodeStored(schema, value, RULES.newest);
    let most = 0;
    for (let isDone = false; !isDone;) {
      compared = 0;
      isDone = decoding.next().done === true;
      most = Math.max(most, compared);
    }
    // Sorting a run of 64 items takes some n log n comparisons.
    assert.ok(most <= 64 * 6, `${most} comparisons in one step`);
  });

  it("reads each item of a long list by itself, whatever the items before it are", () => {
    const long = `"${"x".repeat(100_000)}"`;
    const good = [
      ...['["",""]', '{"name":"","content":""}', '{"content":"","name":""}', '["name","content"]'],
      ...['["a","b"]', '["\\u0061","b"]', '["a\\\\","b"]', '["a\\\\\\\\","b"]', '["a\\"","b"]', '["b","a"]'],
      ...['{"name":"a","x":"b","content":"b"}', '{"name":"a","content":"b","x":[]}', '[ "a" , "b" ]'],
      ...[`["a",${long}]`, '["é😀","\\ud83d\\ude00"]', '{"na\\u006de":"a","content":"b"}'],
    ];
    const bad = [
      ...["[]", "{}", "null", '"a"', '["a"]', '["a","b","c"]', '["name","a","content","b"]', '["a",null]'],
      ...['{"name":"a"}', '{"name":"a","x":"b"}', '{"name":"a","content":1}', '["a",["b"]]'],
    ];
    const random = createRandom(5);
    const decode = (items: readonly string[]): [unknown, unknown] => {
      const text = `{"type":"comment","body":"","embeds":[${items.join()}]}`;
      const plain = runSync(decodeIssueAction(JSON.parse(text), RULES.newest));
      return [runSync(decodeText(decodeIssueAction, text)), plain];
    };
    for (let i = 0; i < 12; i++) {
      const items: string[] = [];
      while (items.length < 8 * MANY) {
        const item = random.pick(good);
        for (let count = item.length > 99 ? 1 : 1 + random.below(random.pick([3, 400])); count > 0; count--) {
          items.push(item);
        }
      }
      const [action, plain] = decode(items);
      assert.ok(action !== undefined);
      assert.deepEqual(action, plain);
      const wrong = items.with(random.below(items.length), random.pick(bad));
      assert.deepEqual(decode(wrong), [undefined, undefined]);
      const twice = items.with(random.below(items.length), '{"name":"a","name":"a","content":"b"}');
      assert.equal(decode(twice)[0], undefined);
    }
  });

  it("has equal items of a list in a row once in memory, and equal texts of theirs", () => {
    const decode = (action: object, by: Decode = decodeIssueAction) =>
      runSync(decodeText(by, JSON.stringify(action))) as Record<string, unknown[]>;
    for (const item of [["", ""], { name: "a", content: "b" }]) {
      const { embeds } = decode({ type: "comment", body: "", embeds: Array(10_000).fill(item) });
      assert.equal(embeds!.length, 10_000);
      assert.equal(new Set(embeds).size, 1);
    }
    const resolves = Array.from({ length: 3 * MANY }, (_, n) => [hash(7), hash(256 + (n >> 1))]);
    const action = { type: "revision", description: "", base: OID, oid: OID, resolves };
    assert.deepEqual(decode(action, decodePatchAction)["resolves"], resolves.filter((_, n) => n % 2 === 0));
  });

  it("is decoded in steps", () => {
    const count = 20_000;
    const cases: [Decode, string][] = [
      [decodeIssueAction, `{"type":"label","labels":[${Array(count).fill('""').join()}]}`],
      [decodeIssueAction, `{"type":"comment","body":"","embeds":[${Array(count).fill('["",""]').join()}]}`],
      [decodeIssueAction, `{"type":"comment","body":"",${Array(count).fill('"x":0').join()}}`],
      [
        decodePatchAction,
        `{"type":"revision.comment","revision":"${OID}","body":"x","location":{"commit":"${OID}","path":"",` +
        `${Array(count).fill('"x":0').join()}}}`,
      ],
    ];
    for (const [decode, text] of cases) {
      const value = runSync(readActionJson(encoder.encode(text)));
      let steps = 0;
      const decoding = decode(value, RULES.newest);
      for (;;) {
        const { done, value } = decoding.next();
        if (done === true) {
          assert.ok(value !== undefined, text.slice(0, 100));
          break;
        }
        steps++;
      }
      assert.ok(steps > count / 100, `${steps} steps`);
    }
  });
});
