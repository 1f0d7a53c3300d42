import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  EXPECTED_PART_BYTES,
  MAX_BYTES_UNDER_WAY,
  PARTS_AHEAD,
  PARTS_LIMIT_MS,
  partsOf,
} from "../../src/diff_service/parts.ts";
import { UnavailableError } from "../../src/errors.ts";
import { ByteSemaphore } from "../../src/scheduling/byte_semaphore.ts";

interface Part {
  readonly json: Uint8Array;
  readonly name: string;
  readonly left?: string;
}

/** Parts that are made when a test says so. */
function createMaker(room = new ByteSemaphore(MAX_BYTES_UNDER_WAY), now = () => 0) {
  const begun: string[] = [];
  const made = new Map<string, PromiseWithResolvers<Part>>();
  return {
    begun,
    room,
    finish(name: string, left?: string, bytes = 1) {
      made.get(name)!.resolve({ json: new Uint8Array(bytes), name, ...(left !== undefined && { left }) });
    },
    fail: (name: string) => made.get(name)!.reject(new Error(`${name} failed`)),
    parts: (works: readonly string[]) =>
      partsOf<string, Part>(works, {
        make(work) {
          begun.push(work);
          const part = Promise.withResolvers<Part>();
          made.set(work, part);
          return part.promise;
        },
        leftOf: ({ left }) => left,
        room,
        signal: undefined,
        now,
      }),
  };
}

/** Lets everything run that has been resolved. */
const settle = () => new Promise((resume) => setTimeout(resume, 0));

describe("parts", () => {
  it("are made a few ahead, and come in their order", async () => {
    const maker = createMaker();
    const parts = maker.parts(["a", "b", "c"]);
    const first = parts.next();
    await settle();
    assert.deepEqual(maker.begun, ["a", "b"].slice(0, PARTS_AHEAD));
    maker.finish("b");
    maker.finish("a");
    assert.equal((await first).value?.name, "a");
    assert.deepEqual(maker.begun, ["a", "b"]);
    assert.equal((await parts.next()).value?.name, "b");
    const last = parts.next();
    await settle();
    maker.finish("c");
    assert.equal((await last).value?.name, "c");
    assert.equal((await parts.next()).done, true);
    assert.equal(maker.room.taken, 0);
  });

  it("that end early are gone on with before the next ones", async () => {
    const maker = createMaker();
    const names: string[] = [];
    const reading = (async () => {
      for await (const { name } of maker.parts(["a", "b"])) names.push(name);
    })();
    await settle();
    maker.finish("a", "rest of a");
    maker.finish("b");
    await settle();
    maker.finish("rest of a");
    await reading;
    assert.deepEqual(names, ["a", "rest of a", "b"]);
    assert.equal(maker.room.taken, 0);
  });

  it("are not made ahead when there is no room, and hold theirs until they are read", async () => {
    const maker = createMaker(new ByteSemaphore(EXPECTED_PART_BYTES));
    const parts = maker.parts(["a", "b"]);
    const first = parts.next();
    await settle();
    assert.deepEqual(maker.begun, ["a"]);
    maker.finish("a", undefined, 1000);
    await first;
    assert.equal(maker.room.taken, 1000);
    void parts.next();
    await settle();
    assert.deepEqual(maker.begun, ["a", "b"]);
    assert.equal(maker.room.taken, EXPECTED_PART_BYTES);
  });

  it("give their room back when they fail, or nobody wants them", async () => {
    const failing = createMaker();
    const first = failing.parts(["a", "b"]).next();
    await settle();
    failing.finish("b");
    failing.fail("a");
    await assert.rejects(first, /a failed/);
    await settle();
    assert.equal(failing.room.taken, 0);

    const left = createMaker();
    const parts = left.parts(["a", "b", "c"]);
    const one = parts.next();
    await settle();
    left.finish("a");
    await one;
    await parts.return(undefined);
    left.finish("b");
    await settle();
    assert.deepEqual([left.room.taken, left.begun], [0, ["a", "b"]]);
  });

  it("end with an error when making them has taken too long, however long the client reads", async () => {
    let nowMs = 0;
    const maker = createMaker(undefined, () => nowMs);
    const parts = maker.parts(["a", "b", "c"]);
    const take = async (name: string, ms: number) => {
      const part = parts.next();
      await settle();
      nowMs += ms;
      maker.finish(name);
      return (await part).value?.name;
    };
    assert.equal(await take("a", PARTS_LIMIT_MS), "a");
    nowMs += PARTS_LIMIT_MS;
    assert.equal(await take("b", 0), "b");
    await assert.rejects(take("c", 1), UnavailableError);
    assert.equal(maker.room.taken, 0);
  });
});
