/** The progress line on a terminal, and reasons in words. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Progress } from "../../../adapters/cli/progress.ts";
import { reasonOf } from "../../../adapters/cli/reason.ts";

const ERASE = "\r\x1b[K";

/** A terminal of 20 columns, and a clock that is set by hand. */
function terminal(isTTY = true) {
  const clock = { nowMs: 1000 };
  const written: string[] = [];
  const stream = { isTTY, columns: 20, write: (text: string) => written.push(text) };
  return { clock, written, progress: new Progress(stream, () => clock.nowMs) };
}

describe("progress", () => {
  it("is a line that replaces the previous one and fits the terminal", () => {
    const { clock, written, progress } = terminal();
    progress.show("one");
    clock.nowMs += 1000;
    progress.show("2".repeat(30));
    progress.show(undefined);
    assert.deepEqual(written, [`${ERASE}one`, ERASE + "2".repeat(19), ERASE]);
  });

  it("skips lines that come faster than a terminal shows them", () => {
    const { clock, written, progress } = terminal();
    for (let i = 0; i < 1000; i++, clock.nowMs++) progress.show(`${i}`);
    assert.ok(written.length >= 5 && written.length <= 30, `${written.length} lines`);
  });

  it("is a line now and then without a terminal", () => {
    const { clock, written, progress } = terminal(false);
    for (let i = 0; i < 12; i++, clock.nowMs += 1000) progress.report(`  step ${i}`);
    assert.deepEqual(written, ["step 5\n", "step 10\n"]);
    progress.report(undefined);
    progress.report("  other work");
    assert.equal(written.length, 2);
    const rarely = new Progress(
      { isTTY: false, write: (text) => written.push(text) },
      () => clock.nowMs,
      60_000,
    );
    for (let i = 0; i < 70; i++, clock.nowMs += 1000) rarely.report(`step ${i}`);
    assert.deepEqual(written.slice(2), ["step 60\n"]);
  });

  it("erases nothing where nothing is shown, and shows nothing without a terminal", () => {
    const shown = terminal();
    shown.progress.show(undefined);
    shown.progress.clear();
    assert.deepEqual(shown.written, []);
    const piped = terminal(false);
    piped.progress.show("one");
    piped.progress.show(undefined);
    assert.deepEqual(piped.written, []);
  });
});

describe("the reason of a failed request", () => {
  const failed = (message: string, code?: string) => Object.assign(new Error(message), code && { code });
  const connect = "error sending request for url (http://x/): client error (Connect)";
  const reasons: [unknown, string][] = [
    [new TypeError("fetch failed", { cause: failed("connect", "ECONNREFUSED") }), "connection refused"],
    [
      new TypeError("fetch failed", { cause: new AggregateError([failed("x", "ECONNREFUSED")]) }),
      "connection refused",
    ],
    [failed("Unable to connect.", "ConnectionRefused"), "connection refused"],
    [failed(`${connect}: tcp connect error: Connection refused (os error 111)`), "connection refused"],
    [failed("getaddrinfo ENOTFOUND x", "ENOTFOUND"), "unknown host"],
    [failed(`${connect}: dns error: failed to lookup address information`), "unknown host"],
    [failed("self signed", "DEPTH_ZERO_SELF_SIGNED_CERT"), "its certificate is not trusted"],
    [failed("some\n words"), "some words"],
    ["text", "text"],
  ];
  for (const [error, reason] of reasons) {
    it(`is "${reason}" of ${error instanceof Error ? `${error.message.trim()} ${error.cause ?? ""}` : error}`, () => {
      assert.equal(reasonOf(error), reason);
    });
  }
});
