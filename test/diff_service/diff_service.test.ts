import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileOnce } from "../../adapters/home/home.ts";
import { loadLibgit2 as load } from "../../adapters/node/libgit2.ts";
import { ByteCache, type CachedPart } from "../../src/cache/byte_cache.ts";
import { Libgit2, Libgit2Error } from "../../src/diff/libgit2/engine.ts";
import type { DiffAnswer } from "../../src/diff_service/diff_answer.ts";
import { DiffService } from "../../src/diff_service/diff_service.ts";
import { makeJob } from "../../src/diff_service/make.ts";
import { createWorkerPool } from "../../src/diff_service/worker/pool.ts";
import { fromErrorText, toErrorText } from "../../src/diff_service/worker/protocol.ts";
import { DamagedError, TooLargeError, UnavailableError } from "../../src/errors.ts";
import { jsonPieces } from "../../src/http/respond.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import {
  type DiffForm,
  type Job,
  NoWorkersError,
  type Result,
  type Workers,
} from "../../src/ports/workers.ts";
import { Scheduler } from "../../src/scheduling/scheduler.ts";
import { Task } from "../../src/scheduling/task.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { MAX_SHOWN_BYTES } from "../../src/views/blob.ts";
import { blob, ELSEWHERE, emptyRepository, tree, treeOf } from "../diff/trees.ts";
import { putTree } from "../support/world.ts";
import { FakeClock, FakeWorkers, madeOf, textOf, textOfDiff } from "./fake_workers.ts";

/** Bytes of a text that no service compares between requests. */
const LARGE_BYTES = 2 ** 20;
const FORMS: readonly DiffForm[] = ["v1", "v1-stats", "moves", "today", "today-stats"];

const loadLibgit2 = compileOnce(load);

type Run = (job: Job, signal: AbortSignal | undefined) => Promise<Result<Job>>;

/** Workers that record their jobs and do what `run` says. */
class TestWorkers implements Workers {
  readonly jobs: Job[] = [];
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  run<J extends Job>(job: J, signal?: AbortSignal): Promise<Result<J>> {
    this.jobs.push(job);
    return this.#run(job, signal) as Promise<Result<J>>;
  }
}

/** Workers that do their jobs in this thread. */
function realWorkers(repository: Repository): TestWorkers {
  const tools = { libgit2: new Libgit2(loadLibgit2), repository };
  return new TestWorkers((job) => makeJob(tools, job));
}

const failing = (error: Error) => new TestWorkers(() => Promise.reject(error));

function createService(options: { workers?: Workers; cacheBytes?: number; scheduler?: Scheduler } = {}) {
  const { cacheBytes = 2 ** 26, ...others } = options;
  return new DiffService({ loadLibgit2, answerCache: new ByteCache(cacheBytes), ...others });
}

/** Two trees between which a file was changed, `bytes` long. */
function changedFile(repository: MemoryRepository, bytes = 20): [old: Oid, now: Oid] {
  const text = "line\n".repeat(Math.ceil(bytes / 5));
  return [putTree(repository, { a: text }), putTree(repository, { a: `${text}more\n` })];
}

/** The same repository, counting how often it is asked for objects. */
function counted(repository: MemoryRepository): { repository: Repository; asked: () => number } {
  let asked = 0;
  const objects: Repository["objects"] = (oids) => {
    asked++;
    return repository.objects(oids);
  };
  return { repository: { ...repository, objects }, asked: () => asked };
}

/** Lets everything run that does not wait for the test. */
const settle = () => new Promise((resume) => setTimeout(resume, 0));

/** Texts of many lines, which have the same lines in another order for another seed. */
const shuffled = (seed: number, lines: number) =>
  Array.from({ length: lines }, (_, i) => `${(i * seed) % 997}\n`).join("");

/** As many files as a number says, with short texts. */
const shortFiles = (word: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`, `${word}${i}\n`] as const));

/** Trees with an old and a new word in them, whose diffs are not small. */
const NOT_SMALL: Readonly<Record<string, (repository: MemoryRepository, word: string) => Oid>> = {
  "a large file": (repository, word) => putTree(repository, { a: word + "line\n".repeat(LARGE_BYTES / 5) }),
  "many files": (repository, word) => putTree(repository, shortFiles(word, 800)),
  "a large folder": (repository, word) => {
    const [same, other] = [blob(repository, "same"), blob(repository, word)];
    const names = Array.from({ length: 20_000 }, (_, i) => `${100_000 + i}`);
    return treeOf(repository, names.map((name, i) => ["100644", name, i === 7 ? other : same]));
  },
  "a text that only libgit2 can compare": (repository, word) =>
    putTree(repository, { a: `${word}\n`, b: shuffled(word === "old" ? 7 : 11, 3000), c: `${word}\n` }),
  "large files that may have been moved": (repository, word) => {
    const text = (name: string) => `${word}\n${`a line of ${name}\n`.repeat(4000)}`;
    return putTree(repository, {
      a: `${word}\n`,
      [`${word}-one`]: text("one"),
      [`${word}-two`]: text("two"),
    });
  },
  "many short lines": (repository, word) => {
    const text = (word === "old" ? "\n" : "1\n").repeat(50_000);
    return putTree(repository, { a: text, b: text });
  },
  "much JSON": (repository, word) => {
    const text = (i: number) => `${i % 7 === 0 ? i : `${word} ${i}`} ${"x".repeat(60)}\n`.repeat(600 + i);
    const files = Array.from(
      { length: 60 },
      (_, i) => [i % 5 === 0 ? `${word}${i}` : `${i}`, text(i)] as const,
    );
    return putTree(repository, Object.fromEntries(files));
  },
};

describe("a diff", () => {
  it("is the diff object as JSON, and the blobs that it touches", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, 5);
    const made = await createService().diff(repository, old, now);
    assert.deepEqual(JSON.parse(await textOfDiff(made)), {
      added: [],
      deleted: [],
      moved: [],
      copied: [],
      modified: [{
        path: "a",
        diff: {
          type: "plain",
          hunks: [{
            header: "@@ -1 +1,2 @@\n",
            lines: [
              { line: "line\n", lineNoOld: 1, lineNoNew: 1, type: "context" },
              { line: "more\n", lineNo: 2, type: "addition" },
            ],
            old: { start: 1, end: 2 },
            new: { start: 1, end: 3 },
          }],
          stats: { additions: 1, deletions: 0 },
          eof: "noneMissing",
        },
        old: { oid: blob(repository, "line\n"), mode: "blob" },
        new: { oid: blob(repository, "line\nmore\n"), mode: "blob" },
      }],
      stats: { filesChanged: 1, insertions: 1, deletions: 0 },
    });
    assert.deepEqual(made.touched, [blob(repository, "line\n"), blob(repository, "line\nmore\n")]);
  });

  it("is remembered with what it touches", async () => {
    const { repository, asked } = counted(emptyRepository());
    const [old, now] = changedFile(repository as MemoryRepository);
    const diffs = createService();
    const first = await diffs.diff(repository, old, now);
    const before = asked();
    const second = await diffs.diff(repository, old, now);
    assert.equal(await textOfDiff(second), await textOfDiff(first));
    assert.deepEqual([second.touched, second.touchedBytes], [first.touched, first.touchedBytes]);
    assert.equal(asked(), before);
    await diffs.diff(repository, now, old);
    assert.ok(asked() > before);
  });

  it("of one repository is not shown in another that lacks the objects", async () => {
    const storage = createMemoryStorage();
    const [one, other] = [
      storage.create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji"),
      storage.create("rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5"),
    ];
    const [old, now] = changedFile(one);
    const diffs = createService();
    await diffs.diff(one, old, now);
    await assert.rejects(diffs.diff(other, old, now), DamagedError);
  });

  it("is cached once, in an answer that contains it, and by itself without one", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, 2000);
    const answerCache = new ByteCache(2 ** 26);
    const diffs = new DiffService({ loadLibgit2, answerCache });
    const text = await textOfDiff(await diffs.diff(repository, old, now));
    const alone = answerCache.weight;
    assert.ok(alone > text.length);

    const parts: CachedPart[] = [];
    const pieces = jsonOf(await diffs.diff(repository, old, now));
    const { body, headers } = await jsonPieces(pieces, () => {}, new Task(), { parts });
    assert.ok(body instanceof Uint8Array);
    answerCache.set("answer", { bytes: body, headers }, parts);
    assert.ok(answerCache.weight < alone + 2000, "the text of the diff is not cached twice");
    const counting = counted(repository);
    assert.equal(await textOfDiff(await diffs.diff(counting.repository, old, now)), text);
    assert.equal(counting.asked(), 0);

    async function* jsonOf(diff: DiffAnswer) {
      yield `{"diff":`;
      yield* diff.pieces;
      yield "}";
    }
  });

  it("is made once for all who ask at a time, be it small or large", async () => {
    for (const bytes of [20, LARGE_BYTES]) {
      const { repository, asked } = counted(emptyRepository());
      const [old, now] = changedFile(repository as MemoryRepository, bytes);
      const workers = realWorkers(repository);
      await createService({ workers }).diff(repository, old, now);
      const [once, jobs] = [asked(), workers.jobs.length];
      const diffs = createService({ workers });
      const all = await Promise.all([1, 2, 3].map(() => diffs.diff(repository, old, now)));
      assert.equal(new Set(await Promise.all(all.map(textOfDiff))).size, 1);
      assert.deepEqual([asked(), workers.jobs.length], [2 * once, 2 * jobs]);
    }
  });

  it("that is small needs no worker", async () => {
    const repository = emptyRepository();
    const workers = failing(new Error("not needed"));
    const text = shuffled(1, 40);
    const trees = [
      changedFile(repository),
      [putTree(repository, shortFiles("a", 100)), putTree(repository, shortFiles("b", 100))],
      [putTree(repository, { one: text, other: text }), putTree(repository, { to: `${text}more\n` })],
    ] as const;
    for (const [old, now] of trees) {
      const diff = await createService({ workers }).diff(repository, old, now);
      assert.equal(
        await textOfDiff(diff),
        await textOfDiff(await createService().diff(repository, old, now)),
      );
    }
    assert.deepEqual(workers.jobs, []);
  });

  for (const [what, put] of Object.entries(NOT_SMALL)) {
    it(`of ${what} is made by a worker, and has the same bytes as without workers, in each form`, async () => {
      const repository = emptyRepository();
      const [old, now] = [put(repository, "old"), put(repository, "new")];
      const workers = realWorkers(repository);
      for (const form of FORMS) {
        workers.jobs.length = 0;
        const alone = await createService().diff(repository, old, now, {}, form);
        const diff = await createService({ workers }).diff(repository, old, now, {}, form);
        assert.equal(await textOfDiff(diff), await textOfDiff(alone));
        assert.deepEqual([diff.touched, diff.touchedBytes], [alone.touched, alone.touchedBytes]);
        // Forms that show less may be small.
        assert.ok(workers.jobs.length > 0 || form !== "v1");
      }
    });
  }

  it("is made here when no worker can be started", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, LARGE_BYTES);
    const diff = await createService({ workers: failing(new NoWorkersError("none")) }).diff(
      repository,
      old,
      now,
    );
    assert.equal(await textOfDiff(diff), await textOfDiff(await createService().diff(repository, old, now)));
  });

  it("that takes long is made by a worker, before the answer begins", async () => {
    const repository = emptyRepository();
    const [old, now] = [putTree(repository, shortFiles("a", 200)), putTree(repository, shortFiles("b", 200))];
    let nowMs = 0;
    const workers = realWorkers(repository);
    const diffs = createService({ workers, scheduler: new Scheduler({ now: () => nowMs += 10 }) });
    const diff = await diffs.diff(repository, old, now);
    assert.deepEqual(workers.jobs.map(({ kind }) => kind), ["diff"]);
    assert.equal(await textOfDiff(diff), await textOfDiff(await createService().diff(repository, old, now)));
  });

  it("that is large does not hold up a small one", async () => {
    const repository = emptyRepository();
    const [large, largeNow] = changedFile(repository, LARGE_BYTES);
    const [small, smallNow] = changedFile(repository);
    const never = new TestWorkers(() => new Promise(() => {}));
    const diffs = createService({ workers: never });
    for (let i = 0; i < 100; i++) {
      void diffs.diff(repository, large, i % 2 === 0 ? largeNow : putTree(repository, { i: `${i}` }));
    }
    assert.match(await textOfDiff(await diffs.diff(repository, small, smallNow)), /"line":"more/);
  });

  it("fails as the workers do, and is tried again for the next client", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, LARGE_BYTES);
    const works = realWorkers(repository);
    for (const error of [new UnavailableError("busy"), new DamagedError("broken")]) {
      let hasFailed = false;
      const workers = new TestWorkers((job) => {
        if (hasFailed) return works.run(job);
        hasFailed = true;
        return Promise.reject(error);
      });
      const diffs = createService({ workers });
      await assert.rejects(diffs.diff(repository, old, now), error);
      assert.match(await textOfDiff(await diffs.diff(repository, old, now)), /"line":"more/);
    }
  });

  it("whose worker dies is refused for a while, and others are made", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, LARGE_BYTES);
    const [workers, clock] = [new FakeWorkers(), new FakeClock()];
    const pool = createWorkerPool({ startWorker: workers.start, now: clock.now, setTimer: clock.setTimer });
    const diffs = createService({ workers: pool });
    const made = assert.rejects(
      diffs.diff(repository, old, now),
      (error) => error instanceof UnavailableError && error.retryAfterSeconds !== undefined,
    );
    while (workers.started.length === 0) await settle();
    workers.started[0]!.ready();
    while (workers.started[0]!.jobs.length === 0) await settle();
    workers.started[0]!.end();
    await made;
    const other = diffs.diff(repository, now, old);
    while (workers.started.length === 1) await settle();
    workers.started[1]!.ready();
    while (workers.started[1]!.jobs.length === 0) await settle();
    workers.started[1]!.make("made");
    assert.equal(await textOfDiff(await other), "made");
    void pool.close();
  });

  it("is refused at once when it was found to be too large", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, LARGE_BYTES);
    const workers = failing(new TooLargeError("too many"));
    const diffs = createService({ workers });
    for (let i = 0; i < 2; i++) await assert.rejects(diffs.diff(repository, old, now), TooLargeError);
    assert.equal(workers.jobs.length, 1);
  });

  it("is refused by the sizes of its files, before any is read, wherever it is made", async () => {
    const memory = emptyRepository();
    const oid = blob(memory, "1");
    const huge: Repository = {
      ...memory,
      // Each file has two sides of 8 MiB.
      header: () => ({ kind: "blob", size: 2 ** 23 }),
      object: () => assert.fail("read"),
    };
    const names = Array.from({ length: 300 }, (_, i) => String.fromCharCode(0x100 + i));
    const now = treeOf(memory, names.map((name) => ["100644", name, oid]));
    for (const workers of [undefined, realWorkers(huge), failing(new NoWorkersError("none"))]) {
      await assert.rejects(createService(workers && { workers }).diff(huge, undefined, now), TooLargeError);
    }
  });

  it("is refused for a while when libgit2 fails", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, LARGE_BYTES);
    const workers = failing(fromErrorText(toErrorText(new Libgit2Error("out of memory"))));
    await assert.rejects(createService({ workers }).diff(repository, old, now), { name: "UnavailableError" });
  });

  it("is not asked of workers when it is damaged at first sight", async () => {
    const repository = emptyRepository();
    const workers = realWorkers(repository);
    await assert.rejects(
      createService({ workers }).diff(repository, ELSEWHERE, tree(repository)),
      DamagedError,
    );
    assert.equal(workers.jobs.length, 0);
  });

  it("is given up by a worker when all who asked have left", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, LARGE_BYTES);
    const begun = Promise.withResolvers<AbortSignal | undefined>();
    const answer = Promise.withResolvers<Result<Job>>();
    const workers = new TestWorkers((_job, signal) => {
      begun.resolve(signal);
      return answer.promise;
    });
    const diffs = createService({ workers });
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [one, two].map(({ signal }) => diffs.diff(repository, old, now, { signal }));
    const signal = await begun.promise;
    one.abort();
    assert.equal(signal?.aborted, false);
    two.abort();
    assert.equal(signal?.aborted, true);
    answer.resolve(madeOf(""));
    await Promise.all(both);
  });

  it("is given up here when all its clients have left, and made again for the next client", async () => {
    const { repository, asked } = counted(emptyRepository());
    const files = (word: string) => putTree(repository as MemoryRepository, shortFiles(word, 1000));
    const [old, now] = [files("a"), files("b")];
    const whole = createService();
    await whole.diff(repository, old, now);
    const reads = asked();
    const diffs = createService();
    const client = new AbortController();
    const made = diffs.diff(repository, old, now, { signal: client.signal });
    client.abort();
    await assert.rejects(made, { name: "UnavailableError" });
    assert.ok(asked() < 2 * reads);
    const [again, expected] = [
      await diffs.diff(repository, old, now),
      await whole.diff(repository, old, now),
    ];
    assert.equal(await textOfDiff(again), await textOfDiff(expected));
  });

  it("that is long comes in parts, which are given up when the client leaves", async () => {
    const repository = emptyRepository();
    const put = NOT_SMALL["much JSON"]!;
    const [old, now] = [put(repository, "old"), put(repository, "new")];
    const works = realWorkers(repository);
    const signals: (AbortSignal | undefined)[] = [];
    const workers = new TestWorkers((job, signal) => {
      if (job.kind === "part") signals.push(signal);
      // The second part is never made.
      return signals.length < 2 ? works.run(job) : new Promise(() => {});
    });
    const { pieces } = await createService({ workers }).diff(repository, old, now);
    await pieces.next();
    await pieces.next();
    await pieces.return(undefined);
    assert.deepEqual(signals.map((signal) => signal?.aborted), [false, true]);
  });
});

describe("files", () => {
  /** The JSON of the files of blobs of so many bytes, in parts. */
  async function partsOf(
    diffs: DiffService,
    repository: Repository,
    touched: readonly Oid[],
    touchedBytes: number,
  ): Promise<string[]> {
    const texts: string[] = [];
    for await (const json of diffs.files(repository, { touched, touchedBytes })) texts.push(textOf({ json }));
    return texts;
  }

  it("are members by blob id, too large ones marked, without those that cannot be shown", async () => {
    const repository = emptyRepository();
    const [text, binary] = [blob(repository, "text\n"), blob(repository, Uint8Array.of(0, 0xff))];
    const large = blob(repository, new Uint8Array(MAX_SHOWN_BYTES + 1));
    const oids = [text, large, ELSEWHERE, tree(repository), binary];
    for (const workers of [undefined, realWorkers(repository)]) {
      const [json, ...more] = await partsOf(createService(workers && { workers }), repository, oids, 10);
      assert.deepEqual(more, []);
      assert.deepEqual(JSON.parse(`{${json}}`), {
        [text]: { id: text, binary: false, content: "text\n" },
        [large]: { id: large, binary: true, content: "", truncated: true },
        [binary]: { id: binary, binary: true, content: "AP8=" },
      });
    }
  });

  it("are read once, and their sizes only where they cannot be shown", async () => {
    const repository = emptyRepository();
    const text = blob(repository, "text\n");
    const large = blob(repository, new Uint8Array(MAX_SHOWN_BYTES + 1));
    const asked: string[] = [];
    const counting = new Proxy(repository, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (name === "header" || name === "object") {
            asked.push(`${name} ${args[0] === text ? "text" : "large"}`);
          }
          return Reflect.apply(value, target, args);
        };
      },
    });
    await partsOf(createService(), counting, [text, large], 10);
    assert.deepEqual(asked, ["object text", "object large", "header large"]);
  });

  it("come in parts of limited size", async () => {
    const repository = emptyRepository();
    const bytes = MAX_SHOWN_BYTES - 10;
    const oids = Array.from({ length: 4 }, (_, i) => blob(repository, `${i}`.repeat(bytes)));
    const parts = await partsOf(createService(), repository, oids, oids.length * bytes);
    assert.deepEqual(Object.keys(JSON.parse(`{${parts.join()}}`)), oids);
    assert.ok(parts.every((part) => part.length < 2 * MAX_SHOWN_BYTES), "one file of this size in each part");
  });

  it("come in several parts when they are many", async () => {
    const repository = emptyRepository();
    const oids = Array.from({ length: 5000 }, (_, i) => blob(repository, `${i}`));
    const parts = await partsOf(createService(), repository, oids, 20_000);
    assert.deepEqual(Object.keys(JSON.parse(`{${parts.join()}}`)), oids);
    assert.ok(parts.every((part) => Object.keys(JSON.parse(`{${part}}`)).length < oids.length / 2));
  });

  it("need no worker when they are few and small, and are not read here otherwise", async () => {
    const repository = emptyRepository();
    const workers = realWorkers(repository);
    const diffs = createService({ workers });
    const small = blob(repository, "x");
    assert.match((await partsOf(diffs, repository, [small], 1)).join(), /"content":"x"/);
    assert.deepEqual(workers.jobs, []);
    const unread: Repository = { ...repository, object: () => assert.fail("read here") };
    const many = Array.from({ length: 2000 }, (_, i) => blob(repository, `${i}`));
    for (const [oids, bytes] of [[[small], 2 * LARGE_BYTES], [many, 8000]] as const) {
      workers.jobs.length = 0;
      const shown = JSON.parse(`{${(await partsOf(diffs, unread, oids, bytes)).join()}}`);
      assert.deepEqual(Object.keys(shown), oids);
      assert.ok(workers.jobs.length > 0);
    }
  });
});
