import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { FinishedBytes } from "../../src/cache/finished_bytes.ts";
import {
  Comparer,
  FILES_PER_PART,
  SMALL_DIFF,
  SMALL_FILES,
  SMALL_TURNS,
} from "../../src/comparison/comparer.ts";
import { FILES_PART_BYTES } from "../../src/comparison/make.ts";
import { TURN_MS } from "../../src/time/turns.ts";
import { SMALL_LIBGIT2_BYTES } from "../../src/comparison/small_libgit2.ts";
import { ApiError, DamagedError } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { LoadLibgit2 } from "../../src/ports/libgit2.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { type Job, type Made, NoWorkersError, type Workers } from "../../src/ports/workers.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { MAX_SHOWN_BYTES } from "../../src/views/blob.ts";
import { blob, ELSEWHERE, emptyRepository, tree } from "../diff/trees.ts";
import { putTree } from "../support/world.ts";
import { madeOf, textOf } from "./fake_workers.ts";

/** Workers that note their jobs and do what `run` says. */
class NotingWorkers implements Workers {
  readonly jobs: Job[] = [];
  readonly #run: (job: Job, signal: AbortSignal | undefined) => Promise<Made>;

  constructor(run: (job: Job, signal: AbortSignal | undefined) => Promise<Made>) {
    this.#run = run;
  }

  run(job: Job, signal?: AbortSignal): Promise<Made> {
    this.jobs.push(job);
    return this.#run(job, signal);
  }
}

const byWorker = () => Promise.resolve(madeOf("by a worker"));

function createComparer(options: { workers?: Workers; cacheBytes?: number; loadLibgit2?: LoadLibgit2 } = {}) {
  return new Comparer({
    loadLibgit2,
    workers: options.workers,
    finished: new FinishedBytes(options.cacheBytes),
    ...(options.loadLibgit2 && { loadLibgit2: options.loadLibgit2 }),
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
    const made = await createComparer().diff(repository, old, now);
    assert.deepEqual(JSON.parse(textOf(made)), {
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
    assert.deepEqual(made.left, [blob(repository, "line\n"), blob(repository, "line\nmore\n")]);
  });

  it("is made once for all who ask at a time", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const answer = Promise.withResolvers<Made>();
    const workers = new NotingWorkers(() => answer.promise);
    const comparer = createComparer({ workers, cacheBytes: 0 });
    const both = [comparer.diff(repository, old, now), comparer.diff(repository, old, now)];
    answer.resolve(madeOf("once"));
    assert.deepEqual((await Promise.all(both)).map(textOf), ["once", "once"]);
    assert.equal(workers.jobs.length, 1);
    await comparer.diff(repository, old, now);
    assert.equal(workers.jobs.length, 2);
  });

  it("is remembered with what it touches", async () => {
    const { repository, asked } = counted(emptyRepository());
    const [old, now] = changedFile(repository as ReturnType<typeof emptyRepository>);
    const comparer = createComparer();
    const first = await comparer.diff(repository, old, now);
    const before = asked();
    assert.deepEqual(await comparer.diff(repository, old, now), first);
    assert.equal(asked(), before);
    await comparer.diff(repository, now, old);
    assert.ok(asked() > before);
  });

  it("of one repository is not shown in another that lacks the objects", async () => {
    const storage = createMemoryStorage();
    const [one, other] = [
      storage.create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji"),
      storage.create("rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5"),
    ];
    const [old, now] = changedFile(one);
    const comparer = createComparer();
    await comparer.diff(one, old, now);
    await assert.rejects(comparer.diff(other, old, now), DamagedError);
  });

  it("is left to workers when it is not small", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const comparer = createComparer({ workers });
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    assert.equal(textOf(await comparer.diff(repository, old, now)), "by a worker");
    assert.deepEqual(workers.jobs, [{ kind: "diff", rid: repository.rid, oldTree: old, newTree: now }]);
    assert.equal(textOf(await comparer.diff(repository, old, now)), "by a worker");
    assert.equal(workers.jobs.length, 1);
  });

  it("is left to workers when it has taken many turns", async () => {
    const repository = emptyRepository();
    const folder = (text: string): Oid => {
      let inner = putTree(repository, { a: text });
      for (let depth = 0; depth < SMALL_TURNS; depth++) inner = tree(repository, ["40000", "folder", inner]);
      return inner;
    };
    const slow: Repository = {
      ...repository,
      objects(oids) {
        for (const start = performance.now(); performance.now() - start < TURN_MS;);
        return repository.objects(oids);
      },
    };
    const comparer = createComparer({ workers: new NotingWorkers(byWorker) });
    assert.equal(textOf(await comparer.diff(slow, folder("1\n"), folder("2\n"))), "by a worker");
  });

  it("is left to workers when libgit2 has to look at much", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const comparer = createComparer({ workers });
    for (const [bytes, jobs] of [[100, 0], [0.6 * SMALL_LIBGIT2_BYTES, 1]] as const) {
      const text = "line\n".repeat(bytes / 5);
      const old = putTree(repository, { one: text, other: text });
      const made = await comparer.diff(repository, old, putTree(repository, { to: `${text}more\n` }));
      assert.equal(workers.jobs.length, jobs);
      if (jobs === 0) assert.equal(JSON.parse(textOf(made)).moved.length, 1);
    }
  });

  it("is made here when no worker can be started", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const comparer = createComparer({
      workers: new NotingWorkers(() => Promise.reject(new NoWorkersError("none"))),
    });
    assert.equal(JSON.parse(textOf(await comparer.diff(repository, old, now))).modified.length, 1);
  });

  it("fails as the workers say", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    for (const error of [new ApiError("unavailable", "busy"), new DamagedError("broken")]) {
      const comparer = createComparer({ workers: new NotingWorkers(() => Promise.reject(error)) });
      await assert.rejects(comparer.diff(repository, old, now), error);
    }
  });

  it("is not asked of workers when it is damaged at first sight", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const comparer = createComparer({ workers });
    await assert.rejects(comparer.diff(repository, ELSEWHERE, tree(repository)), DamagedError);
    assert.equal(workers.jobs.length, 0);
  });

  it("is given up when all who asked have left", async () => {
    const repository = emptyRepository();
    const [old, now] = changedFile(repository, SMALL_DIFF.blobBytes);
    const begun = Promise.withResolvers<AbortSignal | undefined>();
    const answer = Promise.withResolvers<Made>();
    const workers = new NotingWorkers((_job, signal) => {
      begun.resolve(signal);
      return answer.promise;
    });
    const comparer = createComparer({ workers });
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [one, two].map(({ signal }) => comparer.diff(repository, old, now, { signal }));
    const signal = await begun.promise;
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
  async function allFiles(comparer: Comparer, repository: Repository, oids: readonly Oid[]) {
    const parts: string[] = [];
    for (let left = oids; left.length > 0;) {
      const made = await comparer.files(repository, left);
      assert.ok(made.left.length < left.length);
      left = made.left;
      if (made.json.length > 0) parts.push(textOf(made));
    }
    return { files: JSON.parse(`{${parts.join()}}`), parts: parts.length };
  }

  it("are members by blob id, without those that cannot be shown", async () => {
    const repository = emptyRepository();
    const [text, binary] = [blob(repository, "text\n"), blob(repository, Uint8Array.of(0, 0xff))];
    const large = blob(repository, new Uint8Array(MAX_SHOWN_BYTES + 1));
    const oids = [text, large, ELSEWHERE, tree(repository), binary];
    assert.deepEqual(await allFiles(createComparer(), repository, oids), {
      parts: 1,
      files: {
        [text]: { id: text, binary: false, content: "text\n" },
        [binary]: { id: binary, binary: true, content: "AP8=" },
      },
    });
  });

  it("come in parts of limited size", async () => {
    const repository = emptyRepository();
    const oids = ["a", "b", "c"].map((letter) => blob(repository, letter.repeat(FILES_PART_BYTES * 0.6)));
    const { files, parts } = await allFiles(createComparer(), repository, oids);
    assert.deepEqual([Object.keys(files), parts], [oids, 2]);
  });

  it("come in parts of so many", async () => {
    const repository = emptyRepository();
    const oids = Array.from({ length: FILES_PER_PART + 1 }, (_, i) => blob(repository, `${i}`));
    const { files, parts } = await allFiles(createComparer(), repository, oids);
    assert.deepEqual([Object.keys(files).length, parts], [oids.length, 2]);
  });

  it("are left to workers when they are not small", async () => {
    const repository = emptyRepository();
    const workers = new NotingWorkers(byWorker);
    const comparer = createComparer({ workers });
    const [small, large] = [blob(repository, "x"), blob(repository, "x".repeat(SMALL_FILES.bytes))];
    assert.match(textOf(await comparer.files(repository, [small])), /"content":"x"/);
    assert.equal(textOf(await comparer.files(repository, [small, large])), "by a worker");
    assert.deepEqual(workers.jobs, [{ kind: "files", rid: repository.rid, oids: [small, large] }]);
  });
});
