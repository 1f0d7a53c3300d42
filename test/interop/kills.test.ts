/** A service that is killed at random moments while clients write: what it has acknowledged is there when it is back, and writing goes on. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { it } from "node:test";
import { ALL_WANTED } from "../support/cases.ts";
import { GENERATIONS, RUNTIMES } from "../support/programs.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSigned,
  createWrittenProject,
  entriesInRad,
  newComment,
  newIssue,
  RefusedError,
  type WrittenProject,
} from "./written_project.ts";

/** How often a service is killed; `XYLEM_KILLS` says otherwise. */
const KILLS = Number(process.env["XYLEM_KILLS"] ?? (ALL_WANTED ? 30 : 9));
/** The longest that a service may write before it is killed. */
const MAX_LIFE_MS = 120;
/** Clients that write at a time. */
const CLIENTS = 3;
/** Kills between two checks of every object by git. */
const CHECK_EVERY = 5;
const SEED = 20240217;
const LIMIT_MS = 900_000;

const { folder, serve } = createServedHomes("kills");

/** Numbers from 0 to 1, the same ones in each run (a linear congruential generator modulo 2³²). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Locks of references that are there; nobody but the next service removes those that were left. */
function locksIn({ git }: WrittenProject): string[] {
  return readdirSync(git.path, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".lock")
  );
}

// One test: it is one history, in which every life of the service builds on the one before.
it("a service killed while it writes has lost nothing that it acknowledged", {
  timeout: LIMIT_MS,
}, async (test) => {
  const random = createRandom(SEED);
  const project = createWrittenProject(GENERATIONS[1], join(folder, "home"));
  const acknowledged: string[] = [];
  let issue: string | undefined;
  let locks = 0, interrupted = 0, written = 0, longestMs = 0;

  for (let kill = 0; kill < KILLS; kill++) {
    const { service, client } = await serve(project, { runtime: RUNTIMES[kill % RUNTIMES.length]! });
    issue ??= await client.send("POST", "/issues", newIssue("Killed"));
    const id = issue;

    const shown = await client.read(`/issues/${id}`);
    const ids = new Set(shown.discussion.map(({ id }: { id: string }) => id));
    assert.deepEqual(acknowledged.filter((entry) => !ids.has(entry)), [], `after kill ${kill}`);
    const comment = (n: string) => client.send("PATCH", `/issues/${id}`, newComment(id, `${kill}-${n}.`));
    const startMs = performance.now();
    acknowledged.push(await comment("first"));
    longestMs = Math.max(longestMs, performance.now() - startMs);

    let isKilled = false;
    const writers = Array.from({ length: CLIENTS }, async (_, writer) => {
      for (let n = 0; !isKilled; n++) {
        try {
          acknowledged.push(await comment(`${writer}-${n}`));
          written++;
        } catch (error) {
          // A living service takes every comment; only the kill may break the connection.
          if (!isKilled || error instanceof RefusedError) throw error;
          interrupted++;
        }
      }
    });
    const killed = new Promise<void>((resolve) => {
      setTimeout(() => {
        isKilled = true;
        process.kill(service.pid, "SIGKILL");
        resolve();
      }, random() * MAX_LIFE_MS);
    });
    await Promise.all([killed, ...writers]);
    await service.stop();
    locks += locksIn(project).length;
    if (kill % CHECK_EVERY === CHECK_EVERY - 1) assertIntact(project);
  }

  const { client } = await serve(project);
  acknowledged.push(await client.send("PATCH", `/issues/${issue}`, newComment(issue!, "last")));
  const shown = await client.read(`/issues/${issue}`);
  const ids = new Set(shown.discussion.map(({ id }: { id: string }) => id));
  const entries = entriesInRad(project, issue!);
  assert.deepEqual(acknowledged.filter((entry) => !ids.has(entry) || !entries.has(entry)), []);
  assert.deepEqual(locksIn(project), []);
  assert.ok(longestMs < 30_000, `the first write after a kill took ${longestMs} ms`);
  assertIntact(project);
  await assertSigned(project);
  test.diagnostic?.(
    `${KILLS} kills, ${acknowledged.length} acknowledged writes (${written} in the face of a kill), ${interrupted} interrupted, ${locks} locks left, ${
      longestMs.toFixed(0)
    } ms for the longest first write after a kill`,
  );
});
