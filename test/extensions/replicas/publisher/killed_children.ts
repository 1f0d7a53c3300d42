/** Kills real processes that publish a home into a real bucket, while git moves its references. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import { homeParts } from "../../../../adapters/node/parts.ts";
import { createVerifyClone } from "../../../../adapters/home/verify_clone.ts";
import { createHomeStorage } from "../../../../src/storage/home/storage.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { fileSystem } from "../../../support/files.ts";
import { GitRepository } from "../../../support/git.ts";
import { checkVisible } from "./moving_world.ts";
import { readState } from "./published_state.ts";
import { createTestPublisher } from "./test_publisher.ts";

const CHILD = fileURLToPath(new URL("publishing_child.ts", import.meta.url));
/** Most calls of a child: a round takes some twenty. */
const MOST_CALLS = 45;
/** Every so many a child is killed by a signal at any moment, after as many milliseconds at the most. */
const BY_SIGNAL = 3;
const MOST_MS = 400;
/** Number of kills after which the bucket is settled, and git checks a clone. */
const CHECKED_EVERY = 25;

/** A home with its bucket. */
export interface KilledHome {
  readonly home: string;
  /** Public repositories of the home. */
  readonly rids: readonly RepoId[];
  readonly bucket: Bucket;
  /** Address of the bucket, for children. */
  readonly address: string;
  /** Variables of the environment for children. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Kills children one after the other; all states are whole that readers see, and the last run settles all. */
export async function killChildren(given: KilledHome, kills: number, seed = 1): Promise<void> {
  const random = randomNumbers(seed);
  const { home, rids, bucket } = given;
  const repositories = rids.map((rid) => new GitRepository(join(home, "storage", rid.slice(4))));
  for (let i = 0; i < kills; i++) {
    const child = startChild(
      given,
      i % BY_SIGNAL === 0 ? Infinity : Math.ceil(random() * MOST_CALLS),
      random() < 0.5,
    );
    const ended = once(child, "close");
    let isOver = false;
    void ended.then(() => isOver = true);
    await Promise.race([once(child.stdout, "data"), ended]);
    const endMs = performance.now() + random() * MOST_MS;
    while (!isOver) {
      moveReference(repositories[Math.floor(random() * repositories.length)]!, random);
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (i % BY_SIGNAL === 0 && performance.now() > endMs) child.kill("SIGKILL");
    }
    const [, signal] = await ended;
    assert.equal(signal, "SIGKILL");
    await checkVisible(bucket, rids);
    if (i % CHECKED_EVERY === CHECKED_EVERY - 1) await checkLast(given);
  }
  await checkLast(given);
}

function startChild({ home, address, variables = {} }: KilledHome, lastCall: number, takesEffect: boolean) {
  const runtime = "Deno" in globalThis ? ["run", "--quiet", "--no-check", "--allow-all"] : [];
  return spawn(process.execPath, [...runtime, CHILD, home, address, `${lastCall}`, `${takesEffect}`], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Adds a commit to a branch, or removes the branch. */
function moveReference(repository: GitRepository, random: () => number): void {
  const name = `refs/heads/moving-${Math.floor(random() * 4)}`;
  const [before] = repository.text(["for-each-ref", "--format=%(objectname)", name]).split("\n");
  if (before && random() < 0.2) return void repository.run(["update-ref", "-d", name]);
  const blob = repository.put("blob", `${random()}`);
  const tree = repository.text(["mktree"], `100644 blob ${blob}\tmoving\n`);
  const parents = before ? ["-p", before] : [];
  repository.run(["update-ref", name, repository.text(["commit-tree", tree, ...parents, "-m", "Move"])]);
}

/** Publishes once more; the bucket has the last state then, and nothing besides. */
async function checkLast({ home, rids, bucket }: KilledHome): Promise<void> {
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  await createTestPublisher(storage, bucket).publishAll();
  const publisher = createTestPublisher(storage, bucket, { graceMs: -1 });
  await publisher.publishAll();
  assert.equal((await publisher.publishAll()).unreferenced, 0);
  await checkVisible(bucket, rids);
  for (const rid of rids) {
    const state = await readState(bucket, rid);
    const repository = storage.repository(rid)!;
    assert.deepEqual(state?.refs, [await repository.ref("HEAD"), ...await repository.refs("refs/")]);
    assert.equal(await createVerifyClone(bucket, homeParts)!(state!.manifest), true, "git fsck");
  }
  storage.close();
}
