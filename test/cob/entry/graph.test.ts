/** Which entries an object has, their order, and what falls with one that is refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import type { Entry } from "../../../src/cob/entry/entry.ts";
import {
  loadGraph,
  MAX_ENTRIES,
  orderEntries,
  requireFollowed,
  rootOf,
  visitEntries,
} from "../../../src/cob/entry/graph.ts";
import { Refusal } from "../../../src/cob/op.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { Scheduler } from "../../../src/scheduling/scheduler.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { DamagedError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { createRandom } from "../random.ts";

type Node = Entry<string>;

/** `A2 6 A` is an entry A2 of second 6 on top of A; the ids are the names. */
function parse(lines: readonly string[]): Map<Oid, Node> {
  return new Map(lines.map((line) => {
    const [id, time, ...parents] = line.split(" ") as [Oid, string, ...Oid[]];
    const node: Node = {
      id,
      author: "z6Mk",
      timeSeconds: Number(time),
      parents,
      resource: undefined,
      signature: { verify: () => Promise.resolve(true) },
      actions: [id],
      bytes: 1,
    };
    return [id, node];
  }));
}

const WORLD = parse(["R 0", "A 5 R", "B 4 R", "A1 9 A", "A2 6 A", "B1 1 B", "B2 7 B", "M 10 A2 B1"]);

function load(nodes: ReadonlyMap<Oid, Node>, targets: readonly string[]) {
  const read = (oids: readonly Oid[]) =>
    Promise.resolve(oids.map((oid) => nodes.get(oid) ?? "missing" as const));
  return loadGraph(read, targets as Oid[], new Task());
}

const names = (order: readonly Node[]) => order.map((node) => node.id).join(" ");
const refusing = (bad: string, seen: string[]) => (node: Node) => {
  if (node.id === bad) throw new Refusal("invalid", "bad");
  seen.push(node.id);
};

describe("rootOf", () => {
  const root = (nodes: ReadonlyMap<Oid, Node>, tip: string, id: string, generation: keyof typeof RULES) =>
    load(nodes, [tip]).then((graph) => rootOf(graph, id as Oid, RULES[generation]).id);

  it("finds the entry of that id, whatever it stands on", async () => {
    for (const generation of ["newest", "1.1", "0.10", "2024"] as const) {
      assert.equal(await root(WORLD, "M", "R", generation), "R");
      assert.equal(await root(WORLD, "M", "A", generation), "A");
      await assert.rejects(root(WORLD, "A", "M", generation), DamagedError);
    }
  });

  // The newest programs look for an entry without parents before anything else; to those before a parent that cannot be read is none.
  it("asks the newest rules alone for an entry that stands on nothing", async () => {
    const nodes = parse(["A 1 gone", "B 2 A"]);
    await assert.rejects(root(nodes, "B", "A", "newest"), DamagedError);
    for (const generation of ["1.1", "0.10", "2024"] as const) {
      assert.equal(await root(nodes, "B", "A", generation), "A");
    }
  });
});

describe("loadGraph", () => {
  it("finds all entries that references lead to, each once", async () => {
    const graph = await load(WORLD, ["M", "A1", "B2", "A"]);
    assert.deepEqual([...graph.entries.keys()].sort(), ["A", "A1", "A2", "B", "B1", "B2", "M", "R"]);
    assert.deepEqual(graph.dependents.get("R" as Oid)?.map((node) => node.id).sort(), ["A", "B"]);
    assert.ok(graph.isComplete);
  });

  it("goes on without a commit that is missing below", async () => {
    const graph = await load(parse(["R 0", "A 1 R gone"]), ["A"]);
    assert.equal(names(orderEntries(graph, "R" as Oid, RULES.newest)), "A");
    assert.equal(graph.isComplete, false);
  });

  it("refuses an object with a reference to nothing", async () => {
    await assert.rejects(() => load(WORLD, ["M", "gone"]), DamagedError);
  });

  it("follows no reference to a commit that git cannot read, but goes on with one below", async () => {
    const nodes = parse(["R 0", "A 1 R", "B 2 A"]);
    nodes.set("A" as Oid, { ...nodes.get("A" as Oid)!, isMalformed: true });
    requireFollowed(await load(nodes, ["B"]));
    const graph = await load(nodes, ["B", "A"]);
    assert.equal(graph.malformed, "A");
    assert.throws(() => requireFollowed(graph), DamagedError);
    const read = (oids: readonly Oid[]) => Promise.resolve(oids.map(() => "damaged" as const));
    assert.equal((await loadGraph(read, ["X" as Oid], new Task())).malformed, "X");
  });

  it("refuses an object with too many entries", async () => {
    const read = (oids: readonly Oid[]) =>
      Promise.resolve(
        oids.map((oid): Node => ({
          ...WORLD.get("R" as Oid)!,
          id: oid,
          parents: [`${Number(oid) + 1}` as Oid],
        })),
      );
    await assert.rejects(() => loadGraph(read, ["0" as Oid], new Task()), DamagedError);
    assert.equal(MAX_ENTRIES, 32_768);
  });

  it("ends where entries go round in circles", async () => {
    const graph = await load(parse(["R 0 B", "A 1 R", "B 2 A B"]), ["B"]);
    assert.equal(names(orderEntries(graph, "R" as Oid, RULES.newest)), "A B R");
  });
});

describe("orderEntries", () => {
  const root = "R" as Oid;

  it("orders concurrent branches by time, those on the root descending by id", async () => {
    assert.equal(
      names(orderEntries(await load(WORLD, ["M", "A1", "B2"]), root, RULES.newest)),
      "B B1 B2 A A2 M A1",
    );
  });

  it("orders them by id for programs of 2024", async () => {
    assert.equal(
      names(orderEntries(await load(WORLD, ["M", "A1", "B2"]), root, RULES["2024"])),
      "B B1 B2 A A1 A2 M",
    );
  });

  it("orders by id where times are equal", async () => {
    const nodes = parse(["R 0", "A 1 R", "C 2 A", "B 2 A"]);
    assert.equal(names(orderEntries(await load(nodes, ["B", "C"]), root, RULES.newest)), "A B C");
  });

  it("orders by times that doubles do not hold", () => {
    const [late, later] = ["9007199254740992", "9007199254740993"].map((seconds) => BigInt(seconds));
    const nodes = parse(["R 0", "X 1 R", "B 9007199254740992 X", "A 9007199254740992 X", "C 5 X"]);
    const exact = new Map(nodes);
    exact.set("B" as Oid, { ...nodes.get("B" as Oid)!, exactSeconds: late! });
    exact.set("A" as Oid, { ...nodes.get("A" as Oid)!, exactSeconds: later! });
    return load(exact, ["A", "B", "C"]).then((graph) => {
      assert.equal(names(orderEntries(graph, "R" as Oid, RULES.newest)), "X C B A");
    });
  });

  it("leaves out what the root does not lead to", async () => {
    const nodes = parse(["R 0", "A 1 R", "X 1 gone", "Y 2 X"]);
    assert.equal(names(orderEntries(await load(nodes, ["A", "Y"]), root, RULES.newest)), "A");
  });

  it("gives the same order however references and entries are listed", async () => {
    for (let seed = 0; seed < 40; seed++) {
      const random = createRandom(seed);
      const lines = ["R 0"];
      for (let i = 1; i < 30; i++) {
        const parents = new Set(
          Array.from({ length: 1 + random.below(3) }, () => random.pick(lines).split(" ")[0]),
        );
        lines.push(
          `${String.fromCharCode(65 + random.below(26))}${i} ${random.below(5)} ${[...parents].join(" ")}`,
        );
      }
      const all = lines.map((line) => line.split(" ")[0]!);
      const expected = names(orderEntries(await load(parse(lines), all), root, RULES.newest));
      for (let round = 0; round < 3; round++) {
        const nodes = parse(random.shuffle(lines));
        const order = orderEntries(await load(nodes, random.shuffle(all)), root, RULES.newest);
        assert.equal(names(order), expected);
        for (const [i, node] of order.entries()) {
          for (const parent of node.parents) assert.ok(order.findIndex(({ id }) => id === parent) < i);
        }
      }
    }
  });

  it("orders a chain as long as an object may be", async () => {
    const lines = Array.from(
      { length: MAX_ENTRIES },
      (_, i) => i === 0 ? "R 0" : `${i} ${i} ${i === 1 ? "R" : i - 1}`,
    );
    const graph = await load(parse(lines), [`${MAX_ENTRIES - 1}`]);
    assert.equal(orderEntries(graph, root, RULES.newest).length, MAX_ENTRIES - 1);
  });
});

describe("visitEntries", () => {
  const visit = async (nodes: ReadonlyMap<Oid, Node>, targets: string[], bad: string) => {
    const graph = await load(nodes, targets);
    const seen: string[] = [];
    const outcome = await visitEntries(
      graph,
      orderEntries(graph, "R" as Oid, RULES.newest),
      new Task(),
      refusing(bad, seen),
    );
    return {
      seen: seen.join(" "),
      dropped: [...outcome.dropped].sort().join(" "),
      tips: outcome.tips.join(" "),
    };
  };

  it("drops everything on top of a refused entry, other ways to it or not", async () => {
    assert.deepEqual(await visit(WORLD, ["M", "A1", "B2"], "A2"), {
      seen: "B B1 B2 A A1",
      dropped: "A2 M",
      tips: "A1 B1 B2",
    });
  });

  it("keeps as tips what the root does not lead to", async () => {
    const nodes = parse(["R 0", "A 1 R", "X 1 gone", "Y 2 X"]);
    assert.deepEqual(await visit(nodes, ["A", "Y"], ""), { seen: "A", dropped: "", tips: "A Y" });
  });

  it("has the root as its tip when nothing else counts", async () => {
    assert.deepEqual(await visit(parse(["R 0", "A 1 R"]), ["A"], "A"), { seen: "", dropped: "A", tips: "R" });
  });

  it("lets errors through that are no refusals", async () => {
    const graph = await load(WORLD, ["A"]);
    const fail = () => {
      throw new RangeError("a fault");
    };
    await assert.rejects(
      () => visitEntries(graph, orderEntries(graph, "R" as Oid, RULES.newest), new Task(), fail),
      RangeError,
    );
  });

  it("lets others have their turn while it is long at work", async () => {
    const graph = await load(
      parse(["R 0", ...Array.from({ length: 50 }, (_, i) => `${i} ${i} R`)]),
      Array.from({ length: 50 }, (_, i) => `${i}`),
    );
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    let nowMs = 0;
    const task = new Task("user-visible", { scheduler: new Scheduler({ now: () => nowMs }) });
    await visitEntries(graph, orderEntries(graph, "R" as Oid, RULES.newest), task, () => void (nowMs += 10));
    isOver = true;
    assert.ok(turns >= 10, `${turns} turns`);
  });
});
