// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Compares our service with the fastest `radicle-httpd` that is installed (test/interop/install_2024.sh,
 * install.sh), on one home with several repositories. Both get the same requests in turn: first answers after
 * a start, and repeated ones. Then it measures requests per second, the memory of both, the first moments
 * after a start, and a crawler that requests every URL once:
 * `node bench/run.ts [--repository PATH]… [--rounds 3] [--runtime node|deno|bun]… [--samples 60]
 * [--commits 2500] [--large 80000] [--crawl 60] [--homes FOLDER] [--only compare|large|start|crawl]…
 * [--report bench/notes/measured.md]`.
 * Prints medians of the rounds as Markdown, with missed goals in bold and listed again at the end. Never
 * fails because of a time. A repository is a clone or a git bundle: a real history next to the generated
 * ones. `--homes` stores the home in a folder, or uses the one that is there, since making one takes minutes.
 * `--commits 0` and `--large 0` leave out generated repositories. `--crawl` is the longest run of the crawler
 * in seconds.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  httpdTitle,
  removeFolder,
  ROOT,
  type Runtime,
  RUNTIMES,
  startHttpd,
  temporaryFolder,
} from "../test/support/programs.ts";
import { crawlHttpd, crawlOurs, crawlTable } from "./crawl.ts";
import { planCrawl } from "./crawl_plan.ts";
import { firstMinuteTable, measureFirstMinute } from "./first_minute.ts";
import { idle, startDeployed } from "./deployed.ts";
import { type BenchHome, type BenchRepository, openBenchHome, repositoryPath } from "./homes.ts";
import { comparisonTable, memoryLine, ownTable, type Round, WANTED } from "./report.ts";

const { values } = parseArgs({
  options: {
    commits: { type: "string", default: "2500" },
    files: { type: "string", default: "300" },
    issues: { type: "string", default: "100" },
    patches: { type: "string", default: "40" },
    large: { type: "string", default: "80000" },
    crawl: { type: "string", default: "60" },
    rounds: { type: "string", default: "3" },
    samples: { type: "string", default: "60" },
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    repository: { type: "string", multiple: true, default: [] },
    only: { type: "string", multiple: true, default: ["compare", "large", "start", "crawl"] },
    homes: { type: "string" },
    report: { type: "string" },
  },
});
const runtimes = values.runtime as readonly Runtime[];

const COMPARE = join(ROOT, "bench/compare.mjs");
const LARGE_FILES = 2000;
const LARGE_SAMPLES = 12;
/** URLs that the crawler requests. */
const CRAWLED = 50_000;

const folder = temporaryFolder("bench");
const cache = join(folder, "cache");
const report: string[] = [];
const missed: string[] = [];
const start = Date.now();
try {
  say(
    `Measured on ${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${
      (totalmem() / 2 ** 30).toFixed(0)
    } GiB, ${values.rounds} rounds, medians; milliseconds.`,
  );
  const bench = await openBenchHome(values.homes ?? join(folder, "homes"), {
    paths: values.repository,
    sizes: [
      {
        name: "generated",
        commits: Number(values.commits),
        files: Number(values.files),
        isHeavy: true,
        issues: Number(values.issues),
        patches: Number(values.patches),
      },
      {
        name: "large",
        commits: Number(values.large),
        files: LARGE_FILES,
        isHeavy: false,
        issues: 0,
        patches: 0,
      },
    ].filter(({ commits }) => commits > 0),
  });
  say(`${versions()}, ${httpdTitle(bench.generation)} (release build).`);
  const large = bench.repositories.find(({ name }) => name === "large");
  const others = bench.repositories.filter((repository) => repository !== large);
  progress("the home is made");
  if (values.only.includes("compare") && others.length > 0) await measureNextTo(bench, others);
  if (values.only.includes("large") && large) await measureLarge(bench, large);
  if (values.only.includes("start") && large && others[0]) await measureStart(bench, large, others[0]);
  if (values.only.includes("crawl") && Number(values.crawl) > 0) {
    await measureCrawl(bench, bench.repositories[0]!);
  }
} finally {
  removeFolder(folder);
}
if (missed.length > 0) say("", "## Missed", "", ...missed.map((line) => `- ${line}`));
if (values.report !== undefined) writeReport(values.report);

/** Compares both services on several repositories, on each repository in each round. */
async function measureNextTo(
  bench: BenchHome,
  repositories: readonly BenchRepository[],
): Promise<void> {
  const plan = join(folder, "beside.json");
  const planner = await startHttpd(bench.home, bench.generation);
  const rids = repositories.flatMap(({ rid }) => ["--rid", rid]);
  await compare("--b", planner.url, "--plan", plan, ...rids, "--samples", values.samples);
  await planner.stop();
  for (const runtime of runtimes) {
    const rounds: Measured[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      rounds.push(await measure(runtime, bench, plan));
      progress(`${title(runtime)}, round ${round + 1}`);
    }
    for (const { name, rid } of repositories) {
      const own: string[] = [];
      say("", `## ${name}, ${title(runtime)}`, "");
      say(...comparisonTable(rounds.map(({ of }) => of(rid)), WANTED[bench.generation], own));
      missed.push(...own.map((line) => `${title(runtime)}, ${name}, ${line}`));
    }
    const own: string[] = [];
    say("", memoryLine(runtime, rounds.map(({ megabytes }) => megabytes), own));
    missed.push(...own.map((line) => `${title(runtime)}, ${line}`));
  }
}

/**
 * On a large repository, the other service answers some requests only after half a minute, and some never. So
 * it gets only one request of each kind.
 */
async function measureLarge(bench: BenchHome, { rid }: BenchRepository): Promise<void> {
  const plan = join(folder, "large.json");
  const planner = await startDeployed("node", bench.home, ["--cache", cache]);
  await compare("--b", planner.url, "--plan", plan, "--rid", rid, "--samples", String(LARGE_SAMPLES));
  await planner.stop();
  for (const [i, runtime] of runtimes.entries()) {
    const { of, megabytes } = await measure(runtime, bench, plan, ["--b-samples", i === 0 ? "1" : "0"]);
    say("", `## ${values.large} commits, ${title(runtime)}`, "", ...ownTable([of(rid)]));
    say("", `Resident memory afterwards: ${megabytes.A} MB.`);
    progress(`${title(runtime)}, large`);
  }
}

async function measureStart(bench: BenchHome, large: BenchRepository, other: BenchRepository): Promise<void> {
  const starts = [];
  for (const runtime of runtimes) {
    const own = join(folder, `cache-${runtime}`);
    const ours = (cache: string) => () => startDeployed(runtime, bench.home, ["--cache", cache]);
    const without = await measureFirstMinute(ours("none"), bench, { large, other });
    // Fills the cache folder.
    const filling = await ours(own)();
    await idle(filling.pid);
    await filling.stop();
    const withCache = await measureFirstMinute(ours(own), bench, { large, other });
    starts.push({ title: title(runtime), without, with: withCache });
    progress(`${title(runtime)}, start`);
  }
  const theirs = {
    title: httpdTitle(bench.generation),
    without: await measureFirstMinute(() => startHttpd(bench.home, bench.generation), bench, {
      large,
      other,
    }),
  };
  say(
    "",
    `## The first moments, ${values.large} commits are read`,
    "",
    ...firstMinuteTable(starts, theirs, missed),
  );
}

async function measureCrawl({ home, generation }: BenchHome, { name, rid }: BenchRepository): Promise<void> {
  const repository = repositoryPath(home, rid);
  const plan = await planCrawl(repository, { rid, count: CRAWLED });
  const own = join(folder, "crawl");
  mkdirSync(own);
  const options = { home, generation, rid, plan, folder: own, seconds: Number(values.crawl) };
  progress("the crawl is planned");
  const theirs = await crawlHttpd(options);
  const ours = [];
  for (const runtime of runtimes) {
    ours.push({ title: title(runtime), runs: await crawlOurs(runtime, options, ["--cache", cache]) });
    progress(`${title(runtime)}, crawl`);
  }
  say(
    "",
    `## A crawler of ${name}, ${values.crawl} seconds at most`,
    "",
    ...crawlTable(ours, { generation, runs: theirs }, missed),
  );
}

/** Results of one round. */
interface Measured {
  /** Results for a repository. */
  of(rid: string): Round;
  /** Resident memory afterwards. */
  readonly megabytes: { readonly A: number; readonly B: number };
}

/** Starts new processes of both services and sends them the requests. */
async function measure(
  runtime: Runtime,
  { home, generation }: BenchHome,
  plan: string,
  args: string[] = [],
): Promise<Measured> {
  const ours = await startDeployed(runtime, home, ["--cache", cache]);
  const theirs = await startHttpd(home, generation);
  await idle(ours.pid);
  const output = join(folder, "round.json");
  await compare("--a", ours.url, "--b", theirs.url, "--plan", plan, "--json", output, ...args);
  const megabytes = { A: residentMegabytes(ours.pid), B: residentMegabytes(theirs.pid) };
  await ours.stop();
  await theirs.stop();
  const { first, load } = JSON.parse(readFileSync(output, "utf8"));
  return { of: (rid) => ({ first: first[rid], load: load[rid] }), megabytes };
}

/** Waits without blocking: if nobody reads the output of the services meanwhile, they stop. */
async function compare(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [COMPARE, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`compare.mjs ended with ${status}`);
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function say(...lines: string[]): void {
  report.push(...lines);
  console.log(lines.join("\n"));
}

/** Shows the progress of the run, separate from the report. */
function progress(text: string): void {
  console.error(`${((Date.now() - start) / 60_000).toFixed(1)} min: ${text}`);
}

function title(runtime: string): string {
  return { node: "Node.js", deno: "Deno", bun: "Bun" }[runtime] ?? runtime;
}

function versions(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return RUNTIMES.map((runtime) => `${title(runtime)} ${devDependencies[runtime]}`).join(", ");
}

/** Replaces the measured part of the document, which starts at the mark. The text above the mark stays. */
function writeReport(path: string): void {
  const MEASURED = "<!-- measured -->";
  const [above = ""] = existsSync(path) ? readFileSync(path, "utf8").split(MEASURED) : [];
  writeFileSync(path, `${above}${MEASURED}\n\n${report.join("\n")}\n`);
}
