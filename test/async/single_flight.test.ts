import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SingleFlight } from "../../src/async/single_flight.ts";

describe("flights", () => {
  it("begin again after they have succeeded or failed", async () => {
    const flights = new SingleFlight<number>();
    let begun = 0;
    const begin = () => ++begun % 2 === 1 ? Promise.resolve(begun) : Promise.reject(new Error("failed"));
    assert.equal(await flights.join("a", begin, undefined), 1);
    await assert.rejects(flights.join("a", begin, undefined), /failed/);
    assert.equal(await flights.join("a", begin, undefined), 3);
  });

  it("are distinguished by their keys", async () => {
    const flights = new SingleFlight<string>();
    const both = ["a", "b"].map((key) => flights.join(key, () => Promise.resolve(key), undefined));
    assert.deepEqual(await Promise.all(both), ["a", "b"]);
  });

  it("are begun again for those who come after everybody has left", async () => {
    const flights = new SingleFlight<number>();
    const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const signals: AbortSignal[] = [];
    const begin = (signal: AbortSignal) => answers[signals.push(signal) - 1]!.promise;
    const leaving = new AbortController();
    const first = flights.join("a", begin, leaving.signal);
    leaving.abort();
    const second = flights.join("a", begin, undefined);
    const third = flights.join("a", begin, undefined);
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false]);
    answers[0]!.resolve(1);
    answers[1]!.resolve(2);
    assert.deepEqual(await Promise.all([first, second, third]), [1, 2, 2]);
  });

  it("are given up at once when the only one who asks has left already", async () => {
    const flights = new SingleFlight<boolean>();
    const begin = (signal: AbortSignal) => Promise.resolve().then(() => signal.aborted);
    assert.equal(await flights.join("a", begin, AbortSignal.abort()), true);
  });
});
