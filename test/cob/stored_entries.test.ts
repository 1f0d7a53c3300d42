/**
 * Odd entries, and which generations of the real programs take them: each case was put to radicle 0.11 (`rad` 0.10), whose parsers are those of
 * February 2024, and to radicle 0.25 (`rad` 0.23).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EntryReader } from "../../src/cob/entry/entry_reader.ts";
import { IdentityAction } from "../../src/cob/identity/proposal.ts";
import { decodeIssueAction } from "../../src/cob/issue/issue.ts";
import { decodePatchAction } from "../../src/cob/patch/patch_action.ts";
import { RULES, type Rules } from "../../src/cob/rules.ts";
import { decodeStored } from "../../src/cob/entry/stored_action.ts";
import { type Steps, Task } from "../../src/scheduling/task.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { createWriter, type EntryDraft, putEntry, signatureLines } from "./entries.ts";

const alice = createWriter(1);
const RESOURCE = "c".repeat(40) as Oid;
const ID = "0123456789abcdef0123456789abcdef01234567";
const DID = "did:key:z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";
const GENERATIONS = ["2024", "0.10", "1.1", "newest"] as const;
type Takers = "all" | "none" | readonly HomeGeneration[];
const EARLY = ["2024", "0.10"] as const;
const SHORT_IDS = ["2024", "0.10", "1.1"] as const;
const LATER = ["1.1", "newest"] as const;

const DECODERS = {
  issue: decodeIssueAction,
  patch: decodePatchAction,
  identity: (value: unknown, rules: Rules) => decodeStored(IdentityAction, value, rules),
} satisfies Record<string, (value: unknown, rules: Rules) => Steps<unknown>>;

/** The generations that read an entry and understand its actions. */
async function takers(draft: Partial<EntryDraft>, type: keyof typeof DECODERS): Promise<HomeGeneration[]> {
  const found: HomeGeneration[] = [];
  for (const generation of GENERATIONS) {
    const rules = RULES[generation];
    const repository = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
    const id = putEntry(repository, { writer: alice, actions: [{ type: "edit", title: "x" }], ...draft });
    const decode: (value: unknown, rules: Rules) => Steps<unknown> = DECODERS[type];
    const reader = new EntryReader((value) => decode(value, rules), rules);
    const [entry] = await reader.read(repository, [id], new Task());
    if (typeof entry === "object" && entry.actions !== undefined) found.push(generation);
  }
  return found;
}

function expectTakers(
  what: string,
  draft: Partial<EntryDraft>,
  expected: Takers,
  type: keyof typeof DECODERS = "issue",
) {
  it(`${what}: ${typeof expected === "string" ? expected : expected.join(", ")}`, async () => {
    const wanted = expected === "all" ? GENERATIONS : expected === "none" ? [] : expected;
    assert.deepEqual(await takers(draft, type), [...wanted]);
  });
}

const commentOn = (range: string) =>
  `{"body":"x","location":{"commit":"${ID}","new":${range},"old":null,"path":"a"},"revision":"${ID}","type":"revision.comment"}`;
const lines = (range: string) => commentOn(`{"range":${range},"type":"lines"}`);
const deep = (levels: number) =>
  `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},"title":"x","type":"edit"}`;

describe("the action of an issue", () => {
  const cases: [action: string | Uint8Array, takers: Takers][] = [
    ['{"title":"x","type":"edit"}', "all"],
    ['{"type":"edit","title":"x","more":{"a":1,"a":1.5}}', "all"],
    [' {"title":"x","type":"edit"}\r\n\t', "all"],
    ['{"title":"x","title":"x","type":"edit"}', "none"],
    ['{"title":"x","type":"edit","type":"edit"}', "none"],
    ['{"type":"edit"}', "none"],
    ['{"title":null,"type":"edit"}', "none"],
    ['["edit","x"]', "all"],
    ['["edit"]', "none"],
    ['["edit","x","y"]', "none"],
    ['[{"type":"edit"},"x"]', "none"],
    ['["comment","text",null,[]]', "all"],
    ['["comment","text"]', "all"],
    [`["comment","text","${ID}",[["name","content"]]]`, "all"],
    ['["comment","text",null,[["name"]]]', "none"],
    ['{"body":"x","embeds":[["name","content"]],"type":"comment"}', "all"],
    ['{"body":"x","embeds":[{"name":"n","name":"n","content":"c"}],"type":"comment"}', "none"],
    ['{"body":"x","embeds":[{"name":"n","content":"c","more":1}],"type":"comment"}', "all"],
    [`{"id":"${ID}","type":"comment.redact"}`, "all"],
    [`{"id":"${ID.toUpperCase()}","type":"comment.redact"}`, "all"],
    ['{"id":"0123456","type":"comment.redact"}', SHORT_IDS],
    [`{"id":"${"+1".repeat(20)}","type":"comment.redact"}`, ["newest"]],
    [`{"id":"${ID}0","type":"comment.redact"}`, "none"],
    ['{"id":"","type":"comment.redact"}', "none"],
    ['{"state":{"status":"open"},"type":"lifecycle"}', "all"],
    ['{"state":{"status":"open","reason":1},"type":"lifecycle"}', "all"],
    ['{"state":["open"],"type":"lifecycle"}', "all"],
    ['{"state":["open",1],"type":"lifecycle"}', "none"],
    ['{"state":{"status":1},"type":"lifecycle"}', "all"],
    ['{"state":{"status":0,"reason":"other"},"type":"lifecycle"}', "all"],
    ['{"state":{"status":2},"type":"lifecycle"}', "none"],
    ['{"state":{"status":"closed","reason":{"solved":null}},"type":"lifecycle"}', "all"],
    ['{"state":["closed",{"solved":{}}],"type":"lifecycle"}', "all"],
    ['{"state":{"status":"closed","reason":{"solved":[]}},"type":"lifecycle"}', "none"],
    ['{"state":{"status":"closed","reason":{"solved":null,"other":null}},"type":"lifecycle"}', "none"],
    ['{"state":{"status":"closed","reason":1},"type":"lifecycle"}', "none"],
    ['{"type":1,"title":"x"}', "none"],
    [`{"assignees":["${DID}"],"type":"assign"}`, "all"],
    [`["assign",["${DID}"]]`, "all"],
    [`{"active":1,"id":"${ID}","reaction":"👍","type":"comment.react"}`, "none"],
    [`{"active":true,"id":"${ID}","reaction":"🫶","type":"comment.react"}`, ["newest"]],
    ['{"title":"\\ud800","type":"edit"}', "none"],
    ['{"more":"\\ud800","title":"x","type":"edit"}', "none"],
    ['{"\\udc00":1,"title":"x","type":"edit"}', "none"],
    ['{"more":1e999,"title":"x","type":"edit"}', "none"],
    ['{"more":1e99,"title":"x","type":"edit"}', "all"],
    ['{"more":01,"title":"x","type":"edit"}', "none"],
    ['{"title":"x\u0001","type":"edit"}', "none"],
    ['{"title":"\\u0000","type":"edit"}', "all"],
    ['\ufeff{"title":"x","type":"edit"}', "none"],
    ['{"title":"x","type":"edit"}x', "none"],
    ['{"title":"x","type":"edit"}\u00a0', "none"],
    [Uint8Array.of(...new TextEncoder().encode('{"type":"edit","title":"x"}'), 0xff), "none"],
    [deep(127), "all"],
    [deep(128), "none"],
    ['{"__proto__":{"title":"x"},"type":"edit"}', "none"],
  ];
  for (const [action, expected] of cases) {
    const shown = typeof action === "string" ? JSON.stringify(action).slice(0, 100) : "no UTF-8";
    expectTakers(shown, { folder: { 0: action } }, expected);
  }
});

describe("the action of a patch", () => {
  const edit = (target: string) => `{"target":${target},"title":"x","type":"edit"}`;
  const cases: [action: string, takers: Takers][] = [
    [edit('"delegates"'), "all"],
    [edit('{"delegates":null}'), "all"],
    [edit('{"delegates":{}}'), "all"],
    [edit('{"delegates":[]}'), "none"],
    [edit('{"delegates":1}'), "none"],
    [edit('{"delegates":null,"delegates":null}'), "none"],
    [edit('["delegates"]'), "none"],
    [edit('{"branch":"main"}'), ["newest"]],
    [edit('"branch"'), "none"],
    ['["edit","x","delegates"]', "all"],
    ['{"type":0,"title":"x","target":"delegates"}', ["newest"]],
    ['{"type":22,"title":"x","target":"delegates"}', "none"],
    ['{"state":{"status":"draft"},"type":"lifecycle"}', "all"],
    ['{"state":{"status":2},"type":"lifecycle"}', "all"],
    ['{"state":["archived"],"type":"lifecycle"}', "all"],
    [lines('{"end":4,"start":2}'), "all"],
    [lines("[2,4]"), "all"],
    [lines("[2,4,6]"), "none"],
    [lines("[2]"), "none"],
    [lines('{"end":4,"start":2.0}'), "none"],
    [lines('{"end":4e0,"start":2}'), "none"],
    [lines('{"end":4,"start":-0}'), "none"],
    [lines('{"end":4,"start":-1}'), "none"],
    [lines('{"end":4,"more":1,"start":2}'), "none"],
    [lines('{"end":4,"start":2,"start":2}'), "none"],
    [lines('{"end":9007199254740993,"start":2}'), "all"],
    [lines('{"end":18446744073709551615,"start":2}'), "all"],
    [lines('{"end":18446744073709551616,"start":2}'), "none"],
    [lines('{"end":1e+21,"start":2}'), "none"],
    [lines('{"end":"4","start":2}'), "none"],
    [commentOn('{"range":[2,4],"type":0}'), "all"],
    [commentOn('{"line":1,"range":[2,4],"type":1}'), "all"],
    [commentOn('{"range":[2,4],"type":2}'), "none"],
    [commentOn('["chars",1,[2,4]]'), "all"],
    [commentOn('["lines",[2,4],1]'), "none"],
    [`["revision.comment","${ID}",["${ID}","a",null,null],"x"]`, "all"],
    [`["revision.comment","${ID}",["${ID}","a"],"x"]`, "none"],
    [`["review.comment","${ID}","x",null,"${ID}"]`, "all"],
    [
      `{"body":"x","location":{"commit":"${ID}","path":"a"},"revision":"${ID}","type":"revision.comment"}`,
      "all",
    ],
    [`{"revision":"${ID}","type":"review","verdict":{"accept":null}}`, "all"],
    [`{"revision":"${ID}","type":"review","verdict":["accept"]}`, "none"],
    [`["review.edit","${ID}","text","accept",[]]`, LATER],
    [`["review.edit","${ID}","accept","text"]`, EARLY],
    [`["review.edit","${ID}","accept"]`, "all"],
    [`{"labels":1,"review":"${ID}","type":"review.edit","verdict":"accept"}`, EARLY],
    [`{"type":0,"review":"${ID}","verdict":"accept"}`, ["newest"]],
    [`["revision","x","${ID}","${ID}",[["${ID}","${ID}"]]]`, "all"],
    [`["revision","x","${ID}","${ID}",[["${ID}"]]]`, "none"],
  ];
  for (const [action, expected] of cases) {
    expectTakers(JSON.stringify(action).slice(0, 140), { folder: { 0: action } }, expected, "patch");
  }
});

describe("the action of an identity", () => {
  const signature =
    "z5nGqUvrmfiSyLjNCHWTWYvVMcPUZcvo9TxPKzEKXYBdSgUzbrqf1cYsmpGgbQvYunnsrLSsubEmxZaRdKM4quqQR";
  const cases: [action: string, takers: Takers][] = [
    [`["revision","t","d","${ID}",null,"${signature}"]`, "all"],
    [`["revision","t","d","${ID}"]`, "none"],
    [`{"blob":"${ID}","signature":"${signature}","title":"t","type":"revision"}`, "all"],
    [`{"blob":"${ID}","description":null,"signature":"${signature}","title":"t","type":"revision"}`, "none"],
    [`["RevisionEdit","${ID}","t"]`, "all"],
    [`["revision.accept","${ID}","${signature}"]`, "all"],
    [`{"revision":"${ID}","revision":"${ID}","type":"revision.reject"}`, "none"],
    ['{"revision":"0123","type":"revision.reject"}', SHORT_IDS],
  ];
  for (const [action, expected] of cases) {
    expectTakers(JSON.stringify(action).slice(0, 100), { folder: { 0: action } }, expected, "identity");
  }
});

describe("the manifest of an entry", () => {
  const cases: [manifest: string, takers: Takers][] = [
    ['{"typeName":"xyz.radicle.issue","version":1}', "all"],
    ['["xyz.radicle.issue",1]', "all"],
    ['["xyz.radicle.issue"]', "all"],
    ['["xyz.radicle.issue",1,1]', "none"],
    ["[]", "none"],
    ['{"typeName":"x","typename":"x"}', "none"],
    ['{"typeName":"x","typeName":"x"}', "none"],
    ['{"typename":"x"}', "all"],
    ['{"typeName":"x","version":1.0}', "none"],
    ['{"typeName":"x","version":null}', "none"],
    ['{"typeName":"x","version":18446744073709551615}', "all"],
    ['{"typeName":"x","version":18446744073709551616}', "none"],
    ['{"typeName":"\\ud800"}', "none"],
    ['{"typeName":"x","more":"\\ud800"}', "all"],
    ['{"typeName":"x","\\ud800":1}', "none"],
    ['{"typeName":"x","more":1e999,"more":1}', "all"],
    [`{"typeName":"x","more":${"[".repeat(500)}${"]".repeat(500)}}`, "all"],
  ];
  for (const [manifest, expected] of cases) {
    expectTakers(JSON.stringify(manifest).slice(0, 100), { folder: { manifest } }, expected);
  }
});

describe("the people of an entry", () => {
  const cases: [person: string, takers: Takers][] = [
    ["a b <a@b> 1671125284 +0000", "all"],
    ["a <a@b> 1671125284", "none"],
    ["a <a@b>", "none"],
    ["a <a@b> 1671125284 z", "none"],
    ["a <a@b> 1671125284 +99999999999", "none"],
    ["a <a@b> 1671125284 0", "all"],
    ["a <a@b> x +0000", "none"],
    ["a <a@b> 1.5 +0000", "none"],
    ["a <a@b> 9223372036854775807 +0000", "all"],
    ["a <a@b> 9223372036854775808 +0000", "none"],
    ["a <a@b> -1 -0130", "all"],
    ["a <a@b> 1 +0000 ", "none"],
    ["a <a@b>  1 +0000", "all"],
    ["alice 1671125284 +0000", EARLY],
    ["a<a@b> 1671125284 +0000", EARLY],
    ["<a@b> 1671125284 +0000", EARLY],
    [" <a@b> 1671125284 +0000", "all"],
    [" 1671125284 +0000", EARLY],
    ["1671125284 +0000", "none"],
    ["", "none"],
  ];
  for (const [person, expected] of cases) {
    expectTakers(`author "${person}"`, { author: person }, expected);
    expectTakers(`committer "${person}"`, { committer: person }, expected);
  }
});

describe("the trailers of an entry", () => {
  const cases: [trailers: string, takers: Takers][] = [
    [`Rad-Resource: ${RESOURCE}\n`, "all"],
    ["Rad-Resource: abc\n", SHORT_IDS],
    ["Reviewed-by: abc\n", SHORT_IDS],
    [`Reviewed-by: ${RESOURCE}\n`, "all"],
    [`Rad-Resource: ${RESOURCE} \n`, "none"],
    [`Rad-Resource: ${RESOURCE}\r\n`, "none"],
    [`Rad-Resource: ${RESOURCE}\n x\n`, "none"],
    [`Rad-Resource: ${RESOURCE.slice(0, 20)}\n ${RESOURCE.slice(20)}\n`, "none"],
    [`Rad-Resource: ${RESOURCE}\n\tx\n`, "all"],
    [`Rad-Resource: ${RESOURCE}\nRad-Resource: ${RESOURCE}\n`, "none"],
    ["Rad-Resource:\n", "none"],
    ["Rad-Resource:", "all"],
    [`Rad-Resource: ${RESOURCE}\n---x\nabc: no id\n`, "all"],
    ["---x\nSigned-off-by: alice\n", EARLY],
    ["words\0Rad-Resource: abc\n", "none"],
  ];
  for (const [trailers, expected] of cases) {
    expectTakers(JSON.stringify(trailers), { message: `Change\n\n${trailers}` }, expected);
  }
});

describe("the header of an entry", () => {
  const signed = (change: (lines: string) => string) => {
    const draft: Partial<EntryDraft> = {
      writer: { ...alice, sign: () => new Uint8Array(64) },
      signatureLines: change(signatureLines(alice.publicKey, new Uint8Array(64))),
    };
    return draft;
  };
  const other = signatureLines(createWriter(2).publicKey, new Uint8Array(64));
  const cases: [what: string, change: (lines: string) => string, takers: Takers][] = [
    ["armor with CRLF", (lines) => lines.replaceAll("\n", "\r\n"), "all"],
    ["armor with a line that has no space", (lines) => lines.replace("\n", "\nx\n"), "all"],
    ["armor of 64 columns", (lines) => wrapAgain(lines, 64), "none"],
    ["armor of 76 columns", (lines) => wrapAgain(lines, 76), "none"],
    ["armor on one line", (lines) => wrapAgain(lines, 1000), "none"],
    ["a blank line in the armor", (lines) => lines.replace("\n ", "\n \n "), "none"],
    ["white space before the armor", (lines) => lines.replace("gpgsig ", "gpgsig \u0085\u2003"), "all"],
    ["a byte order mark before the armor", (lines) => lines.replace("gpgsig ", "gpgsig \ufeff"), "none"],
    ["two keys", (lines) => lines + other, "none"],
    ["a header that goes on before any", (lines) => ` x\n${lines}`, "none"],
    ["a second committer without zone", (lines) => `committer a <a@b> 1\n${lines}`, "none"],
    ["a second committer", (lines) => `committer a <a@b> 1 +0000\n${lines}`, "all"],
    ["a parent after the people", (lines) => `parent ${ID}\n${lines}`, "all"],
    ["a parent of few digits", (lines) => `parent abc\n${lines}`, "all"],
    ["a parent that is none", (lines) => `parent xyz\n${lines}`, "none"],
    ["no signature", () => "", "none"],
  ];
  for (const [what, change, expected] of cases) expectTakers(what, signed(change), expected);
});

describe("the time of an entry", () => {
  const timeOf = async (seconds: string) => {
    const repository = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
    const committer = `a <a@b> ${seconds} +0000`;
    const id = putEntry(repository, { writer: alice, actions: [{ type: "edit", title: "x" }], committer });
    const reader = new EntryReader((value) => decodeIssueAction(value, RULES.newest), RULES.newest);
    const [entry] = await reader.read(repository, [id], new Task());
    assert.ok(typeof entry === "object");
    return { timeSeconds: entry.timeSeconds, exactSeconds: entry.exactSeconds };
  };

  it("is the committer's, with any sign", async () => {
    assert.deepEqual(await timeOf("+7"), { timeSeconds: 7, exactSeconds: undefined });
  });

  it("counts as unsigned number of 64 bits before the epoch", async () => {
    assert.deepEqual(await timeOf("-1"), { timeSeconds: 2 ** 64, exactSeconds: 2n ** 64n - 1n });
  });

  it("is kept exactly where a double does not hold it", async () => {
    assert.deepEqual(await timeOf("9007199254740993"), {
      timeSeconds: 2 ** 53,
      exactSeconds: 9007199254740993n,
    });
  });
});

function wrapAgain(lines: string, columns: number): string {
  const [begin, ...body] = lines.trimEnd().split("\n ");
  const end = body.pop();
  const wrapped = body.join("").match(new RegExp(`.{1,${columns}}`, "g")) ?? [];
  return `${[begin, ...wrapped, end].join("\n ")}\n`;
}
