import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { ByteCache, type CachedPart } from "../../src/cache/byte_cache.ts";
import type { DiffAnswer } from "../../src/diff_service/diff_answer.ts";
import { DiffService, FILES_PER_PART } from "../../src/diff_service/diff_service.ts";
import {
  MAX_SHARED_BYTES,
  MAX_SHARED_JOBS,
  SHARED_FROM_BYTES,
  SMALL_DIFF,
  SMALL_FILES,
} from "../../src/diff_service/limits.ts";
import {
  decodeFiles,
  FIRST_PART,
  makeDiff,
  makePart,
  PART_BYTES,
} from "../../src/diff_service/render/diff.ts";
import { FILES_PART_BYTES, makeFiles } from "../../src/diff_service/render/files.ts";
import { fromErrorText, toErrorText } from "../../src/diff_service/worker/protocol.ts";
import { joinBytes } from "../../src/bytes/join.ts";
import { Libgit2, Libgit2Error } from "../../src/diff/libgit2/engine.ts";
import { ApiError, DamagedError, TooLargeError } from "../../src/errors.ts";
import { jsonPieces } from "../../src/http/respond.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { LoadLibgit2 } from "../../src/ports/libgit2.ts";
import type { Repository } from "../../src/ports/storage.ts";
import {
  type FileBatch,
  type FilesJob,
  type Job,
  type Made,
  type MadeDiff,
  NoWorkersError,
  type PartJob,
  type Result,
  type Workers,
} from "../../src/ports/workers.ts";
import { Scheduler } from "../../src/scheduling/scheduler.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { MAX_SHOWN_BYTES } from "../../src/views/blob.ts";
import { blob, ELSEWHERE, emptyRepository, tree } from "../diff/trees.ts";
import { putTree } from "../support/world.ts";
import { madeOf, textOf, textOfDiff } from "./fake_workers.ts";

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
    super(async (job) =>
      await (job.kind === "diff"
        ? makeDiff(tools, job.oldTree, job.newTree, FIRST_PART)
        : job.kind === "part"
        ? makePart(tools, job.batch, job.shown)
        : makeFiles(repository, job.oids)) as Made & MadeDiff
    );
  }
}

/** The name of the file that this thread does not compare. */
const LARGE_FILE = 40;

/** A hundred files, one of them large, all of which differ in some lines from those of another word. */
function manyFiles(word: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: 100 }, (_, i): [string, string] => {
      const lines = `  a line of file ${i}\n`.repeat(i === LARGE_FILE ? 10_000 : 300);
      return [`${i}`.padStart(2, "0"), `${word}\n${lines}${word}\n`];
    }),
  );
}

/** The pieces of a diff's JSON. */
async function piecesOf(diff: DiffAnswer): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of diff.pieces()) pieces.push("key" in piece ? piece.bytes : piece);
  return pieces;
}

/** The JSON of the files of a diff, with commas between the parts. */
async function textOfFiles(diffs: DiffService, repository: Repository, diff: DiffAnswer): Promise<string> {
  const texts: string[] = [];
  for await (const json of diffs.allFiles(repository, diff)) texts.push(textOf({ json }));
  return texts.join(",");
}

/** The same repository, noting the objects that it is asked for. */
function noting(repository: Repository): { repository: Repository; asked: Oid[] } {
  const asked: Oid[] = [];
  const objects: Repository["objects"] = (oids) => {
    asked.push(...oids);
    return repository.objects(oids);
  };
  return { repository: { ...repository, objects }, asked };
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
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
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
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    assert.equal(await textOfDiff(await diffs.diff(repository, old, now)), "by a worker");
    assert.deepEqual(workers.jobs, [{ kind: "diff", rid: repository.rid, oldTree: old, newTree: now }]);
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

  it("is made here and by a worker, both idle, with the same bytes as by one", async () => {
    const repository = emptyRepository();
    const workers = new RealWorkers(repository);
    const diffs = createService({ workers });
    workers.load = 0;
    const [old, now] = [putTree(repository, manyFiles("old")), putTree(repository, manyFiles("new"))];
    const diff = await diffs.diff(repository, old, now);
    const batches = workers.jobs.flatMap((job) => job.kind === "part" ? [decodeFiles(job.batch)] : []);
    assert.equal(batches.length, workers.jobs.length);
    assert.ok(batches.length > 2);
    // The large file first, then the last ones; this thread has made the first ones.
    const numbers = batches.map((files) => files.map(({ path }) => parseInt(path)));
    assert.deepEqual(numbers[0], [LARGE_FILE]);
    assert.equal(numbers[1]?.at(-1), 99);
    assert.ok(!numbers.flat().includes(0));

    const alone = await createService().diff(repository, old, now);
    assert.equal(await textOfDiff(diff), await textOfDiff(alone));
    assert.deepEqual([diff.touched, diff.touchedBytes], [alone.touched, alone.touchedBytes]);
  });

  it("that two make brings its files along, each blob read once", async () => {
    const repository = emptyRepository();
    const { repository: read, asked } = noting(repository);
    const workers = new RealWorkers(read);
    const diffs = createService({ workers });
    workers.load = 0;
    // Two files with the same new content: it is shown once.
    const [old, now] = ["old", "new"].map((word) =>
      putTree(repository, { ...manyFiles(word), y: word, z: word })
    ) as [
      Oid,
      Oid,
    ];
    const diff = await diffs.diff(repository, old, now, undefined, { hasFiles: true });
    const alone = await createService().diff(repository, old, now);
    assert.equal(await textOfDiff(diff), await textOfDiff(alone));
    assert.equal(
      await textOfFiles(diffs, repository, diff),
      textOf(await makeFiles(repository, diff.touched)),
    );
    assert.deepEqual([...new Set(workers.jobs.map(({ kind }) => kind))], ["part"]);
    assert.equal(asked.length, new Set(asked).size);

    const other = createService({ workers });
    const plain = await other.diff(repository, old, now, undefined, { form: "moves" });
    assert.equal(plain.members?.size ?? 0, 0);
  });

  it("of workers that bring no files along is followed by them all the same", async () => {
    const repository = emptyRepository();
    const tools = { libgit2: new Libgit2(loadLibgit2), repository };
    const workers = new NotingWorkers(async (job) =>
      await (job.kind === "part"
        ? makePart(tools, job.batch)
        : makeFiles(repository, (job as FilesJob).oids)) as Made & MadeDiff
    );
    workers.load = 0;
    const diffs = createService({ workers });
    const [old, now] = [putTree(repository, manyFiles("old")), putTree(repository, manyFiles("new"))];
    const diff = await diffs.diff(repository, old, now, undefined, { hasFiles: true });
    assert.ok(diff.members!.size < diff.touched.length);
    assert.equal(
      await textOfFiles(diffs, repository, diff),
      textOf(await makeFiles(repository, diff.touched)),
    );
  });

  it("whose moved files a worker finds has its files made here meanwhile", async () => {
    const repository = emptyRepository();
    const text = "line\n".repeat(0.6 * SMALL_DIFF.engineBytes / 5);
    const unlike = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}`, `${i}`.repeat(1000)]));
    const old = putTree(repository, { one: text, other: text, ...unlike });
    const now = putTree(repository, { to: `${text}more\n` });
    for (const hasFiles of [true, false]) {
      const workers = new RealWorkers(repository);
      workers.load = 0;
      const diffs = createService({ workers });
      const diff = await diffs.diff(repository, old, now, undefined, { hasFiles });
      assert.deepEqual(workers.jobs.map(({ kind }) => kind), ["diff"]);
      assert.equal((diff.members?.size ?? 0) > 0, hasFiles);
      const files = await textOfFiles(diffs, repository, diff);
      assert.equal(files, textOf(await makeFiles(repository, diff.touched)));
    }
  });

  it("is not made by two when others wait, when it is small, or too large to be made at once", async () => {
    const repository = emptyRepository();
    const workers = new RealWorkers(repository);
    const diffs = createService({ workers, cacheBytes: 0 });
    const [old, now] = [putTree(repository, manyFiles("old")), putTree(repository, manyFiles("new"))];
    workers.load = 1;
    await diffs.diff(repository, old, now);
    workers.load = 0;
    await diffs.diff(repository, ...changedFile(repository, SHARED_FROM_BYTES / 8));
    await diffs.diff(repository, ...changedFile(repository, MAX_SHARED_BYTES));
    assert.deepEqual(workers.jobs.map(({ kind }) => kind), ["diff", "diff"]);
  });

  it("that two make fails with the worker, before the answer begins", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(() => Promise.reject(new ApiError("unavailable", "busy")));
    workers.load = 0;
    const diffs = createService({ workers });
    const [old, now] = [putTree(repository, manyFiles("old")), putTree(repository, manyFiles("new"))];
    await assert.rejects(diffs.diff(repository, old, now), { code: "unavailable" });
  });

  it("whose JSON is long begins with the files that two have made", async () => {
    const repository = emptyRepository();
    const workers = new RealWorkers(repository);
    workers.load = 0;
    const lines = (word: string) =>
      Object.fromEntries(
        Array.from(
          { length: 40 },
          (_, i): [string, string] => [`${10 + i}`, `${word}\n${"\n".repeat(40_000)}`],
        ),
      );
    const [old, now] = [putTree(repository, lines("a".repeat(9))), putTree(repository, {})];
    const pieces = await piecesOf(await createService({ workers }).diff(repository, old, now));
    assert.ok(pieces.length > 2);
    assert.ok(pieces[0]!.length > PART_BYTES);
    const tools = { libgit2: new Libgit2(loadLibgit2), repository };
    assert.equal(new TextDecoder().decode(joinBytes(pieces)), textOf(await makeDiff(tools, old, now)));
  });

  it("is left to workers when its plan pauses often", async () => {
    const repository = emptyRepository();
    const folder = (text: string): Oid => {
      let inner = putTree(repository, { a: text });
      for (let depth = 0; depth < SMALL_DIFF.pauses; depth++) {
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
    for (const [bytes, jobs] of [[100, 0], [0.6 * SMALL_DIFF.engineBytes, 1]] as const) {
      const text = "line\n".repeat(bytes / 5);
      const old = putTree(repository, { one: text, other: text });
      const made = await diffs.diff(repository, old, putTree(repository, { to: `${text}more\n` }));
      assert.equal(workers.jobs.length, jobs);
      if (jobs === 0) assert.equal(JSON.parse(await textOfDiff(made)).moved.length, 1);
    }
  });

  it("is handed to workers at a file that only libgit2 can compare, and answered as a whole", async () => {
    const repository = emptyRepository();
    const lines = (seed: number) => Array.from({ length: 3000 }, (_, i) => `${(i * seed) % 997}\n`).join("");
    const [old, now] = [7, 11].map((seed) =>
      putTree(repository, { a: `${seed}\n`, b: lines(seed), c: `${seed}\n` })
    );
    const tools = { libgit2: new Libgit2(loadLibgit2), repository };
    const whole = textOf(await makeDiff(tools, old, now!));
    const workers = new NotingWorkers(async (job) =>
      await makePart(tools, (job as PartJob).batch) as Made & MadeDiff
    );
    const diffs = createService({ workers });
    assert.equal(await textOfDiff(await diffs.diff(repository, old, now!)), whole);
    assert.deepEqual(workers.jobs.map((job) => job.kind === "part" && job.batch.start), [1]);
    assert.equal(await textOfDiff(await diffs.diff(repository, old, now!)), whole);
    assert.equal(workers.jobs.length, 1);
  });

  it("is handed to workers when its files make it pause often, before the answer begins", async () => {
    const repository = emptyRepository();
    const texts = (word: string) =>
      Object.fromEntries(Array.from({ length: SMALL_DIFF.pauses + 2 }, (_, i) => [`${i}`, `${word}\n`]));
    const [old, now] = [putTree(repository, texts("old")), putTree(repository, texts("new"))];
    let nowMs = 0;
    let reads = 0;
    const busy = new NotingWorkers(() => Promise.reject(new ApiError("unavailable", "busy")));
    const slow: Repository = {
      ...repository,
      // Trees are read quickly, and each slice after that is a long one.
      objects: (oids) => (reads++, repository.objects(oids)),
    };
    const scheduler = new Scheduler({ now: () => reads < 2 ? nowMs : nowMs += 10 });
    const diffs = createService({ workers: busy, scheduler });
    await assert.rejects(diffs.diff(slow, old, now), { code: "unavailable" });
    assert.deepEqual(busy.jobs.map(({ kind }) => kind), ["part"]);
  });

  it("is made here when no worker can be started", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const diffs = createService({
      workers: new NotingWorkers(() => Promise.reject(new NoWorkersError("none"))),
    });
    assert.equal(JSON.parse(await textOfDiff(await diffs.diff(repository, old, now))).modified.length, 1);
  });

  it("fails as the workers say", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    for (const error of [new ApiError("unavailable", "busy"), new DamagedError("broken")]) {
      const diffs = createService({ workers: new NotingWorkers(() => Promise.reject(error)) });
      await assert.rejects(diffs.diff(repository, old, now), error);
    }
  });

  it("that is long comes in parts, with the sums of all, and is planned once", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const batches = [1, 2].map((start): FileBatch => ({ bytes: new Uint8Array(), start, last: "added" }));
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
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const signals: (AbortSignal | undefined)[] = [];
    const workers = new NotingWorkers((job, signal) => {
      if (job.kind === "diff") {
        return Promise.resolve(
          madeOf("{", [0, 1].map((start) => ({ bytes: new Uint8Array(), start, last: undefined }))),
        );
      }
      signals.push(signal);
      return signals.length === 1 ? Promise.resolve(madeOf("1")) : new Promise(() => {});
    });
    const pieces = (await createService({ workers }).diff(repository, old, now)).pieces();
    await pieces.next();
    await pieces.next();
    await pieces.return(undefined);
    assert.deepEqual(signals.map((signal) => signal?.aborted), [false, true]);
  });

  it("is refused at once when it was found to be too large", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const workers = new NotingWorkers(() => Promise.reject(new TooLargeError("too many")));
    const diffs = createService({ workers });
    for (let i = 0; i < 2; i++) await assert.rejects(diffs.diff(repository, old, now), TooLargeError);
    assert.equal(workers.jobs.length, 1);
  });

  it("is refused for a while when libgit2 fails", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const error = fromErrorText(toErrorText(new Libgit2Error("out of memory")));
    const diffs = createService({ workers: new NotingWorkers(() => Promise.reject(error)) });
    await assert.rejects(diffs.diff(repository, old, now), { code: "unavailable" });
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
    const { body, headers } = await jsonPieces(pieces(await diffs.diff(repository, old, now)), noLog, {
      parts,
    });
    assert.ok(body instanceof Uint8Array);
    answerCache.set("answer", { bytes: body, headers }, parts);
    assert.ok(answerCache.weight < alone + 2000, "the text of the diff is not cached twice");
    const counting = counted(repository);
    assert.equal(await textOfDiff(await diffs.diff(counting.repository, old, now)), text);
    assert.equal(counting.asked(), 0);

    async function* pieces(diff: DiffAnswer) {
      yield `{"diff":`;
      yield* diff.pieces();
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
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
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
  /** All parts, one after the other. */
  async function allFiles(diffs: DiffService, repository: Repository, oids: readonly Oid[]) {
    const parts: string[] = [];
    for (let left = oids; left.length > 0;) {
      const made = await diffs.files(repository, left);
      assert.ok(made.left.length < left.length);
      left = made.left;
      if (made.json.length > 0) parts.push(textOf(made));
    }
    return { files: JSON.parse(`{${parts.join()}}`), parts: parts.length };
  }

  it("are members by blob id, too large ones marked, without those that cannot be shown", async () => {
    const repository = emptyRepository();
    const [text, binary] = [blob(repository, "text\n"), blob(repository, Uint8Array.of(0, 0xff))];
    const large = blob(repository, new Uint8Array(MAX_SHOWN_BYTES + 1));
    const oids = [text, large, ELSEWHERE, tree(repository), binary];
    assert.deepEqual(await allFiles(createService(), repository, oids), {
      parts: 1,
      files: {
        [text]: { id: text, binary: false, content: "text\n" },
        [large]: { id: large, binary: true, content: "", truncated: true },
        [binary]: { id: binary, binary: true, content: "AP8=" },
      },
    });
  });

  it("come in parts of limited size", async () => {
    const repository = emptyRepository();
    const oids = ["a", "b", "c"].map((letter) => blob(repository, letter.repeat(FILES_PART_BYTES * 0.6)));
    const { files, parts } = await allFiles(createService(), repository, oids);
    assert.deepEqual([Object.keys(files), parts], [oids, 2]);
  });

  it("come in parts of so many", async () => {
    const repository = emptyRepository();
    const oids = Array.from({ length: FILES_PER_PART + 1 }, (_, i) => blob(repository, `${i}`));
    const { files, parts } = await allFiles(createService(), repository, oids);
    assert.deepEqual([Object.keys(files).length, parts], [oids.length, 2]);
  });

  it("are left to workers when they are not small", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const diffs = createService({ workers });
    const [small, large] = [blob(repository, "x"), blob(repository, "x".repeat(SMALL_FILES.fileBytes))];
    assert.match(textOf(await diffs.files(repository, [small])), /"content":"x"/);
    assert.equal(textOf(await diffs.files(repository, [small, large])), "by a worker");
    assert.deepEqual(workers.jobs, [{ kind: "files", rid: repository.rid, oids: [small, large] }]);
  });

  it("are not read here when they are not small", async () => {
    const repository = emptyRepository();
    const [small, large] = [blob(repository, "x"), blob(repository, "x".repeat(SMALL_FILES.fileBytes))];
    const unread: Repository = {
      ...repository,
      object: () => assert.fail("read"),
      objects: () => assert.fail("read"),
    };
    const diffs = createService({ workers: new NotingWorkers(byWorker) });
    assert.equal(textOf(await diffs.files(unread, [small, large])), "by a worker");
  });
});
