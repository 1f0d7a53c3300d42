// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures live changes:
 * `node bench/events.ts [--runtime node|deno|bun]… [--readers 1000] [--changes 50] [--seconds 30]`. A service
 * on a home has this many readers while git creates branches at this rate per second. Prints the delay from a
 * change to its arrival at the readers in milliseconds, and the memory and processor time of the service.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  removeFolder,
  type Runtime,
  RUNTIMES,
  startWarmService,
  temporaryFolder,
  unpackHome,
} from "../test/support/programs.ts";
import { GitRepository } from "../test/support/git.ts";

const { values } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    readers: { type: "string", default: "1000" },
    changes: { type: "string", default: "50" },
    seconds: { type: "string", default: "30" },
  },
});
const [READERS, CHANGES, SECONDS] = [Number(values.readers), Number(values.changes), Number(values.seconds)];
/** Branches exist for this many seconds. */
const BRANCHES = 8;
const TICK_MS = 100;
/** Readers that connect before the memory of one reader is measured. */
const FIRST_READERS = 100;

for (const runtime of values.runtime as readonly Runtime[]) await measure(runtime);

async function measure(runtime: Runtime): Promise<void> {
  const folder = temporaryFolder("bench-events");
  const home = unpackHome("browse.tar.gz", folder);
  const service = await startWarmService(
    runtime,
    home,
    ["--max-event-readers", String(READERS)],
    {},
    undefined,
    undefined,
  );
  const [{ id: rid }] = await (await fetch(`${service.url}/api/v1/projects`)).json();
  const git = new GitRepository(join(home, "storage", rid.slice("rad:".length)));
  const commits = text(git.run(["rev-list", "--all"])).split("\n").filter((line) => line !== "");
  const idle = residentMb(service.pid);
  /** Times of changes by the name of the branch. */
  const moved = new Map<string, number>();
  const delays: number[] = [];
  let [heard, bytes] = [0, 0];
  const agents: { destroy(): void }[] = [];
  let first = idle;
  for (let i = 0; i < READERS; i++) {
    // The first readers are not counted: they load code and start the watcher.
    if (i === FIRST_READERS) first = residentMb(service.pid);
    await new Promise<void>((resolve, reject) => {
      const asked = get(`${service.url}/api/v1/events?types=references`, { agent: false }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
        let rest = "";
        // Only one reader in a hundred parses its events, because the client runs on the same machine.
        const isLooking = i % 100 === 0;
        response.on("data", (chunk) => {
          bytes += chunk.length;
          heard++;
          if (!isLooking) return;
          rest += chunk;
          const end = rest.lastIndexOf("\n\n");
          for (const [name] of rest.slice(0, Math.max(end, 0)).matchAll(/refs\/heads\/bench-\d+/g)) {
            const atMs = moved.get(name);
            if (atMs !== undefined) delays.push(performance.now() - atMs);
          }
          rest = rest.slice(end + 2);
        });
        response.once("data", () => resolve());
      });
      asked.on("error", reject);
      agents.push(asked);
    });
  }
  const withReaders = residentMb(service.pid);
  const [cpu, startMs] = [processorSeconds(service.pid), performance.now()];
  const updates = spawn("git", ["-c", "safe.directory=*", "--git-dir", git.path, "update-ref", "--stdin"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  let [most, made] = [0, 0];
  while (performance.now() - startMs < SECONDS * 1000) {
    const due = Math.floor((performance.now() - startMs) / 1000 * CHANGES);
    for (; made < due; made++) {
      const name = `refs/heads/bench-${made}`;
      // A separate transaction, so that the change is visible at once.
      updates.stdin.write(`start\nupdate ${name} ${commits[made % commits.length]}\ncommit\n`);
      if (made >= BRANCHES * CHANGES) {
        updates.stdin.write(`start\ndelete refs/heads/bench-${made - BRANCHES * CHANGES}\ncommit\n`);
        moved.delete(`refs/heads/bench-${made - BRANCHES * CHANGES}`);
      }
      moved.set(name, performance.now());
    }
    most = Math.max(most, residentMb(service.pid));
    await new Promise((resume) => setTimeout(resume, TICK_MS));
  }
  await new Promise((resume) => setTimeout(resume, 3000));
  const busy = processorSeconds(service.pid) - cpu;
  updates.stdin.end();
  delays.sort((a, b) => a - b);
  const at = (share: number) => Math.round(delays[Math.floor(share * (delays.length - 1))] ?? NaN);
  console.log(
    `${runtime}: ${made} changes in ${SECONDS} s to ${READERS} readers: delay median ${at(0.5)} ms, 90 % ${
      at(0.9)
    }, 99 % ${at(0.99)}, ` +
      `most ${at(1)} (${delays.length} seen); ${heard} chunks, ${
        Math.round(bytes / 1e6)
      } MB; memory ${idle} MB idle, ${withReaders} with readers ` +
      `(${Math.round((withReaders - first) * 1024 / (READERS - FIRST_READERS))} KB each), ${most} at most; ${
        busy.toFixed(1)
      } s of processor time`,
  );
  for (const agent of agents) agent.destroy();
  await service.stop();
  removeFolder(folder);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Resident memory of a process, in megabytes. */
function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Math.round(Number(kb) / 1024);
}

/** Processor time that a process has used, in seconds. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

process.exit();
