/** Homes to measure on: a repository of a generated history, and issues and patches in it. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openAuthorized } from "../../adapters/cli/session.ts";
import { signerOf } from "../support/keys.ts";
import { createRadHome, startService } from "../support/programs.ts";
import { type HistorySize, largeHistory } from "./large_history.ts";

const SEED = "11".repeat(32);
const COMMENTS_PER_ISSUE = 5;

/** What a home holds. */
export interface BenchSize extends HistorySize {
  readonly issues: number;
  readonly patches: number;
}

/** A home, and the id of the repository in it. */
export interface BenchHome {
  readonly home: string;
  readonly rid: string;
}

/** Makes a home of generation 0.10 below the new folder `folder`, with the real `rad`, so that both services can read it. */
export async function createBenchHome(folder: string, size: BenchSize): Promise<BenchHome> {
  mkdirSync(folder);
  const { home, rad } = createRadHome("0.10", folder, { alias: "bench", seed: SEED });
  const work = join(folder, "work");
  mkdirSync(work);
  execFileSync("git", ["init", "--quiet", "--initial-branch", "main", work]);
  await importHistory(work, size);
  execFileSync("git", ["-C", work, "checkout", "--quiet", "main"]);
  const described = ["--name", "bench", "--description", "A grown project", "--default-branch", "main"];
  rad(work, "init", ...described, "--public", "--no-confirm");
  const rid = rad(work, "inspect", "--rid").trim();
  const commits = execFileSync("git", ["-C", work, "rev-list", `--max-count=${size.patches + 2}`, "main"])
    .toString().trim().split("\n");
  rmSync(work, { recursive: true });
  rad(folder, "issue", "cache", "--repo", rid);
  await writeObjects({ home, rid }, size, commits);
  execFileSync("git", ["--git-dir", join(home, "storage", rid.replace("rad:", "")), "gc", "--quiet"]);
  return { home, rid };
}

/** Clones repositories, and makes a home of generation 0.10 of them below the new folder `folder`, with the real `rad`. */
export function createHomeOf(
  paths: readonly string[],
  folder: string,
): {
  readonly home: string;
  readonly repositories: readonly { readonly name: string; readonly rid: string }[];
} {
  mkdirSync(folder);
  const { home, rad } = createRadHome("0.10", folder, { alias: "bench", seed: SEED });
  const repositories = paths.map((path, i) => {
    const name = basename(path).replace(/\.(git|bundle)$/, "").replace(/[^\w.-]/g, "-");
    const work = join(folder, `work-${i}`);
    execFileSync("git", ["clone", "--quiet", path, work]);
    const branch = execFileSync("git", ["-C", work, "branch", "--show-current"]).toString().trim();
    const described = ["--name", name, "--description", "A real history", "--default-branch", branch];
    rad(work, "init", ...described, "--public", "--no-confirm");
    const rid = rad(work, "inspect", "--rid").trim();
    rmSync(work, { recursive: true });
    // Makes the database of issues and patches, without which `radicle-httpd` answers nothing.
    rad(folder, "issue", "cache", "--repo", rid);
    execFileSync("git", ["--git-dir", join(home, "storage", rid.replace("rad:", "")), "gc", "--quiet"]);
    return { name, rid };
  });
  return { home, repositories };
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

/** Opens issues with comments, every third one closed, and patches of one commit each. */
async function writeObjects(
  { home, rid }: BenchHome,
  { issues, patches }: BenchSize,
  commits: readonly string[],
): Promise<void> {
  const service = await startService("node", home);
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
