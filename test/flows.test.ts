/** Through how much of the source a request runs, on Node.js, where it can be counted. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Flow } from "./flows.ts";

const isNode = !("Deno" in globalThis || "Bun" in globalThis);

/** The most that a flow may run through: today, and what is wanted. */
interface Bounds {
  readonly flow: Flow;
  readonly today: { readonly files: number; readonly functions: number };
  readonly wanted: { readonly files: number; readonly functions?: number };
}

/**
 * The bounds of today only go down, until they are those that are wanted: who brings a flow below them writes its new
 * numbers here. Clocks stand still, so they are the same on every machine, but for one function of the scheduler.
 */
const BOUNDS: readonly Bounds[] = [
  {
    flow: "page of history, uncached",
    today: { files: 89, functions: 593 },
    wanted: { files: 90, functions: 600 },
  },
  { flow: "page of history, cached", today: { files: 30, functions: 110 }, wanted: { files: 38 } },
];

describe("flows", { skip: isNode ? false : "only Node.js counts functions" }, () => {
  it("run through no more files and functions than the bounds", async () => {
    const { runFlows, sizeOf } = await import("./flows.ts");
    const ran = await runFlows();
    for (const [flow, files] of ran) assert.ok(files.size > 0, flow);
    const over = BOUNDS.flatMap(({ flow, today, wanted }) => {
      const { files, functions } = sizeOf(ran.get(flow)!);
      if (files <= today.files && functions <= today.functions) return [];
      return [`${flow}: ${files} files, ${functions} functions; wanted ${JSON.stringify(wanted)}`];
    });
    assert.deepEqual(over, []);
  });
});
