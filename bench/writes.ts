// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures writes per second over HTTP, from one client and from eight, and the time to read the written
 * objects: `node bench/writes.ts [--issues 1000] [--patches 300] [--seconds 5] [--samples 40]
 * [--runtime node|deno|bun]…`.
 * Everything is compared with `radicle-httpd` 0.10.0, in turn: writes on two equal homes, reads on the same
 * home. Ratios above 1 mean that ours is faster. Never fails because of a time.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { arch, cpus, platform } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { SETTLING_MS } from "../src/cache/file_freshness.ts";
import {
  removeFolder,
  type Runtime,
  RUNTIMES,
  type Service,
  startHttpd,
  startWarmService,
  temporaryFolder,
} from "../test/support/programs.ts";
import {
  type Client,
  createWrittenProject,
  newComment,
  newIssue,
  RefusedError,
  signIn,
  type WrittenProject,
} from "../test/interop/written_project.ts";
import { HttpConnection } from "./http_connection.ts";

const { values } = parseArgs({
  options: {
    issues: { type: "string", default: "1000" },
    patches: { type: "string", default: "300" },
    seconds: { type: "string", default: "5" },
    samples: { type: "string", default: "40" },
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
  },
});
const CLIENTS = [1, 8];
const folder = temporaryFolder("bench-writes");

try {
  console.log(
    `${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, Node.js ${process.version}`,
  );
  console.log("\n==== writes to a new repository ====");
  for (const runtime of values.runtime as Runtime[]) {
    const [mine, other] = ["ours", "theirs"].map((name) =>
      createWrittenProject("0.10", join(folder, `writes-${runtime}-${name}`))
    );
    await measureWrites(runtime, mine!, other!);
  }
  await measureReads();
} finally {
  removeFolder(folder);
}

async function serving<T>(service: Service, step: (service: Service) => Promise<T>): Promise<T> {
  try {
    return await step(service);
  } finally {
    await service.stop();
  }
}

/**
 * Adds comments to one issue per client, on two homes of 2024, which both programs can use. Rounds alternate
 * between the services.
 */
async function measureWrites(runtime: Runtime, mine: WrittenProject, other: WrittenProject): Promise<void> {
  await serving(await startHttpd(other.rad.home), async (theirs) => {
    await serving(await startWarmService(runtime, mine.rad.home), async (ours) => {
      for (const clients of CLIENTS) {
        const sides = [await openDesk(ours, mine, clients), await openDesk(theirs, other, clients)] as const;
        const rates: [number, number][] = [];
        for (let round = 0; round < Number(values.seconds); round++) {
          rates.push([await writeForASecond(sides[0]), await writeForASecond(sides[1])]);
        }
        const [us, them, ratio] = [
          median(rates.map(([us]) => us)),
          median(rates.map(([, them]) => them)),
          median(rates.map(([us, them]) => us / them)),
        ];
        console.log(
          `${runtime.padEnd(5)} ${clients} client${clients > 1 ? "s" : " "} ${
            us.toFixed(0)
          } writes a second` +
            ` | httpd ${them.toFixed(0)} | ratio ${ratio.toFixed(2)} (medians of ${rates.length} rounds; ${
              sides[0].refusals
            } and ${sides[1].refusals} failed)`,
        );
      }
    });
  });
}

/** A signed-in user, and an issue for each client. */
interface Desk {
  readonly client: Client;
  readonly issues: readonly string[];
  /** Number of failed writes. */
  refusals: number;
}

async function openDesk({ url }: Service, project: WrittenProject, clients: number): Promise<Desk> {
  const client = await signIn(url, project);
  const issues: string[] = [];
  for (let n = 0; n < clients; n++) issues.push(await client.send("POST", "/issues", newIssue(`Issue ${n}`)));
  return { client, issues, refusals: 0 };
}

/** Writes per second. */
async function writeForASecond(desk: Desk): Promise<number> {
  const { client, issues } = desk;
  const started = performance.now();
  let count = 0;
  await Promise.all(issues.map(async (issue) => {
    while (performance.now() - started < 1000) {
      try {
        await client.send("PATCH", `/issues/${issue}`, newComment(issue, `Comment ${count}`));
        count++;
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        desk.refusals++;
      }
    }
  }));
  return count / (performance.now() - started) * 1000;
}

/** Measures reads of a repository with many objects on each runtime. */
async function measureReads(): Promise<void> {
  const project = createWrittenProject("0.10", join(folder, "reads"));
  let issue = "", patch = "";
  await serving(await startWarmService("node", project.rad.home), async ({ url }) => {
    const started = performance.now();
    const client = await signIn(url, project);
    issue = await fill(client, "issue", Number(values.issues), project);
    patch = await fill(client, "patch", Number(values.patches), project);
    const seconds = (performance.now() - started) / 1000;
    console.log(
      `\n==== reads: ${values.issues} issues, ${values.patches} patches, written in ${
        seconds.toFixed(1)
      } s ====`,
    );
  });
  // The service reads new files again at each request, which is not to be timed.
  await new Promise((resume) => setTimeout(resume, SETTLING_MS));
  const paths = {
    "project": "",
    "remotes": "/remotes",
    "10 issues": "/issues",
    "all issues": `/issues?perPage=${values.issues}`,
    "one issue": `/issues/${issue}`,
    "10 patches": "/patches",
    "all patches": `/patches?perPage=${values.patches}`,
    "one patch": `/patches/${patch}`,
  };
  for (const runtime of values.runtime as Runtime[]) {
    await serving(await startHttpd(project.rad.home), async (theirs) => {
      await serving(await startWarmService(runtime, project.rad.home), async (ours) => {
        console.log(runtime);
        for (const [name, path] of Object.entries(paths)) await compare(name, path, project, ours, theirs);
      });
    });
  }
  console.log("\n==== writes to that repository ====");
  const copy = join(folder, "reads-copy");
  cpSync(project.rad.home, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  const other = { ...project, rad: { ...project.rad, home: copy } };
  for (const runtime of values.runtime as Runtime[]) await measureWrites(runtime, project, other);
}

/** Opens objects. Returns the id of the last one. */
async function fill(client: Client, kind: "issue" | "patch", count: number, project: WrittenProject) {
  const [target, oid] = project.commits;
  let id = "";
  for (let n = 0; n < count; n++) {
    id = kind === "issue"
      ? await client.send("POST", "/issues", newIssue(`Issue ${n}`))
      : await client.send("POST", "/patches", {
        title: `Patch ${n}`,
        description: `What patch ${n} is about`,
        target,
        oid,
        labels: [],
      });
  }
  return id;
}

/** Sends requests to both services in turn. The first answer is timed separately. */
async function compare(
  name: string,
  path: string,
  { rid }: WrittenProject,
  ours: Service,
  theirs: Service,
): Promise<void> {
  const connections = new Map([ours, theirs].map((service) => [service, new HttpConnection(service.url)]));
  const ask = async (service: Service) => {
    const { ms, status } = await connections.get(service)!.get(`/api/v1/projects/${rid}${path}`);
    if (status !== 200) throw new Error(`${path}: ${status}`);
    return ms;
  };
  const first = [await ask(ours), await ask(theirs)] as const;
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let n = 0; n < Number(values.samples); n++) {
    times.ours.push(await ask(ours));
    times.theirs.push(await ask(theirs));
  }
  for (const connection of connections.values()) connection.close();
  const ratio = median(times.theirs) / median(times.ours);
  console.log(
    `  ${name.padEnd(12)} ${spread(times.ours)}; first ${first[0].toFixed(1)} ms` +
      ` | httpd ${spread(times.theirs)}; first ${first[1].toFixed(1)} ms | ratio ${ratio.toFixed(2)}`,
  );
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? NaN;
  return `median ${median(times).toFixed(2)} ms, 95% ${p95.toFixed(2)} ms`;
}
