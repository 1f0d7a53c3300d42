// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * How much of the source a request runs through: `node test/flows.ts [--list] [NAME…]`. Counts the files, folders and
 * functions of `src/` and `adapters/` whose functions are called between the start of a flow and the end of its answer,
 * in the thread that answers, by V8's precise coverage. Each flow begins in a service that is warm: what a process loads
 * and sets up once is not part of it. Clocks stand still meanwhile: no work is found to take long, and nothing that is
 * trusted for a while becomes too old, however busy the machine is. Carried files and the code around libgit2 are left
 * out. `--list` prints the files, with the number of their functions. Works on Node.js alone.
 */
import { Session } from "node:inspector/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { openAuthorized } from "../adapters/cli/sign_in.ts";
import { openHomePublisher } from "../adapters/home/publish_home.ts";
import { createHomeApi, homeParts, loadLibgit2 } from "../adapters/node/mod.ts";
import { inflate } from "../adapters/node/zlib.ts";
import { createMemoryBucket } from "../src/replication/bucket/memory.ts";
import { createReplica, type Replica } from "../src/replication/replica/replica.ts";
import { signerOf } from "./support/keys.ts";
import { removeFolder, ROOT, temporaryFolder, unpackHome } from "./support/programs.ts";

/** The size of a flow. */
export interface FlowSize {
  readonly files: number;
  readonly folders: number;
  readonly functions: number;
}

/** What a flow ran: for each file below the work tree, how many of its functions. */
export type Ran = ReadonlyMap<string, number>;

/** The flows, in the order in which they are printed. */
export const FLOWS = [
  "page of history, uncached",
  "page of history, cached",
  "root of a tree",
  "change of an issue",
  "diff over 20 commits",
  "publish of two repositories",
  "tree on a replica, cold",
] as const;
export type Flow = typeof FLOWS[number];

/** Commits of a page of history. */
const PAGE = 30;
/** Commits between the two sides of a diff. */
const DIFF_COMMITS = 20;
/** Of the home `browse`: the repository that is asked, and another one that warms up the service. */
const RID = "rad:zG22EzZer4YACrx2Esgmpn9kRrTQ", WARM_UP_RID = "rad:znfUeJyw5tcTtg8WrhWPfgidivEa";
/** Of the home `desk`: the seed of its key, and a repository of which this is the delegate. */
const DESK_SEED = "07".repeat(32), DESK_RID = "rad:z3Avj7G9Sh8v5Br5GXM9MydxYkmhm";
/** Of the home `today-collab`, which has two public repositories. */
const ATELIER = "rad:z2wDWbjWsk4yRK4RvpnMV83RrDFvP", DUET = "rad:zFpuHQPLnWcwbzEHUbbv4wCzH9qV";

/** Code that is not ours, and the code around it. */
const LEFT_OUT = /\/carried(?:\/|\.ts$)|^src\/diff\/libgit2\//;
/** Nothing runs any more when it is so in a number of counts, and between two of them is a number of milliseconds. */
const QUIET_COUNTS = 5, QUIET_MS = 20;
const BASE = "http://localhost";
/** Requests are handed to the API as by an adapter, without a socket. */
const OWNER = { transport: "unix" } as const;
const SOURCE = pathToFileURL(ROOT).href;

/** Counts which functions are called, in this thread. */
class Coverage {
  readonly #session = new Session();

  /** Starts to count; what has been compiled so far is counted as well. */
  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** What ran since the last call. */
  async take(): Promise<Ran> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const ran = new Map<string, number>();
    for (const { url, functions } of result) {
      if (!url.startsWith(SOURCE)) continue;
      const file = relative(ROOT, fileURLToPath(url));
      if (!/^(?:src|adapters)\//.test(file) || LEFT_OUT.test(file)) continue;
      // The first function of a module is the module itself.
      const called = functions.filter(({ ranges: [range] }) => range!.count > 0 && range!.startOffset > 0);
      if (called.length > 0) ran.set(file, called.length);
    }
    return ran;
  }

  /** Waits until nothing runs any more. */
  async quiet(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_COUNTS;) {
      await new Promise((resume) => setTimeout(resume, QUIET_MS));
      quiet = (await this.take()).size === 0 ? quiet + 1 : 0;
    }
  }

  stop(): void {
    this.#session.disconnect();
  }
}

/** The clocks of this thread, and timers of more than a millisecond, which are not due while clocks stand still. */
class Clocks {
  readonly #dateNow = Date.now;
  readonly #performanceNow = performance.now;
  readonly #setTimeout = globalThis.setTimeout;
  readonly #clearTimeout = globalThis.clearTimeout;
  #held: { readonly dateMs: number; readonly performanceMs: number } | undefined;
  /** Timers that would have been due, and what they call. */
  readonly #late = new Map<unknown, () => void>();

  constructor() {
    Date.now = () => this.#held?.dateMs ?? this.#dateNow.call(Date);
    performance.now = () => this.#held?.performanceMs ?? this.#performanceNow.call(performance);
    const start = (call: () => void, ms = 0) => {
      const isLate = () => this.#held !== undefined && ms > 1;
      const timer = this.#setTimeout(() => isLate() ? this.#late.set(timer, call) : call(), ms);
      return timer;
    };
    globalThis.setTimeout = start as typeof setTimeout;
    const stop = (timer: NodeJS.Timeout) => {
      if (!this.#late.delete(timer)) this.#clearTimeout.call(globalThis, timer);
    };
    globalThis.clearTimeout = stop as typeof clearTimeout;
  }

  hold(): void {
    this.#held = { dateMs: Date.now(), performanceMs: performance.now() };
  }

  goOn(): void {
    this.#held = undefined;
    const late = [...this.#late.values()];
    this.#late.clear();
    for (const call of late) call();
  }

  restore(): void {
    Date.now = this.#dateNow;
    performance.now = this.#performanceNow;
    globalThis.setTimeout = this.#setTimeout;
    globalThis.clearTimeout = this.#clearTimeout;
  }
}

/** Runs the flows, all of them or some. */
export async function runFlows(names: readonly string[] = FLOWS): Promise<ReadonlyMap<Flow, Ran>> {
  const folder = temporaryFolder("flows");
  const clocks = new Clocks();
  const coverage = new Coverage();
  await coverage.start();
  const ran = new Map<Flow, Ran>();
  /** Runs a flow between two counts. Before it, what earlier requests left to do is done. */
  const measure: Measure = async (flow, run, prepare) => {
    await coverage.quiet();
    clocks.hold();
    try {
      await prepare?.();
      await coverage.take();
      await run();
      const taken = await coverage.take();
      if (names.includes(flow)) ran.set(flow, taken);
    } finally {
      clocks.goOn();
    }
  };
  try {
    await browse(unpackHome("browse.tar.gz", folder), measure);
    await change(unpackHome("desk.tar.gz", folder), measure);
    await replicate(unpackHome("today/today-collab.tar.gz", folder), measure);
  } finally {
    coverage.stop();
    clocks.restore();
    removeFolder(folder);
  }
  return ran;
}

/** `prepare` runs just before, at the same time of the clocks. */
type Measure = (flow: Flow, run: () => Promise<unknown>, prepare?: () => Promise<unknown>) => Promise<void>;

/** Sends a request to an API. */
type Send = (url: string, init?: RequestInit) => Promise<Response>;
/** Asks for JSON below `/api/v1/projects/`. */
// deno-lint-ignore no-explicit-any -- answers are looked into
type Ask = (path: string, init?: RequestInit) => Promise<any>;

const asking = (send: Send): Ask => async (path, init) => {
  const response = await send(`${BASE}/api/v1/projects/${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
};

/** Uses the API of a home, which nothing has warmed up, and which saves no indexes. */
async function opened(home: string, use: (send: Send) => Promise<void>): Promise<void> {
  const { api, close } = await createHomeApi({ home });
  try {
    await use((url, init) => api.fetch(new Request(url, init), OWNER));
  } finally {
    await close();
  }
}

/** Reads from a home that has been asked for the same of another repository. */
async function browse(home: string, measure: Measure): Promise<void> {
  const read = async (ask: Ask, rid: string, measure: Measure): Promise<void> => {
    const { head } = await ask(rid);
    const history = `${rid}/commits?perPage=${PAGE}`;
    let commits: { readonly commit: { readonly id: string } }[] = [];
    await measure("page of history, uncached", async () => ({ commits } = await ask(history)));
    if (commits.length !== PAGE) throw new Error(`${commits.length} commits on the page`);
    await measure("page of history, cached", () => ask(history), () => ask(history));
    await measure("root of a tree", () => ask(`${rid}/tree/${head}/`));
    const old = commits[DIFF_COMMITS]!.commit.id;
    await measure("diff over 20 commits", () => ask(`${rid}/diff/${old}/${head}`));
  };
  await opened(home, async (send) => {
    const ask = asking(send);
    await read(ask, WARM_UP_RID, async (_flow, run) => void await run());
    await read(ask, RID, measure);
  });
}

/** Changes an issue that has been changed before. */
async function change(home: string, measure: Measure): Promise<void> {
  await opened(home, async (send) => {
    const token = await openAuthorized(BASE, await signerOf(DESK_SEED), send);
    const ask = asking(send);
    const write = (method: string, path: string, body: unknown) =>
      ask(`${DESK_RID}/issues${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const issue = { title: "Title", description: "Text", labels: [], assignees: [], embeds: [] };
    const { id } = await write("POST", "", issue);
    const comment = (body: string) => write("PATCH", `/${id}`, { type: "comment", body, replyTo: id });
    await comment("First");
    await measure("change of an issue", () => comment("Second"));
  });
}

/** Publishes a home of two repositories, and asks a new replica that has answered for the other one. */
async function replicate(home: string, measure: Measure): Promise<void> {
  const bucket = createMemoryBucket();
  const publish = async (
    into: typeof bucket,
    measured: (run: () => Promise<unknown>) => Promise<unknown>,
  ) => {
    const { publisher, close } = await openHomePublisher({ home, bucket: into }, homeParts);
    await measured(() => publisher.publishAll());
    await close();
  };
  await publish(createMemoryBucket(), (run) => run());
  await publish(bucket, (run) => measure("publish of two repositories", run));

  const replicate = () =>
    createReplica(bucket, { loadLibgit2, inflate, environment: { now: Date.now, log: console.error } });
  const askingOf = (replica: Replica) => asking((url, init) => replica.fetch(new Request(url, init)));
  const first = await replicate();
  const tree = async (rid: string) => `${rid}/tree/${(await askingOf(first)(rid)).head}/`;
  const [warmUp, asked] = [await tree(DUET), await tree(ATELIER)];
  await first.close();
  const replica = await replicate();
  await askingOf(replica)(warmUp);
  await measure("tree on a replica, cold", () => askingOf(replica)(asked));
  await replica.close();
}

/** The size of what ran. */
export function sizeOf(ran: Ran): FlowSize {
  return {
    files: ran.size,
    folders: new Set([...ran.keys()].map((file) => dirname(file))).size,
    functions: [...ran.values()].reduce((sum, count) => sum + count, 0),
  };
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { list: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const ran = await runFlows(positionals.length === 0 ? FLOWS : positionals);
  console.log("| Flow | files | folders | functions |\n| --- | --- | --- | --- |");
  for (const [flow, files] of ran) {
    const { files: count, folders, functions } = sizeOf(files);
    console.log(`| ${flow} | ${count} | ${folders} | ${functions} |`);
    if (!values.list) continue;
    for (const [file, called] of [...files].sort(([a], [b]) => a < b ? -1 : 1)) {
      console.log(`|   ${file} | | | ${called} |`);
    }
  }
}
