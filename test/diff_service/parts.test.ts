import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_BYTES_UNDER_WAY, PARTS_LIMIT_MS, partsOf } from "../../src/diff_service/parts.ts";
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
    const works = Array.from({ length: 20 }, (_, i) => `${i}`);
    const parts = maker.parts(works);
    const first = parts.next();
    await settle();
    const ahead = maker.begun.length;
    assert.ok(ahead > 1 && ahead < works.length / 2, `${ahead} parts ahead`);
    maker.finish("1");
    maker.finish("0");
    const names = [(await first).value?.name];
    assert.equal(maker.begun.length, ahead);
    for (const work of works.slice(1)) {
      const part = parts.next();
      await settle();
      maker.finish(work);
      names.push((await part).value?.name);
    }
    assert.deepEqual([names, maker.begun], [works, works]);
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
    const maker = createMaker(new ByteSemaphore(1024));
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
    assert.ok(maker.room.taken > 1000);
  });

  it("give their room back when they fail or have no reader", async () => {
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
    const begun = [...left.begun];
    for (const name of begun.slice(1)) left.finish(name);
    await settle();
    assert.deepEqual([left.room.taken, left.begun], [0, begun]);
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
