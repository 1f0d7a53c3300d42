/**
 * Measures reads of objects in a packed repository, compared with `git cat-file --batch`, and their memory.
 * Works on each runtime: `node bench/objects.ts [commits]`.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileSystem } from "../test/support/files.ts";
import { inflate } from "../adapters/node/zlib.ts";
import type { Oid } from "../src/ids/oid.ts";
import type { RepoId } from "../src/ids/rid.ts";
import { createHomeStorage } from "../src/storage/home/storage.ts";
import { GitRepository, makeFolder, removeFolder } from "../test/support/git.ts";

const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const ROUNDS = 7;
const READS_FOR_MEMORY = 250_000;

const commits = Number(process.argv[2] ?? 5000);
const root = makeFolder();
try {
  const git = GitRepository.create(join(root, RID.slice(4)));
  git.importHistory(commits);
  git.run(["repack", "-a", "-d", "-q"]);
  const all = git.text(["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"])
    .split("\n").map((line) => line.split(" "));
  const versions = process.versions;
  const runtime = versions["bun"]
    ? `Bun ${versions["bun"]}`
    : versions["deno"]
    ? `Deno ${versions["deno"]}`
    : `Node.js ${versions.node}`;
  print(`${runtime}, ${cpus()[0]?.model} × ${cpus().length}; ${all.length} objects`);

  for (const kind of ["commit", "tree", "blob"]) {
    const oids = all.filter((line) => line[1] === kind).map((line) => line[0] as Oid);
    const list = join(root, kind);
    writeFileSync(list, oids.join("\n") + "\n");
    // Through the shell: spawnSync of Deno cannot exchange more than the size of a pipe.
    const command = `git --git-dir "${git.path}" cat-file --batch < "${list}" > /dev/null`;
    print(`${kind}: ${oids.length} objects, microseconds each: fastest, median, slowest of ${ROUNDS} rounds`);
    const storage = createHomeStorage({ root, fileSystem, inflate });
    const repository = storage.repository(RID)!;
    report(
      "object",
      spread(oids.length, () => {
        for (const oid of oids) {
          if (repository.object(oid) === undefined) throw new Error(`${oid} is missing`);
        }
      }),
    );
    report(
      "header",
      spread(oids.length, () => {
        for (const oid of oids) {
          if (repository.header(oid) === undefined) throw new Error(`${oid} is missing`);
        }
      }),
    );
    report("git cat-file --batch", spread(oids.length, () => execFileSync("sh", ["-c", command])));
    storage.close();
  }

  const storage = createHomeStorage({ root, fileSystem, inflate });
  const repository = storage.repository(RID)!;
  const absent = "0123456789012345678901234567890123456789" as Oid;
  report(
    "an absent object",
    spread(10_000, () => {
      for (let i = 0; i < 10_000; i++) repository.object(absent);
    }),
  );
  report(
    "opening the repository again",
    spread(10_000, () => {
      for (let i = 0; i < 10_000; i++) storage.repository(RID);
    }),
  );
  const before = residentMegabytes();
  for (let i = 0; i < READS_FOR_MEMORY; i++) repository.object(all[(i * 7919) % all.length]![0] as Oid);
  print(
    `memory: ${before} MB before, ${residentMegabytes()} MB after ${READS_FOR_MEMORY} reads in random order`,
  );
} finally {
  removeFolder(root);
}

/** Microseconds per object of each round, ascending. */
function spread(objects: number, round: () => void): number[] {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    round();
    times.push((performance.now() - start) * 1000 / objects);
  }
  return times.sort((a, b) => a - b);
}

function report(name: string, times: readonly number[]): void {
  const figures = [times[0]!, times[times.length >> 1]!, times.at(-1)!];
  print(`  ${name.padEnd(30)} ${figures.map((time) => time.toFixed(2).padStart(9)).join("")}`);
}

function residentMegabytes(): number {
  return Math.round(process.memoryUsage().rss / 2 ** 20);
}

function print(line: string): void {
  process.stdout.write(line + "\n");
}
