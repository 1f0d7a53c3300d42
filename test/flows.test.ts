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
 * numbers here. Some functions run in every second run, when something takes longer than a time slice.
 */
const BOUNDS: readonly Bounds[] = [
  {
    flow: "page of history, uncached",
    today: { files: 117, functions: 805 },
    wanted: { files: 90, functions: 600 },
  },
  { flow: "page of history, cached", today: { files: 45, functions: 128 }, wanted: { files: 38 } },
];

/** Runs after which a flow is over its bounds: on a busy machine more is found to take too long, sometimes. */
const ATTEMPTS = 3;

describe("flows", { skip: isNode ? false : "only Node.js counts functions" }, () => {
  it("run through no more files and functions than the bounds", async () => {
    const { runFlows, sizeOf } = await import("./flows.ts");
    let over: string[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const ran = await runFlows();
      for (const [flow, files] of ran) assert.ok(files.size > 0, flow);
      over = BOUNDS.flatMap(({ flow, today, wanted }) => {
        const { files, functions } = sizeOf(ran.get(flow)!);
        if (files <= today.files && functions <= today.functions) return [];
        return [`${flow}: ${files} files, ${functions} functions; wanted ${JSON.stringify(wanted)}`];
      });
      if (over.length === 0) return;
    }
    assert.deepEqual(over, []);
  });
});
