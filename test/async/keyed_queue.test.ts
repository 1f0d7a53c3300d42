/** Work in queues. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KeyedQueue } from "../../src/async/keyed_queue.ts";

describe("a queue for each key", () => {
  const [HERE, THERE] = ["here", "there"] as const;

  it("does the work on one key one after the other", async () => {
    const queue = new KeyedQueue<string>();
    const steps: string[] = [];
    const change = (name: string) => async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      await Promise.resolve();
      steps.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all([queue.run(HERE, change("first")), queue.run(HERE, change("second"))]);
    assert.deepEqual(results, ["first", "second"]);
    assert.deepEqual(steps, ["first begins", "first ends", "second begins", "second ends"]);
  });

  it("does the work on other keys meanwhile", async () => {
    const queue = new KeyedQueue<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = queue.run(HERE, () => promise);
    assert.equal(await queue.run(THERE, () => Promise.resolve("there")), "there");
    resolve("here");
    assert.equal(await waiting, "here");
  });

  it("goes on after work that fails", async () => {
    const queue = new KeyedQueue<string>();
    const failing = queue.run(HERE, () => Promise.reject(new Error("Refused")));
    const next = queue.run(HERE, () => Promise.resolve("next"));
    await assert.rejects(failing, /Refused/);
    assert.equal(await next, "next");
  });
});
