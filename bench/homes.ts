/** Makes homes to measure: a repository with a generated history, issues and patches. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openAuthorized } from "../adapters/cli/sign_in.ts";
import { signerOf } from "../test/support/keys.ts";
import {
  createRadHome,
  fastestHttpd,
  type HttpdGeneration,
  startWarmService,
} from "../test/support/programs.ts";
import { type HistorySize, largeHistory } from "./large_history.ts";

const SEED = "11".repeat(32);
const COMMENTS_PER_ISSUE = 5;

/** A generated repository: its history, and the numbers of issues and patches. */
export interface BenchSize extends HistorySize {
  readonly name: string;
  readonly issues: number;
  readonly patches: number;
}

export interface BenchRepository {
  readonly name: string;
  readonly rid: string;
}

/** A home, with its repositories in the requested order. */
export interface BenchHome {
  readonly home: string;
  /** Generation of the programs that made the home and can read it. */
  readonly generation: HttpdGeneration;
  readonly repositories: readonly BenchRepository[];
}

/** Content of a home: clones of `paths`, and generated repositories. */
export interface BenchContent {
  readonly paths: readonly string[];
  readonly sizes: readonly BenchSize[];
}

/**
 * Opens the home that an earlier run made in `folder`, and does not check its content. An empty folder gets a
 * new home, made for the fastest installed `radicle-httpd`.
 */
export async function openBenchHome(folder: string, content: BenchContent): Promise<BenchHome> {
  const place = join(folder, "bench.json");
  if (existsSync(place)) return JSON.parse(readFileSync(place, "utf8"));
  const made = await createBenchHome(folder, content, fastestHttpd());
  writeFileSync(place, JSON.stringify(made));
  return made;
}

/** Makes a home in the new folder `folder` with the real `rad`, so that both services can read it. */
export async function createBenchHome(
  folder: string,
  { paths, sizes }: BenchContent,
  generation: HttpdGeneration = "0.10",
): Promise<BenchHome> {
  mkdirSync(folder);
  const { home, rad, init: initProject } = createRadHome(generation, folder, { alias: "bench", seed: SEED });
  const repositories: BenchRepository[] = [];
  const work = join(folder, "work");
  const init = (name: string): string => {
    const branch = execFileSync("git", ["-C", work, "branch", "--show-current"]).toString().trim();
    const rid = initProject(work, name, { description: "A grown project", branch });
    repositories.push({ name, rid });
    // Makes the database of issues and patches. Without it, `radicle-httpd` 0.10.0 answers no request.
    if (generation === "0.10") rad(folder, "issue", "cache", "--repo", rid);
    return rid;
  };
  const finish = (rid: string) => {
    rmSync(work, { recursive: true });
    execFileSync("git", ["--git-dir", repositoryPath(home, rid), "gc", "--quiet"]);
  };
  for (const path of paths) {
    execFileSync("git", ["clone", "--quiet", path, work]);
    finish(init(basename(path).replace(/\.(git|bundle)$/, "").replace(/[^\w.-]/g, "-")));
  }
  for (const size of sizes) {
    mkdirSync(work);
    execFileSync("git", ["init", "--quiet", "--initial-branch", "main", work]);
    await importHistory(work, size);
    execFileSync("git", ["-C", work, "checkout", "--quiet", "main"]);
    const rid = init(size.name);
    const commits = execFileSync("git", ["-C", work, "rev-list", `--max-count=${size.patches + 2}`, "main"])
      .toString().trim().split("\n");
    await writeObjects({ home, rid }, size, commits);
    finish(rid);
  }
  return { home, generation, repositories };
}

/** The folder of a repository in the storage of a home. */
export function repositoryPath(home: string, rid: string): string {
  return join(home, "storage", rid.replace("rad:", ""));
}

async function importHistory(work: string, size: HistorySize): Promise<void> {
  const importer = spawn("git", ["-C", work, "fast-import", "--quiet"], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = new Promise<void>((resolve, reject) => {
    importer.on("close", (status) => {
      if (status === 0) resolve();
      else reject(new Error(`git fast-import ended with ${status}`));
    });
  });
  await pipeline(Readable.from(largeHistory(size)), importer.stdin);
  await ended;
}

/** Opens issues with comments, and closes every third one. Opens patches of one commit each. */
async function writeObjects(
  { home, rid }: { readonly home: string; readonly rid: string },
  { issues, patches }: BenchSize,
  commits: readonly string[],
): Promise<void> {
  if (issues === 0 && patches === 0) return;
  const service = await startWarmService("node", home);
  try {
    const token = await openAuthorized(service.url, await signerOf(SEED));
    const send = async (method: string, path: string, body: unknown): Promise<string> => {
      const response = await fetch(`${service.url}/api/v1/projects/${rid}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`);
      return answer.id;
    };
    for (let n = 0; n < issues; n++) {
      const issue = { title: `Issue ${n}`, description: `What is wrong, ${n}.`, labels: ["bench"] };
      const id = await send("POST", "/issues", { ...issue, assignees: [], embeds: [] });
      for (let k = 0; k < COMMENTS_PER_ISSUE; k++) {
        await send("PATCH", `/issues/${id}`, { type: "comment", body: `Comment ${k} on ${n}.`, replyTo: id });
      }
      if (n % 3 === 0) {
        const state = { status: "closed", reason: "solved" };
        await send("PATCH", `/issues/${id}`, { type: "lifecycle", state });
      }
    }
    for (let n = 0; n < patches; n++) {
      const patch = { title: `Patch ${n}`, description: `What it does, ${n}.`, labels: [] };
      await send("POST", "/patches", { ...patch, target: commits[n + 1], oid: commits[n] });
    }
  } finally {
    await service.stop();
  }
}
