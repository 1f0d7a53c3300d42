import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { ByteCache, type CachedPart } from "../../src/cache/byte_cache.ts";
import type { DiffAnswer } from "../../src/diff_service/diff_answer.ts";
import { DiffService, FILES_PER_PART } from "../../src/diff_service/diff_service.ts";
import {
  BOTH_BATCH_BYTES,
  HERE,
  MAX_SHARED_JOBS,
  MOST_HANDED_FILES,
  MOST_HERE,
} from "../../src/diff_service/place.ts";
import { FIRST_PART, makeDiff, makePart, PART_BYTES } from "../../src/diff_service/render/diff.ts";
import { makeJob } from "../../src/diff_service/make.ts";
import { FILES_PART_BYTES } from "../../src/diff_service/render/files.ts";
import { fromErrorText, toErrorText } from "../../src/diff_service/worker/protocol.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { Libgit2, Libgit2Error } from "../../src/diff/libgit2/engine.ts";
import { DamagedError, TooLargeError, UnavailableError } from "../../src/errors.ts";
import { jsonPieces } from "../../src/http/respond.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { LoadLibgit2 } from "../../src/ports/libgit2.ts";
import type { Repository } from "../../src/ports/storage.ts";
import {
  type DiffJob,
  type FileBatch,
  type Job,
  type Made,
  type MadeDiff,
  NoWorkersError,
  type Result,
  type Workers,
} from "../../src/ports/workers.ts";
import { Scheduler } from "../../src/scheduling/scheduler.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { MAX_SHOWN_BYTES } from "../../src/views/blob.ts";
import { blob, ELSEWHERE, emptyRepository, tree } from "../diff/trees.ts";
import { putTree } from "../support/world.ts";
import { madeOf, textOf, textOfDiff } from "./fake_workers.ts";
import type { PackedPlan } from "../../src/diff/plan.ts";
import { Task } from "../../src/scheduling/task.ts";

type Run = (job: Job, signal: AbortSignal | undefined) => Promise<Made & MadeDiff>;

/** Workers that note their jobs and do what `run` says. */
class NotingWorkers implements Workers {
  readonly jobs: Job[] = [];
  load: number | undefined;
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  run<J extends Job>(job: J, signal?: AbortSignal): Promise<Result<J>> {
    this.jobs.push(job);
    return this.#run(job, signal) as Promise<unknown> as Promise<Result<J>>;
  }
}

/** Workers that do their jobs in this thread, and note them. */
class RealWorkers extends NotingWorkers {
  constructor(repository: Repository) {
    const tools = { libgit2: new Libgit2(loadLibgit2), repository };
    super(async (job) => await makeJob(tools, job) as Made & MadeDiff);
  }
}

/** The pieces of a diff's JSON. */
async function piecesOf(diff: DiffAnswer): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of diff.pieces) pieces.push("key" in piece ? piece.bytes : piece);
  return pieces;
}

/** The JSON of the files of blobs of so many bytes, in parts. */
async function partsOfFiles(
  diffs: DiffService,
  repository: Repository,
  touched: readonly Oid[],
  touchedBytes: number,
): Promise<string[]> {
  const texts: string[] = [];
  for await (const json of diffs.files(repository, { touched, touchedBytes })) texts.push(textOf({ json }));
  return texts;
}

const byWorker = () => Promise.resolve(madeOf("by a worker"));
const noLog = () => {};

function createService(
  options: { workers?: Workers; cacheBytes?: number; loadLibgit2?: LoadLibgit2; scheduler?: Scheduler } = {},
) {
  return new DiffService({
    loadLibgit2,
    workers: options.workers,
    answerCache: new ByteCache(options.cacheBytes ?? 2 ** 26),
    ...(options.loadLibgit2 && { loadLibgit2: options.loadLibgit2 }),
    ...(options.scheduler && { scheduler: options.scheduler }),
  });
}

/** Two trees between which a file was changed, `bytes` long. */
function changedFile(repository: ReturnType<typeof emptyRepository>, bytes = 20): [old: Oid, now: Oid] {
  const text = "line\n".repeat(Math.ceil(bytes / 5));
  return [putTree(repository, { a: text }), putTree(repository, { a: `${text}more\n` })];
}

/** The same repository, counting how often it is asked for objects. */
function counted(repository: Repository): { repository: Repository; asked: () => number } {
  let asked = 0;
  const objects: Repository["objects"] = (oids) => {
    asked++;
    return repository.objects(oids);
  };
  return { repository: { ...repository, objects }, asked: () => asked };
}

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

  it("is made once for all who ask at a time", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    const answer = Promise.withResolvers<Made & MadeDiff>();
    const workers = new NotingWorkers(() => answer.promise);
    // While the clock stands still no time slice ends: both have asked when the event loop turns.
    const diffs = createService({ workers, cacheBytes: 0, scheduler: new Scheduler({ now: () => 0 }) });
    const both = [diffs.diff(repository, old, now), diffs.diff(repository, old, now)];
    await new Promise((turned) => setTimeout(turned, 0));
    answer.resolve(madeOf("once"));
    assert.deepEqual(await Promise.all((await Promise.all(both)).map(textOfDiff)), ["once", "once"]);
    assert.equal(workers.jobs.length, 1);
    await diffs.diff(repository, old, now);
    assert.equal(workers.jobs.length, 2);
  });

  it("is remembered with what it touches", async () => {
    const { repository, asked } = counted(emptyRepository());
    const [old, now] = changedFile(repository as ReturnType<typeof emptyRepository>);
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

  it("is left to workers when it is not small", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const diffs = createService({ workers });
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    assert.equal(await textOfDiff(await diffs.diff(repository, old, now)), "by a worker");
    assert.deepEqual(workers.jobs.map((job) => job.kind === "diff" && [job.oldTree, job.newTree]), [[
      old,
      now,
    ]]);
    assert.equal(await textOfDiff(await diffs.diff(repository, old, now)), "by a worker");
    assert.equal(workers.jobs.length, 1);
  });

  it("is shared with workers that have less to do than this thread", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const diffs = createService({ workers });
    const trees = Array.from({ length: 6 }, (_, i) => putTree(repository, { a: `${i}\n` }));
    const ask = (from: number) => diffs.diff(repository, trees[from], trees[from + 1]!);
    for (const [load, jobs] of [[undefined, 0], [1, 0], [MAX_SHARED_JOBS, 0], [0, 1]] as const) {
      workers.jobs.length = 0;
      workers.load = load;
      const asked = [ask(jobs), ask(jobs + 2)];
      await Promise.all(asked);
      assert.equal(workers.jobs.length, jobs, `load ${load}`);
    }
  });

  it("that a worker makes was planned here, and has the same bytes", async () => {
    const repository = emptyRepository();
    const lines = "a line\n".repeat(10_000);
    const [old, now] = ["old", "new"].map((word) =>
      putTree(repository, { a: `${word}\n`, [`${word}-name`]: lines, z: `${word}\n` })
    );
    const asked: Oid[] = [];
    const noted = {
      ...repository,
      objects: (oids: readonly Oid[]) => (asked.push(...oids), repository.objects(oids)),
    };
    const workers = new RealWorkers(noted);
    const diff = await createService({ workers }).diff(repository, old, now!);
    assert.deepEqual(workers.jobs.map(({ kind }) => kind), ["diff"]);
    assert.ok(!asked.includes(now!), "the worker reads no tree");
    const alone = await createService().diff(repository, old, now!);
    assert.equal(await textOfDiff(diff), await textOfDiff(alone));
    assert.deepEqual([diff.touched, diff.touchedBytes], [alone.touched, alone.touchedBytes]);
  });

  it("that has many files is planned by a worker, which reads no tree unless they are very many", async () => {
    for (const [count, isHandedOver] of [[2100, true], [MOST_HANDED_FILES + 1, false]] as const) {
      const repository = emptyRepository();
      const asked: Oid[] = [];
      const noted = {
        ...repository,
        objects: (oids: readonly Oid[]) => (asked.push(...oids), repository.objects(oids)),
      };
      const workers = new RealWorkers(noted);
      const many = (word: string) => {
        const files = Array.from({ length: count }, (_, i) => [`${i}`, `${word}${i}`] as const);
        return putTree(repository, Object.fromEntries(files));
      };
      const [old, now] = [many("old"), many("new")];
      const diff = await createService({ workers }).diff(repository, old, now, {}, "v1-stats");
      const plans = workers.jobs.map((job) => (job as DiffJob).plan as PackedPlan | undefined);
      assert.deepEqual(plans.map((plan) => plan && plan.sizes === undefined), [isHandedOver || undefined]);
      assert.equal(asked.includes(now), !isHandedOver);
      const tools = { libgit2: new Libgit2(loadLibgit2), repository, form: "v1-stats" } as const;
      assert.equal(await textOfDiff(diff), textOf(await makeDiff(tools, old, now)));
    }
  });

  it("is left to workers when its plan pauses often", async () => {
    const repository = emptyRepository();
    const folder = (text: string): Oid => {
      let inner = putTree(repository, { a: text });
      for (let depth = 0; depth < HERE.pauses; depth++) {
        inner = tree(repository, ["40000", "folder", inner]);
      }
      return inner;
    };
    let nowMs = 0;
    const slow: Repository = {
      ...repository,
      objects(oids) {
        nowMs += 10;
        return repository.objects(oids);
      },
    };
    const diffs = createService({
      workers: new NotingWorkers(byWorker),
      scheduler: new Scheduler({ now: () => nowMs }),
    });
    assert.equal(await textOfDiff(await diffs.diff(slow, folder("1\n"), folder("2\n"))), "by a worker");
  });

  it("is left to workers when libgit2 has to look at much", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const diffs = createService({ workers });
    for (const [bytes, jobs] of [[100, 0], [0.6 * MOST_HERE.comparedBytes, 1]] as const) {
      const text = "line\n".repeat(bytes / 5);
      const old = putTree(repository, { one: text, other: text });
      const made = await diffs.diff(repository, old, putTree(repository, { to: `${text}more\n` }));
      assert.equal(workers.jobs.length, jobs);
      if (jobs === 0) assert.equal(JSON.parse(await textOfDiff(made)).moved.length, 1);
    }
  });

  it("is made here and by a worker when both are idle, and has the same bytes in each form", async () => {
    const repository = emptyRepository();
    const text = (name: string, head: string, bytes: number) =>
      `${head}\n${Array.from({ length: bytes / 16 }, (_, i) => `${name} line ${i}\n`).join("")}`;
    // Moved files are looked for here, or by a worker when there is much to be looked at.
    for (const [movedBytes, searches] of [[1000, []], [40_000, ["diff"]]] as const) {
      const trees = ["old", "new"].map((word) =>
        putTree(repository, {
          ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}`, text(`${i}`, word, 30_000)])),
          large: text("large", word, BOTH_BATCH_BYTES),
          [`${word}-name`]: text("moved", word, movedBytes),
          [`${word}-other`]: text("moved", `other ${word}`, movedBytes),
        })
      );
      for (const form of ["v1", "v1-stats", "moves", "today", "today-stats"] as const) {
        const workers = new RealWorkers(repository);
        workers.load = 0;
        const diff = await createService({ workers }).diff(repository, trees[0], trees[1]!, {}, form);
        const alone = await createService().diff(repository, trees[0], trees[1]!, {}, form);
        assert.equal(await textOfDiff(diff), await textOfDiff(alone));
        assert.deepEqual([diff.touched, diff.touchedBytes], [alone.touched, alone.touchedBytes]);
        const parts = workers.jobs.flatMap((job) => job.kind === "part" ? [job.batch.fileBytes] : []);
        // The form of moved files alone has one batch.
        assert.equal(parts[0]! > BOTH_BATCH_BYTES, form !== "moves");
        assert.ok(parts.reduce((sum, bytes) => sum + bytes) < diff.touchedBytes - BOTH_BATCH_BYTES / 2);
        assert.deepEqual(workers.jobs.flatMap(({ kind }) => kind === "part" ? [] : [kind]), searches);
      }
    }
  });

  it("is handed to workers with its plan when it has a text that only libgit2 can compare", async () => {
    const repository = emptyRepository();
    const lines = (seed: number) => Array.from({ length: 3000 }, (_, i) => `${(i * seed) % 997}\n`).join("");
    const [old, now] = [7, 11].map((seed) =>
      putTree(repository, { a: `${seed}\n`, b: lines(seed), c: `${seed}\n` })
    );
    const tools = { libgit2: new Libgit2(loadLibgit2), repository };
    const workers = new RealWorkers(repository);
    const diffs = createService({ workers });
    for (let i = 0; i < 2; i++) {
      const diff = await diffs.diff(repository, old, now!);
      assert.equal(await textOfDiff(diff), textOf(await makeDiff(tools, old, now!)));
    }
    const planned = workers.jobs.flatMap((job) => job.kind === "diff" ? [job.plan !== undefined] : []);
    assert.deepEqual(planned, [true]);
  });

  it("is handed to workers when its files make it pause often, before the answer begins", async () => {
    const repository = emptyRepository();
    const texts = (word: string) =>
      Object.fromEntries(Array.from({ length: HERE.pauses + 2 }, (_, i) => [`${i}`, `${word}\n`]));
    const [old, now] = [putTree(repository, texts("old")), putTree(repository, texts("new"))];
    let nowMs = 0;
    let reads = 0;
    const busy = new NotingWorkers(() => Promise.reject(new UnavailableError("busy")));
    const slow: Repository = {
      ...repository,
      // Trees are read quickly, and each slice after that is a long one.
      objects: (oids) => (reads++, repository.objects(oids)),
    };
    const scheduler = new Scheduler({ now: () => reads < 2 ? nowMs : nowMs += 10 });
    const diffs = createService({ workers: busy, scheduler });
    await assert.rejects(diffs.diff(slow, old, now), { name: "UnavailableError" });
    assert.deepEqual(busy.jobs.map((job) => job.kind === "diff" && job.plan !== undefined), [true]);
  });

  it("is made here when no worker can be started", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    const diffs = createService({
      workers: new NotingWorkers(() => Promise.reject(new NoWorkersError("none"))),
    });
    assert.equal(JSON.parse(await textOfDiff(await diffs.diff(repository, old, now))).modified.length, 1);
  });

  it("fails as the workers say", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    for (const error of [new UnavailableError("busy"), new DamagedError("broken")]) {
      for (const load of [undefined, 0]) {
        const workers = new NotingWorkers(() => Promise.reject(error));
        workers.load = load;
        await assert.rejects(createService({ workers }).diff(repository, old, now), error);
      }
    }
  });

  it("that is long comes in parts, with the sums of all, and is planned once", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    const batches = [1, 2].map((start): FileBatch => ({
      bytes: new Uint8Array(),
      fileBytes: 0,
      start,
      last: "added",
    }));
    const counts = (insertions: number) => ({ filesChanged: 3, insertions, deletions: 1 });
    const workers = new NotingWorkers((job) =>
      Promise.resolve(
        job.kind === "diff"
          ? { ...madeOf(`{"added":[1`, batches), last: "added", stats: counts(1) }
          : job.kind === "part" && job.batch.start === 1
          ? { ...madeOf(`,2`), last: "added", stats: counts(10) }
          : { ...madeOf(`],"deleted":[3`), last: "deleted", stats: counts(100) },
      )
    );
    const diffs = createService({ workers });
    const diff = await diffs.diff(repository, old, now);
    const whole = {
      added: [1, 2],
      deleted: [3],
      moved: [],
      copied: [],
      modified: [],
      stats: { filesChanged: 3, insertions: 111, deletions: 3 },
    };
    assert.deepEqual(JSON.parse(await textOfDiff(diff)), whole);
    assert.deepEqual(workers.jobs.map(({ kind }) => kind), ["diff", "part", "part"]);
    assert.deepEqual(JSON.parse(await textOfDiff(await diffs.diff(repository, old, now))), whole);
    assert.deepEqual(workers.jobs.slice(3).map(({ kind }) => kind), ["part", "part"]);
  });

  it("gives up its parts when the client leaves", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    const signals: (AbortSignal | undefined)[] = [];
    const workers = new NotingWorkers((job, signal) => {
      if (job.kind === "diff") {
        return Promise.resolve(
          madeOf(
            "{",
            [0, 1].map((start) => ({ bytes: new Uint8Array(), fileBytes: 0, start, last: undefined })),
          ),
        );
      }
      signals.push(signal);
      return signals.length === 1 ? Promise.resolve(madeOf("1")) : new Promise(() => {});
    });
    const pieces = (await createService({ workers }).diff(repository, old, now)).pieces;
    await pieces.next();
    await pieces.next();
    await pieces.return(undefined);
    assert.deepEqual(signals.map((signal) => signal?.aborted), [false, true]);
  });

  it("is refused at once when it was found to be too large", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    const workers = new NotingWorkers(() => Promise.reject(new TooLargeError("too many")));
    const diffs = createService({ workers });
    for (let i = 0; i < 2; i++) await assert.rejects(diffs.diff(repository, old, now), TooLargeError);
    assert.equal(workers.jobs.length, 1);
  });

  it("is refused for a while when libgit2 fails", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    const error = fromErrorText(toErrorText(new Libgit2Error("out of memory")));
    const diffs = createService({ workers: new NotingWorkers(() => Promise.reject(error)) });
    await assert.rejects(diffs.diff(repository, old, now), { name: "UnavailableError" });
  });

  it("is the same made in parts as at once", async () => {
    const repository = emptyRepository();
    const text = (seed: string, lines: number) => `${seed} ${"x".repeat(60)}\n`.repeat(lines);
    const folder = (seed: string) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, i): [string, string] => {
          const name = i % 5 === 0 ? `${seed}${i}` : `${i}`;
          return [name, text(i % 7 === 0 ? `${i}` : `${seed} ${i}`, 600 + i)];
        }),
      );
    const [old, now] = [putTree(repository, folder("old")), putTree(repository, folder("new"))];
    const libgit2 = new Libgit2(loadLibgit2);
    const tools = { libgit2, repository };
    const workers = new RealWorkers(repository);
    const pieces = await piecesOf(await createService({ workers }).diff(repository, old, now));
    assert.ok(pieces.length > 2);
    assert.equal(new TextDecoder().decode(joinBytes(pieces)), textOf(await makeDiff(tools, old, now)));
  });

  it("is cut into several parts when its files are small and their JSON is large", async () => {
    const repository = emptyRepository();
    const folder = (word: string) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}`, `${word}${i}\n`.repeat(3000)]));
    const [old, now] = [putTree(repository, folder("a")), putTree(repository, folder("b"))];
    const tools = { libgit2: new Libgit2(loadLibgit2), repository };
    const first = await makeDiff(tools, old, now, FIRST_PART);
    assert.ok(first.rest.length > 1);
    for (const batch of first.rest) {
      const { json, rest } = await makePart(tools, batch);
      assert.deepEqual(rest, []);
      assert.ok(json.length < 2 * PART_BYTES);
    }
  });

  it("is cached once, in an answer that contains it, and by itself without one", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, 2000);
    const answerCache = new ByteCache(2 ** 26);
    const diffs = new DiffService({ loadLibgit2, workers: new NotingWorkers(byWorker), answerCache });
    const text = await textOfDiff(await diffs.diff(repository, old, now));
    const alone = answerCache.weight;
    assert.ok(alone > text.length);

    const parts: CachedPart[] = [];
    const { body, headers } = await jsonPieces(
      pieces(await diffs.diff(repository, old, now)),
      noLog,
      new Task(),
      {
        parts,
      },
    );
    assert.ok(body instanceof Uint8Array);
    answerCache.set("answer", { bytes: body, headers }, parts);
    assert.ok(answerCache.weight < alone + 2000, "the text of the diff is not cached twice");
    const counting = counted(repository);
    assert.equal(await textOfDiff(await diffs.diff(counting.repository, old, now)), text);
    assert.equal(counting.asked(), 0);

    async function* pieces(diff: DiffAnswer) {
      yield `{"diff":`;
      yield* diff.pieces;
      yield "}";
    }
  });

  it("is not asked of workers when it is damaged at first sight", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const diffs = createService({ workers });
    await assert.rejects(diffs.diff(repository, ELSEWHERE, tree(repository)), DamagedError);
    assert.equal(workers.jobs.length, 0);
  });

  it("is given up when all who asked have left", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, MOST_HERE.largestBytes);
    const begun = Promise.withResolvers<AbortSignal | undefined>();
    const answer = Promise.withResolvers<Made & MadeDiff>();
    const workers = new NotingWorkers((_job, signal) => {
      begun.resolve(signal);
      return answer.promise;
    });
    // While the clock stands still no time slice ends: both have asked when the event loop turns.
    const diffs = createService({ workers, scheduler: new Scheduler({ now: () => 0 }) });
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [one, two].map(({ signal }) => diffs.diff(repository, old, now, { signal }));
    const signal = await begun.promise;
    await new Promise((turned) => setTimeout(turned, 0));
    one.abort();
    assert.equal(signal?.aborted, false);
    two.abort();
    assert.equal(signal?.aborted, true);
    answer.resolve(madeOf(""));
    await Promise.all(both);
  });
});

describe("files", () => {
  it("are members by blob id, too large ones marked, without those that cannot be shown", async () => {
    const repository = emptyRepository();
    const [text, binary] = [blob(repository, "text\n"), blob(repository, Uint8Array.of(0, 0xff))];
    const large = blob(repository, new Uint8Array(MAX_SHOWN_BYTES + 1));
    const oids = [text, large, ELSEWHERE, tree(repository), binary];
    for (const workers of [undefined, new NotingWorkers(byWorker)]) {
      const [json, ...more] = await partsOfFiles(createService(workers && { workers }), repository, oids, 10);
      assert.deepEqual(more, []);
      assert.deepEqual(JSON.parse(`{${json}}`), {
        [text]: { id: text, binary: false, content: "text\n" },
        [large]: { id: large, binary: true, content: "", truncated: true },
        [binary]: { id: binary, binary: true, content: "AP8=" },
      });
    }
  });

  it("are looked for once, and their sizes only where they cannot be shown", async () => {
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
    await partsOfFiles(createService(), counting, [text, large], 10);
    assert.deepEqual(asked, ["object text", "object large", "header large"]);
  });

  it("come in parts of limited size", async () => {
    const repository = emptyRepository();
    const bytes = FILES_PART_BYTES * 0.6;
    const oids = ["a", "b", "c"].map((letter) => blob(repository, letter.repeat(bytes)));
    const parts = await partsOfFiles(createService(), repository, oids, 3 * bytes);
    assert.deepEqual([Object.keys(JSON.parse(`{${parts.join()}}`)), parts.length], [oids, 2]);
  });

  it("come in parts of so many", async () => {
    const repository = emptyRepository();
    const oids = Array.from({ length: FILES_PER_PART + 1 }, (_, i) => blob(repository, `${i}`));
    const parts = await partsOfFiles(createService(), repository, oids, 4000);
    assert.deepEqual([Object.keys(JSON.parse(`{${parts.join()}}`)).length, parts.length], [oids.length, 2]);
  });

  it("are made here and by a worker when both are idle, large ones by the worker alone", async () => {
    const repository = emptyRepository();
    const oids = Array.from({ length: 12 }, (_, i) => blob(repository, `${i} `.repeat(10_000)));
    oids.push(ELSEWHERE, blob(repository, "a".repeat(MOST_HERE.fileBytes + 1)), blob(repository, "last"));
    const workers = new RealWorkers(repository);
    const members = async () => {
      workers.jobs.length = 0;
      const parts = await partsOfFiles(createService({ workers }), repository, oids, MOST_HERE.fileBytes + 1);
      return JSON.parse(`{${parts.join()}}`);
    };
    const alone = await members();
    assert.equal(workers.jobs.length, 1);
    workers.load = 0;
    assert.deepEqual(await members(), alone);
    const byWorker = workers.jobs.flatMap((job) => job.kind === "files" ? job.oids : []);
    assert.ok(byWorker.length < oids.length && byWorker.includes(oids.at(-2)!));
  });

  it("are left to workers, and not read here, when they are not small", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const small = blob(repository, "x");
    const diffs = createService({ workers });
    assert.match((await partsOfFiles(diffs, repository, [small], 1)).join(), /"content":"x"/);
    const unread: Repository = {
      ...repository,
      object: () => assert.fail("read"),
      objects: () => assert.fail("read"),
    };
    const bytes = MOST_HERE.fileBytes + 1;
    assert.deepEqual(await partsOfFiles(diffs, unread, [small], bytes), ["by a worker"]);
    assert.deepEqual(workers.jobs, [{ kind: "files", rid: repository.rid, oids: [small] }]);
  });
});
