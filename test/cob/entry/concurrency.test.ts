/** Which entries have concurrent ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Concurrency } from "../../../src/cob/entry/concurrency.ts";
import type { Entry } from "../../../src/cob/entry/entry.ts";
import { type Graph, loadGraph, orderEntries, visitEntries } from "../../../src/cob/entry/graph.ts";
import { Refusal } from "../../../src/cob/op.ts";
import { RULES } from "../../../src/cob/rules.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { createRandom } from "../random.ts";

type Node = Entry<string>;
const ROOT = "R" as Oid;

/** Entries from `id parent…`, the tips of which are the last ones. */
async function graphOf(lines: readonly string[]): Promise<Graph<string>> {
  const nodes = new Map(lines.map((line, i) => {
    const [id, ...parents] = line.split(" ") as [Oid, ...Oid[]];
    const node = {
      id,
      parents,
      timeSeconds: i,
      author: "z6Mk",
      signature: { verify: () => Promise.resolve(true) },
      actions: [],
    };
    return [id, { ...node, resource: undefined } as unknown as Node];
  }));
  const read = (oids: readonly Oid[]) =>
    Promise.resolve(oids.map((oid) => nodes.get(oid) ?? "missing" as const));
  return await loadGraph(read, [...nodes.keys()], new Task());
}

/** The same told from all paths. */
function hasConcurrent(graph: Graph<string>, id: Oid, dropped: ReadonlySet<Oid>): boolean {
  const reach = (step: (id: Oid) => readonly Oid[]) => {
    const reached = new Set<Oid>([id]);
    for (const at of reached) for (const next of step(at)) reached.add(next);
    return reached;
  };
  const before = reach((at) => graph.entries.get(at)?.parents ?? []);
  const after = reach((at) => (graph.dependents.get(at) ?? []).map((entry) => entry.id));
  return [...graph.entries.keys()].some((other) =>
    !before.has(other) && !after.has(other) && !dropped.has(other)
  );
}

/** What is told of each entry that has its turn, some of them refused. */
async function tell(graph: Graph<string>, isRefused: (id: Oid) => boolean, isAsked: (id: Oid) => boolean) {
  const order = orderEntries(graph, ROOT, RULES.newest);
  let concurrency: Concurrency<string> | undefined;
  const told: [Oid, boolean, boolean][] = [];
  await visitEntries(graph, order, new Task(), ({ id }, dropped) => {
    if (isAsked(id)) {
      concurrency ??= new Concurrency(graph, ROOT, order, dropped);
      told.push([id, concurrency.has(id), hasConcurrent(graph, id, dropped)]);
    }
    if (isRefused(id)) throw new Refusal("invalid", "no");
  });
  return told;
}

describe("concurrency", () => {
  it("exists between entries on different branches", async () => {
    const graph = await graphOf(["R", "A R", "B R", "C A B", "D C"]);
    assert.deepEqual(
      new Map((await tell(graph, () => false, () => true)).map(([id, has]) => [id, has])),
      new Map([["A", true], ["B", true], ["C", false], ["D", false]] as [Oid, boolean][]),
    );
  });

  it("is found in random graphs as from all paths, with refused entries and several roots", async () => {
    const random = createRandom(3);
    let asked = 0;
    for (let round = 0; round < 400; round++) {
      const lines = ["R"];
      const ids = ["R"];
      const isWide = random.below(3) === 0;
      for (let i = 0; i < 3 + random.below(12); i++) {
        const parents = new Set<string>();
        const span = isWide ? ids.length : Math.min(ids.length, 2);
        do parents.add(ids[ids.length - 1 - random.below(span)]!); while (random.below(3) === 0);
        if (random.below(15) === 0) parents.clear();
        if (random.below(15) === 0) parents.add("missing");
        ids.push(`${i}`);
        lines.push([`${i}`, ...parents].join(" "));
      }
      const graph = await graphOf(lines);
      const refused = new Set(ids.filter(() => random.below(6) === 0));
      const skipped = new Set(ids.filter(() => random.below(3) === 0));
      for (
        const [id, has, expected] of await tell(graph, (id) => refused.has(id), (id) => !skipped.has(id))
      ) {
        assert.equal(has, expected, `${id} of ${lines.join("; ")}, refused: ${[...refused]}`);
        asked++;
      }
    }
    assert.ok(asked > 1000, `${asked}`);
  });

  it("is found among very many entries in a moment", async () => {
    const lines = ["R"];
    for (let i = 0; i < 30_000; i++) lines.push(`${i} ${i === 0 ? "R" : i - 1}`);
    const graph = await graphOf(lines);
    const order = orderEntries(graph, ROOT, RULES.newest);
    const concurrency = new Concurrency(graph, ROOT, order, new Set());
    assert.ok(order.every(({ id }) => !concurrency.has(id)));
  });
});
