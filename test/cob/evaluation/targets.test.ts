/** Targets of references to objects, also of very many. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Scheduler } from "../../../src/scheduling/scheduler.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { targetsByObject } from "../../../src/cob/evaluation/targets.ts";
import type { Oid } from "../../../src/ids/oid.ts";

const TYPE = "xyz.radicle.issue";

function oidOf(i: number): Oid {
  return i.toString(16).padStart(40, "0") as Oid;
}

function refTo(node: string, object: Oid, oid: Oid) {
  return { name: `refs/namespaces/${node}/refs/cobs/${TYPE}/${object}`, oid };
}

describe("targets of references to objects", () => {
  it("are ascending, each once, in the order of the objects", async () => {
    const refs = [
      refTo("a", oidOf(2), oidOf(9)),
      refTo("a", oidOf(3), oidOf(3)),
      refTo("b", oidOf(1), oidOf(1)),
      refTo("b", oidOf(2), oidOf(8)),
      refTo("c", oidOf(2), oidOf(9)),
      { name: `refs/namespaces/c/refs/cobs/xyz.radicle.patch/${oidOf(4)}`, oid: oidOf(4) },
      { name: `refs/namespaces/c/refs/cobs/${TYPE}/other`, oid: oidOf(5) },
    ];
    assert.deepEqual([...await targetsByObject(refs, TYPE, Task.unbroken())], [
      [oidOf(1), [oidOf(1)]],
      [oidOf(2), [oidOf(8), oidOf(9)]],
      [oidOf(3), [oidOf(3)]],
    ]);
  });

  it("of very many references are found in steps", async () => {
    const count = 40_000;
    const refs = Array.from({ length: count }, (_, i) => refTo("a", oidOf(count - i), oidOf(i)));
    let steps = 0;
    const task = new Task("user-visible", { scheduler: new Scheduler({ now: () => (steps++, 0) }) });
    const found = await targetsByObject(refs, TYPE, task);
    assert.deepEqual([...found.keys()], refs.map((_, i) => oidOf(i + 1)));
    // References, sorting, and objects.
    assert.ok(steps > 30, `${steps} steps`);
  });
});
