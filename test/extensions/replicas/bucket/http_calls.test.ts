/** Attempts of calls, and their time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Fetch, HttpCalls } from "../../../../extensions/replicas/bucket/http_calls.ts";
import { BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";

/** The delays of all timers that are started while `work` runs, in milliseconds. */
async function delaysOf(work: () => Promise<void>): Promise<readonly number[]> {
  const { setTimeout } = globalThis;
  const delays: number[] = [];
  globalThis.setTimeout = ((call: () => void, ms = 0) => {
    delays.push(ms);
    return setTimeout(call, ms);
  }) as typeof globalThis.setTimeout;
  try {
    await work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return delays;
}

describe("a call whose time is over before an attempt begins", () => {
  it("ends with the next tick, by no timer of the past", async () => {
    const never: Fetch = (_url, { signal }) =>
      new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    const calls = new HttpCalls(never, { callMs: -50 });
    const delays = await delaysOf(() =>
      assert.rejects(
        calls.call({
          what: 'read "a"',
          isRepeatable: true,
          request: () => ({ url: "http://localhost/a", method: "GET", headers: new Headers() }),
          statuses: [200],
          read: () => assert.fail(),
          signal: undefined,
        }),
        (error) => error instanceof BucketError && error.message.includes("no answer in time"),
      )
    );
    assert.deepEqual([delays.length > 0, delays.filter((ms) => ms < 0)], [true, []]);
  });
});
