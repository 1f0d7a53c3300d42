import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AheadLimits, mapAhead } from "../../src/async/map_ahead.ts";

const LIMITS: AheadLimits<string> = { atOnce: 2, items: 4, weight: 100, weigh: ({ length }) => length };

/** Work that ends when a test says so. */
class Work {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<string>>();

  readonly on = (item: string): Promise<string> => {
    this.begun.push(item);
    const end = Promise.withResolvers<string>();
    this.#ends.set(item, end);
    return end.promise;
  };

  end(item: string, result = item): Promise<void> {
    this.#ends.get(item)!.resolve(result);
    return turn();
  }

  fail(item: string): void {
    this.#ends.get(item)!.reject(new Error(`no ${item}`));
  }
}

const turn = () => new Promise<void>((resume) => setTimeout(resume, 0));

async function* itemsOf(letters: string): AsyncGenerator<string> {
  yield* letters;
}

describe("mapAhead", () => {
  it("goes on behind an item that takes long, and yields in order", async () => {
    const work = new Work();
    const results = mapAhead(itemsOf("abcdef"), LIMITS, work.on);
    const first = results.next();
    await turn();
    assert.equal(work.begun.join(""), "ab", "two at once");
    await work.end("b");
    await work.end("c");
    assert.equal(work.begun.join(""), "abcd", "four ahead");
    await work.end("d");
    assert.equal(work.begun.join(""), "abcd");
    await work.end("a");
    assert.deepEqual((await first).value, ["a", "a"]);
    assert.deepEqual((await results.next()).value, ["b", "b"]);
    await turn();
    assert.equal(work.begun.join(""), "abcdef");
    await work.end("e");
    await work.end("f");
    const rest: string[] = [];
    for await (const [item] of results) rest.push(item);
    assert.equal(rest.join(""), "cdef");
  });

  it("begins nothing while what it has made weighs too much", async () => {
    const work = new Work();
    const results = mapAhead(itemsOf("abcdef"), LIMITS, work.on);
    const first = results.next();
    await turn();
    await work.end("b", "x".repeat(101));
    assert.equal(work.begun.join(""), "ab");
    await work.end("a");
    await first;
    await results.next();
    await turn();
    assert.equal(work.begun.join(""), "abcd");
    await results.return(undefined);
  });

  it("throws the error of an item in its place", async () => {
    const work = new Work();
    const results = mapAhead(itemsOf("abc"), LIMITS, work.on);
    const first = results.next();
    await turn();
    work.fail("b");
    await work.end("a");
    assert.deepEqual((await first).value, ["a", "a"]);
    await assert.rejects(results.next(), { message: "no b" });
  });

  it("throws the error of the items behind what it has begun", async () => {
    async function* failing(): AsyncGenerator<string> {
      yield "a";
      throw new Error("no more");
    }
    const results = mapAhead(failing(), LIMITS, (item) => Promise.resolve(item));
    assert.deepEqual((await results.next()).value, ["a", "a"]);
    await assert.rejects(results.next(), { message: "no more" });
  });

  it("begins nothing when the reader has left", async () => {
    const work = new Work();
    let isClosed = false;
    async function* items(): AsyncGenerator<string> {
      try {
        yield* "abcdef";
      } finally {
        isClosed = true;
      }
    }
    const results = mapAhead(items(), LIMITS, work.on);
    const first = results.next();
    await turn();
    await work.end("a");
    await first;
    await results.return(undefined);
    await work.end("b");
    assert.ok(work.begun.length <= 3, work.begun.join(""));
    assert.equal(isClosed, true);
  });
});
