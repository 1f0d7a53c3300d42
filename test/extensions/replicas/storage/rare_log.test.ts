/** Lines of the log about a bucket that stays as it is. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { logRarely, MAX_LINES } from "../../../../extensions/replicas/storage/rare_log.ts";

const MINUTE_MS = 60_000;

function open() {
  const clock = { nowMs: 0 };
  const lines: string[] = [];
  const log = logRarely((level, message) => void lines.push(`${level} ${message}`), () => clock.nowMs);
  return { clock, lines, log };
}

describe("a rare log", () => {
  it("has a line once in a minute, and again when the reason is another one", () => {
    const { clock, lines, log } = open();
    for (; clock.nowMs < MINUTE_MS; clock.nowMs += 100) log("warn", "away");
    assert.deepEqual(lines.splice(0), ["warn away"]);
    log("warn", "away");
    log("warn", "damaged", new Error("cut short"));
    log("warn", "damaged", new Error("cut short"));
    log("warn", "damaged", new Error("another digest"));
    assert.deepEqual(lines, ["warn away", "warn damaged", "warn damaged"]);
  });

  it(`has ${MAX_LINES} different lines in that time`, () => {
    const { clock, lines, log } = open();
    for (let i = 0; i < 1000; i++) log("warn", `object ${i}`);
    assert.equal(lines.length, MAX_LINES);
    clock.nowMs += MINUTE_MS;
    log("warn", "object 0");
    assert.equal(lines.length, MAX_LINES + 1);
  });
});
