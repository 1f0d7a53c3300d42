/** Lines of the log. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatLine, limitLines } from "../../../adapters/home/log.ts";

const TIME = new Date(Date.UTC(2024, 1, 29, 12));

describe("a line of the log", () => {
  it("has the time, the level and the message", () => {
    assert.equal(formatLine("info", "Started", undefined, TIME), "2024-02-29T12:00:00.000Z info Started\n");
  });

  it("has the cause of a warning, without a stack", () => {
    const cause = new Error("no such file", { cause: new Error("gone") });
    assert.equal(
      formatLine("warn", "Cannot read", cause, TIME),
      "2024-02-29T12:00:00.000Z warn Cannot read: no such file (gone)\n",
    );
  });

  it("has the stack of an error, on the same line", () => {
    const line = formatLine("error", "Request failed", new Error("broken"), TIME);
    assert.match(line, /^2024-02-29T12:00:00\.000Z error Request failed: .*broken.*log\.test\.ts.*\n$/);
  });

  it("stays one line whatever is in it", () => {
    assert.equal(
      formatLine("warn", "a\nb\r\u001b[31m\u2028", "c\u0000", TIME),
      "2024-02-29T12:00:00.000Z warn a\\u000ab\\u000d\\u001b[31m\\u2028: c\\u0000\n",
    );
  });

  // Hours, if it took time for each pair of blanks.
  it("is made of a message of very many blanks", () => {
    const line = formatLine("warn", "Cannot read", new Error(`a${" ".repeat(2_000_000)}b`), TIME);
    assert.ok(line.endsWith(" b\n"));
  });
});

describe("a log", () => {
  function createLog() {
    const lines: string[] = [];
    const clock = { ms: 0 };
    return { lines, clock, log: limitLines((_level, message) => void lines.push(message), () => clock.ms) };
  }

  it("takes ten lines of a kind in a second, and later writes how many were left out", () => {
    const { lines, clock, log } = createLog();
    for (let i = 0; i < 1000; i++) log("warn", "An archive was cut off");
    log("warn", "Cannot sign");
    log("error", "An archive was cut off");
    assert.equal(lines.length, 10 + 2);
    clock.ms = 1000;
    log("info", "Started");
    assert.deepEqual(lines.slice(-2), ['990 more lines like "warn An archive was cut off"', "Started"]);
    for (let i = 0; i < 1000; i++) log("warn", "An archive was cut off");
    assert.equal(lines.length, 2 * 10 + 4);
  });

  it("counts lines as one kind that name different ids, paths and numbers", () => {
    const { lines, log } = createLog();
    for (let i = 0; i < 1000; i++) log("warn", `Left out issue ${i}f of rad:z${i}: "x ${i}" in /a/${i}`);
    assert.equal(lines.length, 10);
  });
});
