/**
 * Measures the first answers of the diff engine for every commit of the stored fixture repositories against
 * its first parent: the time and its parts, and how much memory 2,000 more diffs cost. Works on each runtime:
 * `node bench/diff.ts`.
 */
import { cpus } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileSystem } from "../adapters/node/file_system.ts";
import { inflate } from "../adapters/node/zlib.ts";
import { loadLibgit2 } from "../adapters/node/libgit2.ts";
import { Blobs } from "../src/diff/blobs.ts";
import { compareFile } from "../src/diff/file_content.ts";
import { Libgit2 } from "../src/diff/libgit2/engine.ts";
import { candidatesAmong, pairFiles } from "../src/diff/renames/pairing.ts";
import { compareTrees } from "../src/diff/tree_comparison.ts";
import { createHomeStorage } from "../src/storage/home/storage.ts";
import { diffTrees } from "../test/diff/diff_trees.ts";
import { contentsIn } from "../test/diff/trees.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../test/support/programs.ts";
import { pairsOf, REPOSITORIES, type TreePair } from "./fixture_commits.ts";

const ROUNDS = 4;
const DIFFS_FOR_MEMORY = 2000;

const folder = temporaryFolder("bench-diff");
try {
  const root = join(unpackHome("browse.tar.gz", folder), "storage");
  const storage = createHomeStorage({ root, fileSystem, inflate });
  const pairs = REPOSITORIES.flatMap((rid) => pairsOf(storage.repository(rid)!, join(root, rid.slice(4))));
  const { bun, deno, node } = process.versions;
  const runtime = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node.js ${node}`;
  print(`${runtime}, ${cpus()[0]?.model} × ${cpus().length}; ${pairs.length} commits, milliseconds each`);
  print(`${"".padEnd(26)}   median      p95      max`);

  for (let round = 1; round <= ROUNDS; round++) {
    const libgit2 = new Libgit2(loadLibgit2);
    const times = await measure(pairs, (pair) => diffTrees(libgit2, pair.repository, pair.old, pair.new));
    report(`first answers, round ${round}`, times);
  }
  await reportParts(pairs);

  const libgit2 = new Libgit2(loadLibgit2);
  const before = residentMegabytes();
  for (let i = 0; i < DIFFS_FOR_MEMORY; i++) {
    const pair = pairs[i % pairs.length]!;
    await diffTrees(libgit2, pair.repository, pair.old, pair.new);
  }
  print(`memory: ${before} MB before, ${residentMegabytes()} MB after ${DIFFS_FOR_MEMORY} diffs`);
  storage.close();
} finally {
  removeFolder(folder);
}

/** Divides the time of a first answer into its parts. */
async function reportParts(pairs: readonly TreePair[]): Promise<void> {
  const libgit2 = new Libgit2(loadLibgit2);
  const parts: Record<string, number[]> = {
    "compare trees": [],
    "look at sizes": [],
    "pair files": [],
    "read blobs": [],
    "compare lines": [],
    "libgit2 in place of both": [],
  };
  for (const pair of pairs) {
    const times = [performance.now()];
    const changes = await compareTrees(pair.repository, pair.old, pair.new);
    times.push(performance.now());
    const blobs = await Blobs.of(pair.repository, changes);
    times.push(performance.now());
    const files = await pairFiles(libgit2, { changes, blobs, candidates: candidatesAmong(changes, blobs) });
    times.push(performance.now());
    const contents = await contentsIn(pair.repository, changes);
    times.push(performance.now());
    for (const { from, to } of files) await compareFile(libgit2, { old: from.old, new: to.new }, contents);
    times.push(performance.now());
    await libgit2.patch(changes, contents);
    times.push(performance.now());
    Object.values(parts).forEach((part, i) => part.push(times[i + 1]! - times[i]!));
  }
  for (const [name, times] of Object.entries(parts)) report(`  ${name}`, times);
}

async function measure(
  pairs: readonly TreePair[],
  compare: (pair: TreePair) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (const pair of pairs) {
    const start = performance.now();
    await compare(pair);
    times.push(performance.now() - start);
  }
  return times;
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [sorted[sorted.length >> 1]!, sorted[Math.floor(sorted.length * 0.95)]!, sorted.at(-1)!];
  print(name.padEnd(26) + figures.map((time) => time.toFixed(3).padStart(9)).join(""));
}

function residentMegabytes(): number {
  return Math.round(process.memoryUsage().rss / 2 ** 20);
}

function print(line: string): void {
  process.stdout.write(line + "\n");
}
