// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * How long it takes to index issues and to search them, and the longest time for which nothing else gets a turn. Run it with any of the
 * runtimes: `node bench/search.ts [issues] [bytes of a hostile text]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { adapter } from "../test/adapters/this_runtime.ts";
import { makeHome } from "../test/adapters/cli/command.ts";
import { putEntry } from "../test/cob/entries.ts";
import { DiskRepository } from "../test/hostile/disk.ts";
import { documentOf, found } from "../test/hostile/target.ts";

const TYPE = "xyz.radicle.issue";
const SECONDS = 1_780_000_000;
const WORDS = 20_000;
const ROUNDS = 15;
const LIMIT_MS = 600_000;
const OWNER = { transport: "unix" } as const;

const [issues = 10_000, hostileBytes = 0] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "xylem-bench-"));
try {
  const home = makeHome(join(folder, "home"));
  build(home);
  await measure(home, "nothing indexed");
  await measure(home, "the index of the process before");
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(home: string, title: string): Promise<void> {
  const { api, close } = await adapter.createHomeApi({ home, cachePath: join(folder, "cache") });
  const ask = async (query: string) => {
    const response = await api.fetch(
      new Request(`http://localhost/api/v1/search?q=${encodeURIComponent(query)}`),
      OWNER,
    );
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return await response.json() as readonly unknown[];
  };
  let turns = watchTurns();
  const startedMs = performance.now();
  // The largest one comes last.
  const last = issues === 0 ? "hostile" : `numbered${issues - 1}`;
  while ((await ask(last)).length === 0) {
    if (performance.now() - startedMs > LIMIT_MS) throw new Error("never indexed");
  }
  console.log(
    `${title}: found after ${(performance.now() - startedMs).toFixed(0)} ms, longest turn ${
      turns().toFixed(0)
    } ms`,
  );
  for (
    const query of ["vpatyq", "vpatyq vyzfwx", "every", "every vpa", "m", "の の の", "aaa", "nothingatall"]
  ) {
    turns = watchTurns();
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const askedMs = performance.now();
      await ask(query);
      rounds.push(performance.now() - askedMs);
    }
    rounds.sort((a, b) => a - b);
    const [fastest, median, slowest] = [rounds[0]!, rounds[ROUNDS >> 1]!, rounds.at(-1)!].map((ms) =>
      ms.toFixed(1)
    );
    console.log(
      `"${query}": ${fastest}, ${median}, ${slowest} ms (fastest, median, slowest), longest turn ${
        turns().toFixed(0)
      } ms`,
    );
  }
  await close();
}

/** A repository with issues, and one with issues of up to 64 KiB that are hard to search. */
function build(home: string): void {
  const honest = create(home, "honest");
  let number = 1;
  const random = () => (number = number * 1103515245 + 12345 & 0x7fffffff) / 0x7fffffff;
  const words = Array.from(
    { length: WORDS },
    () => Array.from({ length: 3 + random() * 7 }, () => String.fromCharCode(97 + random() * 26)).join(""),
  );
  const word = () => words[Math.floor(random() ** 3 * WORDS)]!;
  const text = (length: number) => Array.from({ length }, word).join(" ");
  for (let i = 0; i < issues; i++) {
    honest.open(`${word()} numbered${i}`, `every ${text(50 + random() * 100)}`, i);
  }
  honest.finish();
  if (hostileBytes === 0) return;
  const hostile = create(home, "hostile");
  const kinds = [
    () => Array.from({ length: 7000 }, () => `aaa${(number++).toString(36)}`).join(" "),
    () => "の".repeat(10_000),
    () => "aaa ".repeat(16_000),
  ];
  for (let i = 0, bytes = 0; bytes < hostileBytes; i++, bytes += 64_000) {
    hostile.open(`${i}`, kinds[i % 3]!(), i);
  }
  hostile.finish();
}

function create(home: string, name: string) {
  const repository = new DiskRepository(join(home, "storage"), documentOf(name).rid);
  const { alice, identity: resource } = found(repository, name);
  return {
    open(title: string, body: string, i: number) {
      const actions = [{ type: "comment", body }, { type: "edit", title }];
      const id = putEntry(repository, { writer: alice, actions, resource, timeSeconds: SECONDS + i });
      repository.setRef(`refs/namespaces/${alice.nid}/refs/cobs/${TYPE}/${id}`, id);
    },
    finish: () => repository.finish(),
  };
}

/**
 * Starts to look for the longest time without a turn for others, in processor time of this thread where the runtime tells it; the function that
 * is returned ends it.
 */
function watchTurns(): () => number {
  const nowMs = () => {
    const used = process.threadCpuUsage?.();
    return used === undefined ? performance.now() : (used.user + used.system) / 1000;
  };
  let [longestMs, lastMs, isOver] = [0, nowMs(), false];
  const watch = () => {
    longestMs = Math.max(longestMs, nowMs() - lastMs);
    lastMs = nowMs();
    if (!isOver) setTimeout(watch, 0);
  };
  setTimeout(watch, 0);
  return () => {
    isOver = true;
    return Math.max(longestMs, nowMs() - lastMs);
  };
}
