/** The examples of docs/api.md are real answers for the demo home: the same members, in the same order, of the same types. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeDemoHome } from "../adapters/cli/demo/home.ts";
import { createHomeApi, type HomeApi } from "../adapters/node/mod.ts";
import { checkAnswer } from "./support/contract.ts";

/** Stands for what an example leaves out: the other items of a list, the other members of an object. */
const ELLIPSIS = "…";

const document = readFileSync(new URL("../docs/api.md", import.meta.url), "utf8");
/** Fenced JSON whose first line names a request. */
const examples = [...document.matchAll(/^ *```json (GET|POST) (\S+)\n([\s\S]*?)^ *```/gm)].map(
  ([, method, path, json]) => ({ method: method!, path: path!, example: JSON.parse(json!) as unknown }),
);

const client = { transport: "tcp", address: "127.0.0.1" } as const;

let home: string;
let made: HomeApi;
const names = new Map<string, string>();
before(async () => {
  home = mkdtempSync(join(tmpdir(), "xylem-examples-"));
  await makeDemoHome(home);
  made = await createHomeApi({ home, api: "v1" });
  const [rid] = made.profile.pinned();
  assert.ok(rid !== undefined);
  const head = (await made.storage.repository(rid)?.ref("refs/heads/main"))?.oid;
  assert.ok(head !== undefined);
  names.set("project", rid).set("node", made.profile.nodeId).set("head", head);
  names.set("moved", "fafec6ca73acb30acb576500b21bf5fd032b989e");
});
after(async () => {
  await made.node.close();
  made.storage.close();
  rmSync(home, { recursive: true });
});

describe("the examples of docs/api.md", () => {
  it("are there", () => assert.ok(examples.length >= 20, `only ${examples.length}`));

  for (const { method, path, example } of examples) {
    it(`show the answer to ${method} ${path}`, async () => {
      const url = path.replace(
        /:([a-z]+)/g,
        (_, name) => names.get(name) ?? assert.fail(`What is :${name}?`),
      );
      const request = new Request(`http://localhost${url}`, { method });
      const response = await made.api.fetch(request, client);
      const text = await response.text();
      checkAnswer(request, response, text, { api: "v1" });
      assert.deepEqual(differences(example, JSON.parse(text)), []);
    });
  }
});

/** Places where an answer has not the members or types of an example. */
function differences(example: unknown, answer: unknown, place = "answer"): string[] {
  if (typeOf(example) !== typeOf(answer)) return [`${place}: ${typeOf(answer)}`];
  if (Array.isArray(example) && Array.isArray(answer)) {
    const items = example.filter((item) => item !== ELLIPSIS);
    const isWhole = items.length === example.length;
    if (isWhole ? answer.length !== items.length : answer.length < items.length) {
      return [`${place}: ${answer.length} items`];
    }
    return items.flatMap((item, i) => differences(item, answer[i], `${place}[${i}]`));
  }
  if (!isObject(example) || !isObject(answer)) return [];
  // Members that are named by ids are others in each home.
  const isTable = Object.keys(example).every((name) => /^[0-9a-f]{40}$/.test(name)) && !(ELLIPSIS in example);
  const shown = Object.keys(example).filter((name) => name !== ELLIPSIS);
  const given = Object.keys(answer);
  const isRight = ELLIPSIS in example
    ? shown.every((name) => given.includes(name))
    : isTable
    ? shown.length === given.length
    : String(shown) === String(given);
  if (!isRight) return [`${place}: ${given.join()}`];
  return shown.flatMap((name) =>
    name in answer ? differences(example[name], answer[name], `${place}.${name}`) : []
  );
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeOf(value) === "object";
}
