/** Two publishers of one storage at once, whose calls take turns in a chosen order while references move. */
import assert from "node:assert/strict";
import { createMemoryBucket } from "../../../src/replication/bucket/memory.ts";
import { GRACE_MS } from "../../../src/replication/publisher/unreferenced_objects.ts";
import type { Publisher } from "../../../src/replication/publisher/publisher.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { checkNamed, checkSettled, checkVisible, MovingWorld } from "./moving_world.ts";
import { type BeforeCall, wrapBucket } from "./scripted_bucket.ts";
import { createTestPublisher } from "./test_publisher.ts";

/** Rounds of each publisher. */
const ROUNDS = 4;

/** Lets one of several waiting calls go on at a time. */
class Turns {
  readonly #random: () => number;
  readonly #waiting: (() => void)[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  readonly take: BeforeCall = () => new Promise<void>((resolve) => void this.#waiting.push(resolve));

  /** Gives turns until all work has ended. */
  async run(work: readonly Promise<unknown>[], between: () => Promise<void>): Promise<void> {
    let isOver = false;
    const all = Promise.all(work).finally(() => isOver = true);
    all.catch(() => {});
    while (!isOver) {
      const [next] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
      next?.();
      // Everything that does not wait for a turn goes on meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (next !== undefined) await between();
    }
    await all;
  }
}

/** Options of {@link publishTogether}. */
export interface TogetherOptions {
  readonly seed: number;
  readonly conditional: boolean;
}

/** Runs two publishers; all states are whole that readers see, and in the end the last state is there. */
export async function publishTogether({ seed, conditional }: TogetherOptions): Promise<void> {
  const random = randomNumbers(seed);
  let nowMs = 1_700_000_000_000;
  const inner = createMemoryBucket({ now: () => nowMs });
  const moving = new MovingWorld(random);
  const turns = new Turns(random);
  const publishers = [0, 1].map(() =>
    createTestPublisher(moving.storage, wrapBucket(inner, turns.take, conditional), {
      packBytes: 20_000,
      now: () => nowMs,
    })
  );
  const work = async (publisher: Publisher) => {
    let failed = 0;
    for (let round = 0; round < ROUNDS; round++) failed += (await publisher.publishAll()).failed;
    return failed;
  };
  const done = publishers.map(work);
  await turns.run(done, async () => {
    // The grace time is much longer than a publication takes.
    nowMs += Math.floor(random() * GRACE_MS / 50);
    if (random() < 0.1) moving.move();
    await checkNamed(inner, moving.storage.repositoryIds());
    if (random() < 0.05) await checkVisible(inner, moving.storage.repositoryIds());
  });
  assert.deepEqual(await Promise.all(done), [0, 0]);
  moving.showAll();
  for (let i = 0; i < 2; i++) {
    const bucket = wrapBucket(inner, () => {}, conditional);
    await createTestPublisher(moving.storage, bucket, { packBytes: 20_000, now: () => nowMs }).publishAll();
    nowMs += 2 * GRACE_MS;
  }
  await checkSettled(inner, moving.storage);
}
