/**
 * Rules for branches in identity documents: whom the newest `rad` lets merge into a branch, and under which rule where several match, so do we.
 * `XYLEM_SEED=7` makes other documents.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { createRandom } from "../cob/random.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { GitRepository } from "../support/git.ts";
import { openRadHome, removeFolder, temporaryFolder } from "../support/programs.ts";
import { buildObject, fillDocument, keys, putDocument, putFiles } from "./fuzz/build.ts";
import { createDesk } from "./fuzz/desk.ts";
import { firstDifference, statesByRad, statesByUs } from "./fuzz/outcomes.ts";
import { ObjectPack, putText } from "./fuzz/pack.ts";

const SEED = Number(process.env["XYLEM_SEED"] ?? 1);
/** Documents with several rules. */
const MIXED = ALL_WANTED ? 300 : 100;
/** Each pattern meets every so many-th name, the next one others. */
const NAME_STEP = ALL_WANTED ? 1 : 2;
const MISSING = "f".repeat(40) as Oid;

const folder = temporaryFolder("branch-rules");
after(() => removeFolder(folder));

const PATTERNS = [
  ...["*", "a", "a*", "*a", "a*b", "aa*", "*ab", "a*ab", "a-*", "é*", "*é", "{a,b}*", "!*", "a*!", "*{a@"],
  ...[
    "a/*",
    "*/a",
    "*/b",
    "a*/b",
    "*a/b",
    "a/*b",
    "a/*/b",
    "a/b*",
    "a/b/*",
    "*/b/c",
    "*/a/b",
    "a/*b/c",
    "a*b/c",
  ],
].map((pattern) => `refs/heads/${pattern}`);
const WIDE = [
  "refs/*",
  "refs/*/a",
  "refs/*s/a",
  "refs/h*/a",
  "refs/h*",
  "refs/*/a/b",
  "refs/tags/*",
  "refs/heads*/a",
  "refs/*ds/a/b",
];
const NAMES = [
  ...["a", "b", "aa", "ab", "aab", "abb", "a-b", "é", "éa", "aé", "{a,b}", "!a", "ab!", "x"],
  ...[
    "a/b",
    "ab/b",
    "a/a",
    "a/ab",
    "b/a",
    "a/b/c",
    "a/x/b",
    "a/x/y/b",
    "ab/c",
    "axb/c",
    "x/a/b",
    "a/bb/c",
    "a/b/b/c",
  ],
];

interface Case {
  readonly rules: Readonly<Record<string, { readonly allow: readonly string[]; readonly threshold: number }>>;
  readonly name: string;
}

it("the rules of a document allow the same nodes to merge as the newest rad", async () => {
  const random = createRandom(SEED);
  const cases: Case[] = [...PATTERNS, ...WIDE].flatMap((pattern, i) =>
    NAMES.filter((_, j) => (i + j) % NAME_STEP === 0).map((name) => ({
      rules: { [pattern]: { allow: ["@k1"], threshold: 1 } },
      name,
    }))
  );
  for (let i = 0; i < MIXED; i++) {
    const patterns = random.shuffle([...PATTERNS, ...WIDE]).slice(0, 3 + random.below(4));
    const rules = patterns.map((pattern, k) => [pattern, { allow: [`@k${1 + k % 4}`], threshold: 1 }]);
    cases.push({ rules: Object.fromEntries(rules), name: random.pick(NAMES) });
  }
  const desk = createDesk("newest", join(folder, "newest"));
  const sink = new ObjectPack();
  const project = { name: "x", description: "", defaultBranch: "main" };
  const documents = new Map(cases.map(({ rules }, i) => {
    const payload = { "xyz.radicle.project": project, "xyz.radicle.crefs": { rules } };
    const text = JSON.stringify({ delegates: ["@k0"], payload, threshold: 1 });
    return [String(i), putDocument(sink, fillDocument(text, { keys }))];
  }));
  const around = {
    keys,
    commits: desk.commits as readonly string[] as readonly Oid[],
    documents,
    blob: putText(sink, "A file\n"),
    tree: putFiles(sink, new Map(), { tree: MISSING }),
    identities: [],
  };
  const merge = ['{"type":"merge","revision":"@e0","commit":"@c0"}'];
  const objects = cases.map(({ name }, nonce) => {
    const base = { seconds: 1_700_000_000, document: String(nonce) };
    const opening = [
      '{"type":"revision","description":"","base":"@c0","oid":"@c0"}',
      JSON.stringify({ type: "edit", title: "t", target: { branch: name } }),
    ];
    return buildObject(sink, around, {
      kind: "patch",
      nonce,
      entries: [
        { ...base, writer: 0, parents: [], actions: opening },
        // Of entries that are refused what stands on top falls: the rows tell who was allowed.
        ...[1, 2, 3, 4].flatMap((writer, i) => [
          { ...base, writer, parents: [0], actions: merge },
          {
            ...base,
            writer,
            parents: [1 + 2 * i],
            actions: [`{"type":"revision.comment","revision":"@e0","body":"${writer}"}`],
          },
        ]),
      ],
    });
  });
  sink.write(new GitRepository(join(desk.home, "storage", desk.rid.slice("rad:".length))));
  const theirs = statesByRad(openRadHome("newest", desk.home, "alice"), desk.rid);
  const ours = await statesByUs("newest", desk.home, desk.rid, objects);
  let allowed = 0;
  const differences = objects.flatMap(({ id }, i) => {
    if (/"body":"[1-4]"/.test(JSON.stringify(theirs.get(id)))) allowed++;
    const text = firstDifference(ours.get(id), theirs.get(id));
    return text === undefined ? [] : [`${JSON.stringify(cases[i])}: ${text}`];
  });
  assert.deepEqual(differences, []);
  assert.ok(allowed > cases.length / 10 && allowed < cases.length, `${allowed} of ${cases.length}`);
});
