/** Kills publishers at chosen calls of their bucket while references move, and checks what readers see. */
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { GRACE_MS } from "../../../../extensions/replicas/publisher/unreferenced_objects.ts";
import { checkListed, checkSettled, checkVisible, Follower, MovingWorld } from "./moving_world.ts";
import { wrapBucket } from "./scripted_bucket.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { createPackMaker } from "../../../support/packs.ts";
import { createTestPublisher } from "./test_publisher.ts";

/** The end of a publisher: all of its calls fail from then on. */
class Killed extends Error {
  override readonly name = "Killed";
}

/** Kills in one bucket before it is checked to be settled. */
const KILLS_PER_BUCKET = 10;
/** Most calls before a kill: a round takes some thirty. */
const MOST_CALLS = 40;

/** Publishers that are killed one after the other while a reader follows, and most calls of each. */
const [FOLLOWED, MOST_FOLLOWED_CALLS] = [6, 400];

/** Options of {@link killPublishers}. */
export interface KillOptions {
  readonly seed: number;
  readonly kills: number;
  /** Whether the bucket has conditional puts. */
  readonly conditional: boolean;
}

/**
 * Kills publishers, each before or after one of its calls took effect. After every kill all states are whole
 * that readers see; in the end the bucket has the last state, and nothing besides.
 */
export async function killPublishers({ seed, kills, conditional }: KillOptions): Promise<void> {
  const random = randomNumbers(seed);
  for (let done = 0; done < kills;) {
    let nowMs = 1_700_000_000_000;
    const inner = createMemoryBucket({ now: () => nowMs });
    const moving = new MovingWorld(random);
    const { storage } = moving;
    for (let i = 0; i < KILLS_PER_BUCKET && done < kills; i++, done++) {
      const last = 1 + Math.floor(random() * MOST_CALLS);
      const isAfter = random() < 0.5;
      let calls = 0;
      const bucket = wrapBucket(inner, () => {
        if (random() < 0.2) moving.move();
        nowMs += Math.floor(random() * 60_000);
        if (++calls < last) return;
        if (isAfter && calls === last) return new Killed();
        throw new Killed();
      }, conditional);
      const publisher = createTestPublisher(storage, bucket, {
        packMaker: createPackMaker(storage, { limitBytes: 20_000 }),
        now: () => nowMs,
      });
      try {
        while (calls < last) {
          moving.move();
          await publisher.publishAll();
        }
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      await checkVisible(inner, storage.repositoryIds());
      await checkListed(inner);
    }
    moving.showAll();
    const parts = { packMaker: createPackMaker(storage, { limitBytes: 20_000 }), now: () => nowMs };
    await createTestPublisher(storage, wrapBucket(inner, () => {}, conditional), parts).publishAll();
    nowMs += 2 * GRACE_MS;
    await createTestPublisher(storage, wrapBucket(inner, () => {}, conditional), parts).publishAll();
    await checkSettled(inner, storage);
  }
}

/**
 * Kills publishers now and then, while a reader looks only at the repositories of which the latest changes tell.
 * It knows all after each round.
 *
 * @returns How often it was told of all changes.
 */
export async function followPublishers({ seed, conditional }: Omit<KillOptions, "kills">): Promise<number> {
  const random = randomNumbers(seed);
  const inner = createMemoryBucket();
  const moving = new MovingWorld(random);
  const follower = new Follower(inner);
  for (let i = 0; i < FOLLOWED; i++) {
    const last = 1 + Math.floor(random() * MOST_FOLLOWED_CALLS);
    let calls = 0;
    const bucket = wrapBucket(inner, () => {
      if (random() < 0.02) moving.move();
      if (++calls >= last) throw new Killed();
    }, conditional);
    const publisher = createTestPublisher(moving.storage, bucket);
    try {
      while (calls < last) {
        if (random() < 0.8) moving.move();
        moving.hidden.clear();
        await publisher.publishAll();
        if (random() < 0.8) await follower.follow(moving.hidden);
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    if (random() < 0.5) await follower.read();
  }
  await createTestPublisher(moving.storage, inner).publishAll();
  await follower.follow(new Set());
  return follower.told;
}
