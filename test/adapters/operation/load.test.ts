/** Whether a service has time for more. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LATE_MS, Load } from "../../../adapters/operation/load.ts";
import type { ServiceFigures } from "../../../adapters/server/operator.ts";

describe("a service has time for more", () => {
  it("while nothing waits in its queues", () => {
    let figures: ServiceFigures = {};
    const load = new Load(() => figures, () => 0);
    const running = { running: 9, waiting: 0, ended: 0, seconds: 0 };
    for (const idle of [{}, { waiting: 0 }, { workers: running, git: { running: 9, waiting: 0 } }]) {
      figures = idle;
      assert.ok(load.isIdle);
    }
    const busy = [{ waiting: 1 }, { workers: { ...running, waiting: 1 } }, {
      git: { running: 1, waiting: 1 },
    }];
    for (const one of busy) {
      figures = one;
      assert.ok(!load.isIdle);
    }
  });

  it("while its timers are not late", () => {
    let nowMs = 0;
    const load = new Load(() => ({}), () => nowMs);
    assert.ok(load.isIdle);
    // A timer that is due after 20 ms has not fired by now.
    nowMs += 20 + LATE_MS - 1;
    assert.ok(load.isIdle);
    nowMs += 1;
    assert.ok(!load.isIdle);
  });
});
