// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Compares clones from our service with clones from `git http-backend` behind `node:http`, in turn. Then
 * measures the time of a project while many clients clone:
 * `node bench/clones.ts [--commits 2000] [--rounds 7] [--clients 32] [--runtime node|deno|bun]…`. Never fails
 * because of a time.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { GIT_ENVIRONMENT, GitRepository } from "../test/support/git.ts";
import {
  removeFolder,
  type Runtime,
  RUNTIMES,
  startWarmService,
  temporaryFolder,
  unpackHome,
} from "../test/support/programs.ts";

const { values } = parseArgs({
  options: {
    commits: { type: "string", default: "2000" },
    rounds: { type: "string", default: "7" },
    clients: { type: "string", default: "32" },
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
  },
});

/** The public repository of the home that gets the history. */
const RID = "z3vudAtNFLKr2mxxqMQS742bR7fSg";
/** Requests that are timed on an idle service. */
const IDLE_SAMPLES = 200;

const folder = temporaryFolder("bench-clones");
const run = promisify(execFile);
let clones = 0;

try {
  const home = unpackHome("today/today-browse.tar.gz", folder);
  const repository = new GitRepository(join(home, "storage", RID));
  repository.importHistory(Number(values.commits));
  repository.setRef("refs/heads/master", repository.text(["rev-parse", "refs/heads/main"]) as never);
  const backend = createServer((request, response) =>
    void runBackend(join(home, "storage"), request, response)
  );
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  const theirs = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/${RID}`;

  for (const runtime of values.runtime as Runtime[]) {
    const service = await startWarmService(runtime, home);
    const ours = `${service.url}/${RID}.git`;
    const times = { ours: [] as number[], theirs: [] as number[] };
    // The first clone from each service only fills the file cache: it is not counted.
    for (let round = -1; round < Number(values.rounds); round++) {
      const [a, b] = [await timeClone(ours), await timeClone(theirs)];
      if (round < 0) continue;
      times.ours.push(a);
      times.theirs.push(b);
    }
    const [a, b] = [median(times.ours), median(times.theirs)];
    console.log(
      `${runtime}: a clone of ${values.commits} commits takes ${a.toFixed(0)} ms, from git http-backend ${
        b.toFixed(0)
      } ms: ${(b / a).toFixed(2)} × its speed`,
    );
    await measureNextTo(runtime, service.url, ours);
    await service.stop();
  }
  backend.close();
} finally {
  removeFolder(folder);
}

async function timeClone(url: string): Promise<number> {
  const path = join(folder, `clone${clones++}`);
  const startMs = performance.now();
  await run("git", ["clone", "--quiet", "--bare", url, path], { env: GIT_ENVIRONMENT });
  const ms = performance.now() - startMs;
  removeFolder(path);
  return ms;
}

/** Times requests for a project on the idle service, and then while all clients clone. */
async function measureNextTo(runtime: string, base: string, url: string): Promise<void> {
  const timeProject = async () => {
    const startMs = performance.now();
    await (await fetch(`${base}/api/v1/projects/${RID}`)).arrayBuffer();
    return performance.now() - startMs;
  };
  const idle: number[] = [];
  for (let sample = 0; sample < IDLE_SAMPLES; sample++) idle.push(await timeProject());
  let isCloning = true;
  const all = Promise.all(Array.from({ length: Number(values.clients) }, () => timeClone(url)))
    .then(() => isCloning = false);
  const busy: number[] = [];
  while (isCloning) busy.push(await timeProject());
  await all;
  const line = (times: number[]) =>
    `${median(times).toFixed(1)} ms, ${part(times, 0.99).toFixed(1)} ms at the 99th percentile`;
  console.log(
    `${runtime}: a project takes ${line(idle)}; while ${values.clients} clients clone ${line(busy)}`,
  );
}

/** Git's own service, as CGI (RFC 3875). */
async function runBackend(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, "http://localhost");
  const child = spawn("git", ["-c", "safe.directory=*", "http-backend"], {
    env: {
      ...GIT_ENVIRONMENT,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method!,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(child.stdin);
  let head = "";
  for await (const chunk of child.stdout) {
    if (response.headersSent) {
      if (!response.write(chunk)) await once(response, "drain");
      continue;
    }
    head += chunk.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const fields = head.slice(0, end).split("\r\n").map((line) => line.split(/:\s*/) as [string, string]);
    const status = fields.find(([name]) => name === "Status")?.[1];
    response.writeHead(status === undefined ? 200 : parseInt(status), Object.fromEntries(fields));
    // Only the first piece has both headers and body.
    response.write(chunk.subarray(chunk.length - (head.length - end - 4)));
  }
  response.end();
}

function median(times: readonly number[]): number {
  return part(times, 0.5);
}

/** A percentile of times, given as a fraction. */
function part(times: readonly number[], fraction: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * fraction)]!;
}
