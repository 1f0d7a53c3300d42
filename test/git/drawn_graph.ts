/** Repositories of random commits whose commit graph the real git has written. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { createHomeStorage, type HomeStorage } from "../../src/storage/home/storage.ts";
import { createRandom, type Random } from "../cob/random.ts";
import { GitRepository } from "../support/git.ts";

export const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const START_SECONDS = 1_700_000_000;
/** Most commits back from a commit to its parents. */
const REACH = 12;

/** Commits are drawn one after the other, so that a part of them can be in a graph. */
export class DrawnRepository {
  readonly git: GitRepository;
  readonly random: Random;
  /** All commits, the oldest first. */
  readonly oids: Oid[] = [];
  readonly #root: string;
  #count = 0;
  #storage: HomeStorage | undefined;
  /** Lines of the storage's log. */
  readonly log: string[] = [];

  constructor(root: string, seed: number) {
    this.#root = root;
    this.random = createRandom(seed);
    this.git = GitRepository.create(join(root, RID.slice("rad:".length)));
  }

  /** Adds commits: most with one parent, some with two, a few with up to seven or with none. */
  add(commits: number): void {
    const { random } = this;
    const stream: string[] = [];
    for (const end = this.#count + commits; this.#count < end; this.#count++) {
      const i = this.#count;
      const wanted = i === 0 || random.below(200) === 0
        ? 0
        : random.below(50) === 0
        ? 3 + random.below(5)
        : 1 + (random.below(4) === 0 ? 1 : 0);
      const parents = Array.from({ length: wanted }, () => i - 1 - random.below(Math.min(i, REACH)));
      const message = `commit ${i}`;
      stream.push(
        "reset refs/heads/main",
        "commit refs/heads/main",
        `mark :${i + 1}`,
        `author Author ${i % 17} <a${i % 17}@example.org> 1 +0000`,
        // Clocks are wrong now and then, and many commits are of one second.
        `committer Alice <alice@example.org> ${START_SECONDS + Math.floor(i / 3) - random.below(9)} +0000`,
        `data ${message.length}\n${message}`,
        ...[...new Set(parents)].map((parent, n) => `${n === 0 ? "from" : "merge"} :${parent + 1}`),
        `M 100644 inline file\ndata ${message.length}\n${message}\n`,
      );
    }
    const marks = join(this.git.path, "marks");
    const options = ["--quiet", "--force", "--date-format=raw", `--export-marks=${marks}`];
    this.git.run(["fast-import", ...options, `--import-marks-if-exists=${marks}`], stream.join("\n"));
    for (const line of readFileSync(marks, "latin1").trim().split("\n")) {
      const [mark = "", oid] = line.split(" ");
      this.oids[Number(mark.slice(1)) - 1] = oid as Oid;
    }
  }

  /** Writes the graph of all commits so far: one file, or a further file of a chain. */
  writeGraph(...options: string[]): void {
    this.git.run(
      ["commit-graph", "write", "--stdin-commits", "--no-progress", ...options],
      this.oids.join("\n"),
    );
  }

  /** The repository as Xylem reads it, and the number of objects that were read. */
  open() {
    this.#storage?.close();
    this.#storage = createHomeStorage({
      root: this.#root,
      fileSystem,
      log: (_level, message, cause) => void this.log.push(`${message}: ${cause}`),
    });
    const repository = this.#storage.repository(RID)!;
    let read = 0;
    const objects = repository.objects.bind(repository);
    repository.objects = (oids, limits) => {
      read += oids.length;
      return objects(oids, limits);
    };
    return { repository, objectsRead: () => read };
  }

  close(): void {
    this.#storage?.close();
  }
}

/** A commit graph that uses the tables of storages. */
export function graphWithTable(): CommitGraph {
  return new CommitGraph({ loadTable: (repository) => repository.commitTable?.() });
}
