/**
 * A stranger puts an odd entry into an object, each of its own kind; then `rad` and the web write to the object in turn. Nothing that either wrote is
 * lost, and both make the same of all of it.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { GENERATIONS } from "../support/programs.ts";
import type { BuiltObject } from "./fuzz/build.ts";
import { createDesk, type Desk, type FilledHome, fillHome } from "./fuzz/desk.ts";
import { firstDifference, statesByRad, statesByUs, tipsByUs } from "./fuzz/outcomes.ts";
import type { ObjectPlan } from "./fuzz/plans.ts";
import { type Case, systematicCases } from "./fuzz/systematic.ts";
import { createServedHomes } from "./served_homes.ts";
import { type Client, newComment, RefusedError } from "./written_project.ts";

/** What strangers do, by the names of `systematic.ts`. */
const ROWS: ReadonlySet<string> = new Set([
  ...["member twice", "type twice", "array", "array short", "nested array", "nested twice"].map((name) =>
    `json ${name}`
  ),
  ...[
    "number float",
    "number exponent",
    "number large",
    "nested more",
    "id short",
    "enum object",
    "type number",
  ]
    .map((name) => `json ${name}`),
  ...["more deep", "more surrogate", "more huge"].map((name) => `json ${name}`),
  ...["manifest.both", "manifest.array", "manifest.twice", "manifest.version.float"],
  ...["armour.crlf", "armour.64", "armour.76", "armour.line", "armour.blank"],
  ...["signature.namespace.empty", "signature.hash.md5", "signature.wrong", "signature.version.zero"],
  ...[
    "trailer.folded",
    "trailer.foreign.short",
    "trailer.resource.short",
    "trailer.foreign.text",
    "title.nul",
  ],
  ...["committer.zone.none", "committer.zone.text", "committer.time.text", "committer.time.negative"],
  ...["author.mail.none", "author.name.joined", "author.mail.alone", "parent.late", "tree.upper"],
]);
/** The stranger's key: no delegate's. */
const STRANGER = 1;
const OWNER = 0;
/** Items of long arrays in {@link longActions}. */
const [MANY, MORE] = [20_000, 50_000];
/**
 * Where the web shows objects by other rules than those of the home, every so many-th of them is written to, unless everything
 * is asked for: its rules and those of the home each write to all.
 */
const MIXED_STEP = ALL_WANTED ? 1 : 3;
/** How often `rad` and the web write to each object. */
const ROUNDS = 2;

const { folder, serve } = createServedHomes("strangers");

/** Actions with many values, of issues and patches, and who does them. */
function longActions(): { name: string; kind: "issue" | "patch"; writer: number; text: string }[] {
  const many = (count: number, item: (i: number) => unknown) =>
    Array.from({ length: count }, (_, i) => item(i));
  const embeds = many(MORE, (i) => ({ name: `${i}`, content: "git:@blob" }));
  const comment = { type: "comment", body: "text", replyTo: "@e0" };
  const revision = { type: "revision", description: "text", base: "@c0", oid: "@c1" };
  const row = (name: string, kind: "issue" | "patch", writer: number, action: unknown) => ({
    name,
    kind,
    writer,
    text: JSON.stringify(action),
  });
  return [
    row("many embeds", "issue", STRANGER, { ...comment, embeds }),
    row("many embeds as arrays", "issue", STRANGER, ["comment", "text", "@e0", many(MORE, () => ["a", "b"])]),
    row("many unknown values", "issue", STRANGER, {
      ...comment,
      more: many(MORE, (i) => i % 2 === 0 ? [] : {}),
    }),
    row("many labels", "issue", OWNER, { type: "label", labels: many(MANY, (i) => `${i * 7 % MANY}é`) }),
    row("many labels of a stranger", "issue", STRANGER, { type: "label", labels: many(MANY, String) }),
    row("many comments settled", "patch", STRANGER, {
      ...revision,
      resolves: many(MANY, (i) => ["@e0", (i * 7 % MANY).toString(16).padStart(40, "0")]),
    }),
    row("many labels of a patch", "patch", OWNER, { type: "label", labels: many(MANY, String) }),
  ];
}

/** Objects as their owner began them, and what a stranger put on top. */
function strangersPlans(): { name: string; plan: ObjectPlan }[] {
  const first = new Map<string, Case>();
  for (const one of systematicCases()) {
    // The first entry is the owner's, and sound.
    const isLater = one.plan.entries[0]!.oddities === undefined;
    if (ROWS.has(one.oddity) && isLater && !first.has(one.oddity)) first.set(one.oddity, one);
  }
  const rows = [...first.values()].map(({ oddity, detail, plan }) => ({
    name: `${oddity}: ${detail}`,
    plan,
  }));
  const [merge] = systematicCases().filter(({ detail }) => detail.startsWith('patch {"type":"merge"'));
  for (const commit of ["@missing", "@blob", "@tree"]) {
    const { entries } = merge!.plan;
    const at = entries.length - 2;
    const actions = [JSON.stringify({ type: "merge", revision: "@e0", commit })];
    rows.push({
      name: `merge of ${commit}`,
      plan: { ...merge!.plan, entries: entries.with(at, { ...entries[at]!, actions }) },
    });
  }
  const strange: { name: string; plan: ObjectPlan; writer?: number }[] = rows;
  for (const { name, kind, writer, text } of longActions()) {
    const [plain] = [...first.values()].filter(({ plan }) => plan.kind === kind);
    const { entries } = plain!.plan;
    const at = entries.length - 2;
    const { oddities: _, ...entry } = entries[at]!;
    const plan = { ...plain!.plan, entries: entries.with(at, { ...entry, actions: [text] }) };
    strange.push({ name, writer, plan });
  }
  return strange.map(({ name, plan, writer = STRANGER }, nonce) => ({
    name,
    plan: {
      ...plan,
      nonce,
      entries: plan.entries.map((entry, i) => {
        const fromEnd = plan.entries.length - i;
        return fromEnd > 2 ? entry : { ...entry, writer: fromEnd === 2 ? writer : STRANGER };
      }),
    },
  }));
}

/** What is written to an object after the stranger. */
class Correspondence {
  readonly #home: FilledHome;
  readonly #desk: Desk;
  readonly #object: BuiltObject;
  /** Entries written over HTTP, and refusals. */
  readonly written: Oid[] = [];
  readonly refusals: RefusedError[] = [];

  constructor(home: FilledHome, desk: Desk, object: BuiltObject) {
    this.#home = home;
    this.#desk = desk;
    this.#object = object;
  }

  get id(): Oid {
    return this.#object.id;
  }

  writeByRad(): void {
    const { rad } = this.#home;
    const { plan: { kind }, id } = this.#object;
    rad.rad(
      dirname(rad.home),
      kind,
      "comment",
      id,
      "--message",
      "by rad",
      "--no-announce",
      "--repo",
      this.#desk.rid,
    );
  }

  /** Writes, or is refused for a reason; what the owner's reference led to before it leads to afterwards in any case. */
  async writeByWeb(client: Client): Promise<void> {
    const { plan: { kind }, id } = this.#object;
    const before = await this.reached();
    try {
      const [path, body] = kind === "issue"
        ? [`/issues/${id}`, newComment(id, "by the web")]
        : [`/patches/${id}`, { type: "revision.comment", revision: id, body: "by the web" }];
      this.written.push(await client.send("PATCH", path, body) as Oid);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.refusals.push(error);
    }
    const now = await this.reached();
    for (const entry of before) assert.ok(now.has(entry), `Entry ${entry} of ${id} is lost`);
  }

  /** What the newest entry of the owner's stands on, ascending; the identity and the like aside. */
  newestParents(): Oid[] {
    const { git } = this.#home;
    const text = git.text(["cat-file", "commit", git.text(["rev-parse", this.#reference()])]);
    const links = new Set([...text.matchAll(/^Rad-\w+: (\w+)$/gm)].map(([, oid]) => oid));
    return [...text.matchAll(/^parent (\w+)$/gm)].flatMap(([, oid]) => links.has(oid) ? [] : [oid as Oid])
      .sort();
  }

  #reference(): string {
    const { plan: { kind }, id } = this.#object;
    return `refs/namespaces/${this.#home.around.keys[0]!.nid}/refs/cobs/xyz.radicle.${kind}/${id}`;
  }

  /** All commits that the owner's reference leads to. */
  async reached(): Promise<ReadonlySet<string>> {
    const storage = createHomeStorage({ root: join(this.#home.rad.home, "storage"), fileSystem });
    try {
      const repository = storage.repository(this.#desk.rid)!;
      const reached = new Set<Oid>([(await repository.ref(this.#reference()))!.oid!]);
      for (const commit of reached) {
        const object = await repository.object(commit);
        const [header = ""] = new TextDecoder().decode(object?.bytes).split("\n\n");
        for (const [, parent] of header.matchAll(/^parent ([0-9a-f]{40})$/gm)) reached.add(parent as Oid);
      }
      return reached;
    } finally {
      storage.close();
    }
  }
}

for (const generation of GENERATIONS) {
  // Shown by other rules than those of the home, what counts for one of both may not count for the other: then the web refuses to write.
  for (const evaluation of new Set([generation, "newest"])) {
    const title = evaluation === generation ? "all is written" : "all is written or refused";
    describe(`after odd entries of strangers, rad ${generation} and the web (${evaluation}) write in turn`, () => {
      it(`${title}, and nothing is lost`, async (test) => {
        const desk = createDesk(generation, join(folder, `${generation}-${evaluation}`));
        const step = evaluation === generation ? 1 : MIXED_STEP;
        const rows = strangersPlans().filter((_, i) => i % step === 0);
        const home = fillHome(desk, rows.map(({ plan }) => plan));
        const { rad, objects } = home;
        statesByRad(rad, desk.rid);
        const { service, client } = await serve({ rad, rid: desk.rid, seed: desk.seed }, {
          args: ["--evaluation", evaluation],
        });
        const names = new Map(rows.map(({ name, plan }) => [plan, name]));
        const all = objects.map((object) => ({
          name: names.get(object.plan)!,
          object: new Correspondence(home, desk, object),
        }));
        for (let round = 0; round < ROUNDS; round++) {
          for (const { object } of all) object.writeByRad();
          for (const { object } of all) await object.writeByWeb(client);
        }
        // What `rad` writes on top of is what we would.
        const tips = await tipsByUs(generation, rad.home, desk.rid, objects);
        for (const { name, object } of all) {
          object.writeByRad();
          assert.deepEqual(object.newestParents(), tips.get(object.id), name);
        }

        const refused = all.filter(({ object }) => object.refusals.length > 0);
        for (const { name, object } of refused) {
          // By the rules of the newest programs there may be no such object any more.
          for (const { status } of object.refusals) assert.ok(status === 409 || status === 404, name);
        }
        if (evaluation === generation) assert.deepEqual(refused.map(({ name }) => name), []);
        const theirs = statesByRad(rad, desk.rid);
        const ours = await statesByUs(generation, rad.home, desk.rid, objects);
        for (const { name, object } of all) {
          const state = theirs.get(object.id);
          assert.equal(firstDifference(ours.get(object.id), state), undefined, name);
          const text = JSON.stringify(state);
          for (const entry of object.written) {
            assert.ok(text.includes(entry), `${name}: rad does not count ${entry}`);
          }
          assert.equal(text.split('"body":"by rad","edits"').length - 1, ROUNDS + 1, name);
          assert.equal(object.written.length + object.refusals.length, ROUNDS, name);
        }
        test.diagnostic?.(`${all.length} objects, ${refused.length} with refusals`);
        await service.stop();
      });
    });
  }
}
