import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeInBoth } from "../../src/diff_service/in_both.ts";
import { PART_BYTES } from "../../src/diff_service/render/diff.ts";

interface Part {
  readonly json: Uint8Array;
  readonly name: string;
}

/** A place that notes what it makes, and makes it when told. */
class Place {
  readonly taken: string[] = [];
  readonly #waiting: PromiseWithResolvers<Part | undefined>[] = [];

  readonly make = (work: string): Promise<Part | undefined> => {
    this.taken.push(work);
    const made = Promise.withResolvers<Part | undefined>();
    this.#waiting.push(made);
    return made.promise;
  };

  async done(bytes = 1): Promise<void> {
    this.#waiting.shift()!.resolve({ json: new Uint8Array(bytes), name: this.taken.at(-1)! });
    await turn();
  }

  async leave(): Promise<void> {
    this.#waiting.shift()!.resolve(undefined);
    await turn();
  }

  async fail(error: Error): Promise<void> {
    this.#waiting.shift()!.reject(error);
    await turn();
  }
}

const turn = () => new Promise((turned) => setTimeout(turned, 0));

/** Works by letters; capitals are for the worker. */
function begin(works: string, mayBeHere = () => true) {
  const [here, worker] = [new Place(), new Place()];
  const made = makeInBoth<string, Part>([...works], {
    here: here.make,
    worker: worker.make as (work: string) => Promise<Part>,
    isForWorker: (work) => work !== work.toLowerCase(),
    mayBeHere,
  });
  return { here, worker, made: made.then((parts) => parts.map(({ name }) => name).join("")) };
}

describe("work in both places", () => {
  it("is taken by each place when it has made the one before, and comes in its order", async () => {
    const { here, worker, made } = begin("abcd");
    assert.deepEqual([worker.taken, here.taken], [["a"], ["b"]]);
    await here.done();
    await here.done();
    assert.deepEqual([worker.taken, here.taken], [["a"], ["b", "c", "d"]]);
    await worker.done();
    await here.done();
    assert.equal(await made, "abcd");
  });

  it("that is for the worker alone is begun first", async () => {
    const { here, worker, made } = begin("aBcD");
    await here.done();
    await here.done();
    assert.deepEqual([worker.taken, here.taken], [["B"], ["a", "c"]]);
    await worker.done();
    await worker.done();
    assert.equal(await made, "aBcD");
  });

  it("is left to the worker when this thread cannot make it, or has other work", async () => {
    const left = begin("abc");
    await left.here.leave();
    assert.deepEqual([left.worker.taken, left.here.taken], [["a"], ["b", "c"]]);
    await left.worker.done();
    assert.deepEqual(left.worker.taken, ["a", "b"]);
    await left.worker.done();
    await left.here.leave();
    assert.deepEqual(left.worker.taken, ["a", "b", "c"]);
    await left.worker.done();
    assert.equal(await left.made, "abc");

    const busy = begin("ab", () => false);
    await busy.worker.done();
    await busy.worker.done();
    assert.deepEqual([await busy.made, busy.here.taken], ["ab", []]);
  });

  it("fails as soon as one place fails, and no more is begun", async () => {
    for (const failing of ["here", "worker"] as const) {
      const places = begin("abcd");
      const error = new Error(`failed ${failing}`);
      const refused = assert.rejects(places.made, error);
      await places[failing].fail(error);
      await refused;
      await places[failing === "here" ? "worker" : "here"].done();
      assert.deepEqual([places.worker.taken, places.here.taken], [["a"], ["b"]]);
    }
  });

  it("ends when there is enough", async () => {
    const { here, worker, made } = begin("abcde");
    await here.done(PART_BYTES);
    await worker.done();
    assert.equal(await made, "ab");
  });
});
