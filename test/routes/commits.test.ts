/** Diffs in answers, made by workers that do what a test says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SMALL_DIFF } from "../../src/diff/budget.ts";
import { fromErrorText, toErrorText } from "../../src/diff_service/worker/protocol.ts";
import { DamagedError, TooLargeError, UnavailableError } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Job, Result, Workers } from "../../src/ports/workers.ts";
import { madeOf } from "../diff_service/fake_workers.ts";
import { createTestApi } from "../support/api.ts";
import { createWorld, putBlob, putCommit, setHead, START_SECONDS, type World } from "../support/world.ts";

/** Answers up to this length have a `Content-Length`; longer ones may be sent while they are made. */
const MIB = 2 ** 20;

const COMMITS = 8;
/** Nothing that this process compares by itself. */
const TEXT = "line\n".repeat(SMALL_DIFF.blobBytes / 5 + 1);
const DIFF_LINE = /^\{"number":\d\}$/;

/** A world with a branch of large changes; its commits and their trees from the newest to the oldest. */
function createLargeWorld(): { world: World; commits: Oid[]; trees: Oid[] } {
  const world = createWorld();
  const commits: Oid[] = [];
  for (let i = 0; i < COMMITS; i++) {
    const parents = commits.slice(0, 1);
    const folder = { a: `${TEXT}${i}\n` };
    const timeSeconds = START_SECONDS + 10_000 + i;
    commits.unshift(putCommit(world.hello, { folder, parents, message: `${i}\n`, timeSeconds }));
  }
  setHead(world.hello, commits[0]!);
  const trees = commits.map((oid) => {
    const text = new TextDecoder().decode(world.hello.object(oid)?.bytes);
    return text.slice("tree ".length, "tree ".length + 40) as Oid;
  });
  return { world, commits, trees };
}

const { world, commits, trees } = createLargeWorld();
const PROJECT = `/projects/${world.helloRid}`;

/** A request for a diff, to be answered by the test. */
interface Asked {
  /** Which commit of the branch it is for. */
  readonly number: number;
  resolve(made: Result<Job>): void;
  reject(error: Error): void;
}

/** Workers that leave it to the test when and what they answer. */
function createPatientWorkers(): Workers & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    run: asWorkers((job) => {
      const { promise, resolve, reject } = Promise.withResolvers<Result<Job>>();
      asked.push({ number: job.kind === "diff" ? trees.indexOf(job.newTree) : -1, resolve, reject });
      return promise;
    }).run,
  };
}

const asWorkers = (run: (job: Job) => Promise<Result<Job>>): Workers => ({
  run: <J extends Job>(job: J) => run(job) as Promise<unknown> as Promise<Result<J>>,
});
const refusal = () => new UnavailableError("busy", { retryAfterSeconds: 7 });

/** Lets everything run that does not wait for the test. */
const settle = () => new Promise((resume) => setTimeout(resume, 0));

/** What the workers have been asked for, as soon as that is so much: work in slices may take several rounds until then. */
async function takeAsked({ asked }: { readonly asked: Asked[] }, count = 1): Promise<Asked[]> {
  while (asked.length < count) await settle();
  return asked.splice(0);
}

describe("a page of history", () => {
  const path = `${PROJECT}/commits?perPage=${COMMITS}`;

  it("has its diffs made a few at a time, and shows them in their order", async () => {
    const workers = createPatientWorkers();
    const answer = createTestApi({ workers }, world).get(path);
    let most = 0;
    for (let left = COMMITS; left > 0;) {
      await settle();
      const asked = workers.asked.splice(0).reverse();
      most = Math.max(most, asked.length);
      left -= asked.length;
      for (const { number, resolve } of asked) resolve(madeOf(`{"number":${number}}`));
    }
    const { status, body } = await answer;
    assert.equal(status, 200);
    assert.deepEqual(
      body.commits.map(({ commit, diff }: { commit: { id: string }; diff: { number: number } }) => [
        commit.id,
        diff.number,
      ]),
      commits.map((oid, i) => [oid, i]),
    );
    assert.ok(most > 1 && most < COMMITS, `${most} at a time`);
  });

  it("shows commits without a diff whose diff cannot be made, or not in time", async () => {
    const workers = asWorkers((job) => {
      const number = job.kind === "diff" ? trees.indexOf(job.newTree) : -1;
      if (number === 1) return Promise.reject(refusal());
      if (number === 2) return Promise.reject(new DamagedError("broken"));
      return Promise.resolve(madeOf(`{"number":${number}}`));
    });
    const { get, log } = createTestApi({ workers }, world);
    const { status, body } = await get(path);
    assert.equal(status, 200);
    for (const [i, { diff }] of body.commits.entries()) {
      if (i === 1 || i === 2) assert.equal(diff, null);
      else assert.match(JSON.stringify(diff), DIFF_LINE);
    }
    assert.deepEqual(log, ["Damaged repository data"]);
  });

  it("is 503 when a diff cannot be made because the storage cannot be read", async () => {
    const away = new UnavailableError("The bucket cannot be read now", {
      retryAfterSeconds: 5,
      isOfStorage: true,
    });
    const workers = asWorkers((job) =>
      job.kind === "diff" && job.newTree === trees[1]
        ? Promise.reject(fromErrorText(toErrorText(away)))
        : Promise.resolve(madeOf(`{"number":1}`))
    );
    const { status, headers, body } = await createTestApi({ workers }, world).get(path);
    assert.deepEqual([status, headers.get("retry-after")], [503, "5"]);
    assert.equal(body.error, "The bucket cannot be read now");
  });

  it("is given up without a word when the client leaves", async () => {
    const workers = createPatientWorkers();
    const { api, log } = createTestApi({ workers }, world);
    const answer = api.fetch(new Request(`http://localhost/api/v1${path}`));
    for (const { resolve } of await takeAsked(workers, COMMITS / 2)) {
      resolve(madeOf(JSON.stringify("x".repeat(MIB))));
    }
    const reader = (await answer).body?.getReader();
    // All that was gathered, and what is made of the rest.
    for (let i = 0; i < 12; i++) void reader?.read().catch(() => {});
    const late = await takeAsked(workers, COMMITS / 2);
    await reader?.cancel();
    await settle();
    for (const { resolve } of [...late, ...workers.asked.splice(0)]) resolve(madeOf("{}"));
    await settle();
    assert.deepEqual([workers.asked.length, log], [0, []]);
  });

  it("marks a diff that is too large, and shows the others", async () => {
    const workers = asWorkers((job) =>
      job.kind === "diff" && trees.indexOf(job.newTree) === 1
        ? Promise.reject(new TooLargeError("too many files"))
        : Promise.resolve(madeOf("{}"))
    );
    const { get, log } = createTestApi({ workers }, world);
    const { status, body } = await get(path);
    assert.equal(status, 200);
    const marks = body.commits.map((
      one: { truncated?: boolean; diff: unknown },
    ) => [one.diff, one.truncated]);
    assert.deepEqual(marks.filter(([diff]: unknown[]) => diff === null), [[null, true]]);
    assert.deepEqual(log, []);
  });

  it("is an error when something else fails", async () => {
    const workers = asWorkers(() => Promise.reject(new RangeError("odd")));
    assert.equal((await createTestApi({ workers }, world).get(path)).status, 500);
  });
});

for (
  const [name, path] of [
    ["a commit", `${PROJECT}/commits/${commits[0]}`],
    ["a diff", `${PROJECT}/diff/${commits[2]}/${commits[0]}`],
  ] as const
) {
  describe(name, () => {
    it("is refused for a while when its diff cannot be made in time, and answered afterwards", async () => {
      let isBusy = true;
      const workers = asWorkers(() => isBusy ? Promise.reject(refusal()) : Promise.resolve(madeOf("{}")));
      const { get, log } = createTestApi({ workers }, world);
      const refused = await get(path);
      assert.deepEqual([refused.status, refused.body], [503, { error: "busy", code: 503 }]);
      assert.equal(refused.headers.get("retry-after"), "7");
      isBusy = false;
      assert.equal((await get(path)).status, 200);
      assert.deepEqual(log, []);
    });

    it("is refused when it is too large", async () => {
      const workers = asWorkers(() => Promise.reject(new TooLargeError("too many files")));
      const { get, log } = createTestApi({ workers }, world);
      for (let i = 0; i < 2; i++) {
        const refused = await get(path);
        assert.deepEqual([refused.status, refused.body], [413, { error: "too many files", code: 413 }]);
      }
      assert.deepEqual(log, []);
    });

    it("breaks off when another part of its diff fails, and never ends cleanly", async () => {
      const batch = { bytes: new Uint8Array(), start: 1, last: "added" } as const;
      const long = `{"added":["${"x".repeat(MIB)}"`;
      const workers = asWorkers((job) =>
        job.kind === "diff" ? Promise.resolve(madeOf(long, [batch])) : Promise.reject(refusal())
      );
      const response = await createTestApi({ workers }, world).api.fetch(
        new Request(`http://localhost/api/v1${path}`),
      );
      assert.equal(response.status, 200);
      await assert.rejects(response.text(), /cut off/);
    });

    it("has its files in parts", async () => {
      const large = ["x", "y", "z"].map((letter) =>
        putBlob(world.hello, letter.repeat(SMALL_DIFF.fileBytes + 1))
      );
      const workers = asWorkers((job) => {
        if (job.kind !== "files") {
          return Promise.resolve({ ...madeOf("{}"), touched: large, touchedBytes: 3e6 });
        }
        const [first, ...left] = job.oids;
        // Nothing is to be seen of the second.
        return Promise.resolve({ ...madeOf(first === large[1] ? "" : `"${first}":1`), left });
      });
      const { body } = await createTestApi({ workers }, world).get(path);
      assert.deepEqual([body.diff, body.files], [{}, { [large[0]!]: 1, [large[2]!]: 1 }]);
    });
  });
}

describe("a host without libgit2", () => {
  const world = createWorld();
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i} of a text\n`);
  const text = (changed: number) => lines.map((line, i) => i === changed ? "changed\n" : line).join("");
  const before = putCommit(world.hello, { folder: { a: text(1), b: text(2) }, message: "Two\n" });
  const moved = putCommit(world.hello, {
    folder: { c: text(3) },
    parents: [before],
    message: "Which one was it?\n",
    timeSeconds: START_SECONDS + 1,
  });
  setHead(world.hello, moved);

  it("says that it cannot compare files that need it, and why in the log", async () => {
    const { get, log } = createTestApi({}, world);
    const { status, body } = await get(`/projects/${world.helloRid}/commits/${moved}`);
    assert.deepEqual([status, body], [501, { error: "This host cannot compare these files", code: 501 }]);
    assert.deepEqual(log, ["This host cannot compare these files"]);
  });

  it("shows a page of history without their diffs", async () => {
    const { get } = createTestApi({}, world);
    const { status, body } = await get(`/projects/${world.helloRid}/commits`);
    assert.equal(status, 200);
    assert.deepEqual(body.commits.map(({ diff }: { diff: unknown }) => diff === null), [true, false]);
  });
});
