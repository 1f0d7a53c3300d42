/** The examples of the contract are such as the service answers for the demo home. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import * as v from "valibot";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import { allEndpoints } from "../../build/contract/all.ts";
import { isFile } from "../../src/contract/endpoint.ts";
import { type Example, EXAMPLES } from "../../build/contract/examples.ts";
import { faultsOf } from "../support/contract.ts";
import { recordExamples } from "./demo_examples.ts";

/**
 * The document is an example of itself; archives and packs are no text; changes come as they happen; pushes never succeed.
 */
const WITHOUT_EXAMPLE = [
  "listen",
  "listenToProject",
  "listenToRepo",
  "showContract",
  "showArchive",
  "showArchiveOfRef",
  ...["Git", "Peer"].flatMap((kind) => [`send${kind}Pack`, `refuse${kind}Push`, `refuse${kind}PushPack`]),
];

const SERVICES = [
  { signIn: "key", api: "v1" },
  { signIn: "wallet", api: "v1" },
  { signIn: "key", api: "today" },
  { signIn: "key", api: "both" },
] as const;
const ALL = SERVICES.flatMap(({ signIn, api }) => allEndpoints(signIn, api));

let home: string;
let recorded: Readonly<Record<string, Example>>;
before(async () => {
  home = mkdtempSync(join(tmpdir(), "xylem-contract-"));
  await makeDemoHome(home);
  recorded = await recordExamples(home);
});
after(() => rmSync(home, { recursive: true }));

describe("the examples of the contract", () => {
  it("exist for each route", () => {
    const names = new Set(ALL.map(({ name }) => name));
    const expected = [...names].filter((name) => !WITHOUT_EXAMPLE.includes(name)).sort();
    assert.deepEqual(Object.keys(EXAMPLES).sort(), expected);
    assert.deepEqual(Object.keys(recorded).sort(), expected);
  });

  for (const service of SERVICES) {
    it(`fit the contract of a service with sign-in by ${service.signIn} and --api ${service.api}`, () => {
      const answering = { api: service.api, ...(service.signIn === "wallet" && { wallets: {} }) };
      for (const { name, method, path, body, answers } of allEndpoints(service.signIn, service.api)) {
        const example = EXAMPLES[name];
        const [[status, content] = []] = Object.entries(answers);
        if (example === undefined || content === undefined || isFile(content)) continue;
        const exchange = { method, path: path.replace(/[:*]\w+/g, "x"), status: Number(status), headers: [] };
        assert.deepEqual(faultsOf({ ...exchange, json: JSON.parse(example.answer) }, answering), [], name);
        if (body !== undefined) v.parse(body, JSON.parse(example.request ?? assert.fail(name)));
        else assert.equal(example.request, undefined, name);
      }
    });
  }

  it("have the form of what the service answers now", () => {
    for (const { name, answers } of ALL) {
      const [before, now] = [EXAMPLES[name], recorded[name]];
      if (before === undefined || now === undefined || Object.values(answers).some(isFile)) continue;
      assert.deepEqual(formOf(JSON.parse(now.answer)), formOf(JSON.parse(before.answer)), name);
    }
  });
});

/** Members whose names are those of branches and tags: keys are new in each home, and the order of nodes with them. */
const TABLES = ["heads", "refs"];

/** Names and types of members; of lists those of the first item, of tables by ids those of the values. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.entries(value).map(([name, member]) => [
    name.replace(/[0-9a-f]{40}/, ":oid"),
    TABLES.includes(name) ? "table" : formOf(member),
  ]);
}
