/**
 * Measures what the warm-up of the compiler (`src/diff_service/warm_up.ts`) saves: the diffs of a page of
 * history, with and without it, after those of a page of another repository, as a start makes them. Each
 * start is a process of its own. Run it with any of the runtimes: `node test/bench/warm_up.ts`.
 */
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { inflate } from "../../adapters/node/zlib.ts";
import { ByteCache } from "../../src/cache/byte_cache.ts";
import { DiffService } from "../../src/diff_service/diff_service.ts";
import { warmUpCompiler } from "../../src/diff_service/warm_up.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";
import { pairsOf, REPOSITORIES, type TreePair } from "./fixture_commits.ts";

const ROUNDS = 15;
/** Diffs of a page. */
const PAGE = 30;
const MODES = ["without", "with"] as const;

const [root, mode] = process.argv.slice(2);
if (root === undefined) compareModes();
else await measurePage(root, mode === "with");

function compareModes(): void {
  const folder = temporaryFolder("bench-warm-up");
  try {
    const storage = join(unpackHome("browse.tar.gz", folder), "storage");
    const times = new Map<string, number[][]>(MODES.map((mode) => [mode, []]));
    const file = fileURLToPath(import.meta.url);
    for (let round = 0; round < ROUNDS; round++) {
      for (const mode of MODES) {
        const args = process.versions.deno ? ["run", "--quiet", "--no-check", "--allow-all", file] : [file];
        const out = execFileSync(process.execPath, [...args, storage, mode], { encoding: "utf8" });
        times.get(mode)!.push(JSON.parse(out));
      }
    }
    print(
      `${process.execPath.split("/").at(-1)}, ${
        cpus()[0]?.model
      } × ${cpus().length}; ${ROUNDS} starts, medians`,
    );
    for (const [mode, rounds] of times) {
      const [warmUp, first, second] = [0, 1, 2].map((i) => median(rounds.map((figures) => figures[i]!)));
      print(
        `${mode.padEnd(8)} warm-up: ${warmUp!.toFixed(0)} ms, then a page of ${PAGE} diffs: ${
          first!.toFixed(1)
        } ms, ` +
          `the next: ${second!.toFixed(1)} ms`,
      );
    }
  } finally {
    removeFolder(folder);
  }
}

/** Prints the milliseconds of the warm-up, of the first page and of the next. */
async function measurePage(root: string, isWarm: boolean): Promise<void> {
  const storage = createHomeStorage({ root, fileSystem, inflate });
  const [warm, asked] = REPOSITORIES.map((rid) =>
    pairsOf(storage.repository(rid)!, join(root, rid.slice(4)))
  );
  const workers = { run: () => Promise.reject(new Error("Left to workers")) };
  const diffs = new DiffService({ loadLibgit2, workers, answerCache: new ByteCache(0) });
  const page = async (pairs: readonly TreePair[]) => {
    for (const pair of pairs) {
      const diff = await diffs.diff(pair.repository, pair.old, pair.new).catch(() => undefined);
      for await (const _ of diff?.pieces ?? []);
    }
  };
  await page(warm!.slice(0, PAGE));
  const times = [performance.now()];
  if (isWarm) await warmUpCompiler();
  times.push(performance.now());
  await page(asked!.slice(0, PAGE));
  times.push(performance.now());
  await page(asked!.slice(PAGE, 2 * PAGE));
  times.push(performance.now());
  print(JSON.stringify(times.slice(1).map((time, i) => time - times[i]!)));
  storage.close();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function print(line: string): void {
  process.stdout.write(line + "\n");
}
