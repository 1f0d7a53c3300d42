/**
 * What the programs of February 2024 make of objects. There are none to run, but between their sources (heartwood db6cb55d) and those of 0.10 evaluation
 * differs in three things alone: they do not check what a first entry does besides opening the object, they never let anybody but delegates set labels
 * (and assignees of issues), not even to what they are, and they take a project with members that they do not know for none. So 0.10 is asked about
 * objects in which nothing else happens, without the entries that they would have refused.
 */
import { join } from "node:path";
import { fileSystem } from "../../../adapters/node/file_system.ts";
import { toIssueRow, toPatchRow } from "../../../src/cob/rad_cache/cache_rows.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { createCobs } from "../../../src/cob/evaluation/store.ts";
import { CommitGraph } from "../../../src/git/commit_graph.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { type Desk, fillHome } from "./desk.ts";
import { DOCUMENTS } from "./documents.ts";
import type { Features } from "./features.ts";
import { comparable, firstDifference, type States, statesByRad } from "./outcomes.ts";
import { type EntryPlan, KEYS, type ObjectPlan, openEnds, planTips } from "./plans.ts";
import { Task } from "../../../src/scheduling/task.ts";

/** Members of a project that the programs of 2024 know all of; what is odd about texts would hide what entries do. */
const LATER_DOCUMENTS: ReadonlySet<string> = new Set(["more in project"]);

/** Keys that write, and so have references in any case. */
const WRITERS = 4;

/** Features of objects that can be asked about. */
export const EARLY_FEATURES: Features = {
  oddities: ["signature.wrong", "committer.time.zero", "parent.twice"],
  json: ["more members", "type last", "blanks"],
  documents: Object.keys(DOCUMENTS).filter((name) => !LATER_DOCUMENTS.has(name)),
  hasTypos: false,
  hasStrangeCommits: true,
  hasMissingRoots: true,
};

/** Has objects evaluated by 0.10 as in 2024, and by us; the outcome is a line for each that differs, and how many were compared. */
export async function compareEarly(
  desk: Desk,
  plans: readonly ObjectPlan[],
): Promise<{ lines: string[]; compared: number; refused: number }> {
  const sides = plans.flatMap((plan) => {
    const refused = findRefused(plan);
    return refused === undefined ? [] : [{ plan, refused }];
  });
  const pruned = fillHome(desk, sides.map(({ plan, refused }) => ({ ...plan, unreferenced: refused })));
  const theirs = statesByRad(pruned.rad, desk.rid);
  const whole = fillHome(desk, sides.map(({ plan }) => plan));
  const ours = await readEarly(
    desk,
    whole.rad.home,
    whole.objects.map(({ plan, id }) => ({ kind: plan.kind, id })),
  );
  const lines = whole.objects.flatMap(({ plan, id, entries }) => {
    // An entry that is refused has its place in the timeline of a patch all the same.
    const refused = new Set(findRefused(plan)!.map((i) => entries[i]!));
    const difference = firstDifference(withoutRefused(ours.get(id), refused), theirs.get(id));
    return difference === undefined ? [] : [`${plan.kind} ${plan.nonce}: ${difference}`];
  });
  const refused = sides.filter(({ refused }) => refused.length > 0).length;
  return { lines, compared: sides.length, refused };
}

/** The entries that would be refused by February 2024 for what it did not allow; `undefined` when that cannot be told from the plan alone. */
function findRefused({ kind, entries }: ObjectPlan): readonly number[] | undefined {
  const [first] = entries;
  // Which entries are out of reach must not depend on what is left out: for want of keys, or of a way to the first entry.
  if (openEnds(entries).length > KEYS.length - WRITERS) return undefined;
  if (entries.some(({ parents }, i) => i > 0 && !parents.some((parent) => typeof parent === "number"))) {
    return undefined;
  }
  if (first === undefined || !isDelegate(first) && first.actions.length > 2) return undefined;
  const refused: number[] = [];
  for (const [i, entry] of entries.entries()) {
    if (i === 0 || isDelegate(entry)) continue;
    const places = entry.actions.flatMap((text, at) => isGuarded(kind, text) ? [at] : []);
    if (places.length === 0) continue;
    // What came before in the same entry stays.
    if (places[0] !== 0) return undefined;
    refused.push(i);
  }
  const ends = planTips({ kind, nonce: 0, entries, unreferenced: refused });
  return ends.size < KEYS.length ? refused : undefined;
}

function isGuarded(kind: ObjectPlan["kind"], text: string): boolean {
  const { type } = JSON.parse(text) as { type: string };
  return type === "label" || type === "assign" && kind === "issue";
}

/** Whether the document of an entry, if it is any, has the writer as a delegate. */
function isDelegate({ writer, document }: EntryPlan): boolean {
  return (DOCUMENTS[document ?? ""] ?? "").replace(/"payload".*(?="delegates"|"threshold")/, "").includes(
    `"@k${writer}"`,
  );
}

async function readEarly(
  desk: Desk,
  home: string,
  objects: readonly { readonly kind: ObjectPlan["kind"]; readonly id: Oid }[],
): Promise<States> {
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  const { issues, patches } = createCobs(RULES["2024"], () => {});
  const graph = new CommitGraph();
  const states = new Map<Oid, unknown>();
  try {
    const repository = storage.repository(desk.rid)!;
    for (const { kind, id } of objects) {
      const issue = kind === "issue"
        ? await issues.get({ objects: repository, graph, task: new Task() }, id)
        : undefined;
      const patch = kind === "patch"
        ? await patches.get({ objects: repository, graph, task: new Task() }, id)
        : undefined;
      const row = issue ? toIssueRow(issue.state) : patch && toPatchRow(patch.state, "0.10");
      if (row !== undefined) states.set(id, comparable(JSON.stringify(row)));
    }
    return states;
  } finally {
    storage.close();
  }
}

function withoutRefused(state: unknown, refused: ReadonlySet<string>): unknown {
  const row = state as { timeline?: string[] } | undefined;
  return row?.timeline === undefined
    ? state
    : { ...row, timeline: row.timeline.filter((id) => !refused.has(id)) };
}
