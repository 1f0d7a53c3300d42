/**
 * Lets a crawler request every URL of a repository once, over 16 connections, while another client requests
 * the project. Runs against our service on each runtime, and against `radicle-httpd` long enough to know its
 * rate. Each run starts a new process.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import {
  type HttpdGeneration,
  httpdTitle,
  ROOT,
  type Runtime,
  type Service,
  startHttpd,
} from "../test/support/programs.ts";
import { idle, startDeployed } from "./deployed.ts";
import type { Crawled, Waits } from "./crawler.ts";
import { type CrawlPlan, mixed } from "./crawl_plan.ts";

/** One run: the answers of the crawler, and the waits of the other client. */
export interface CrawlRun extends Crawled {
  readonly other: Waits;
}

export interface CrawlRuns {
  readonly withoutPages: CrawlRun;
  readonly withPages: CrawlRun;
}

export interface CrawlOptions {
  readonly home: string;
  /** The generation of the `radicle-httpd` to compare with. */
  readonly generation: HttpdGeneration;
  readonly rid: string;
  readonly plan: CrawlPlan;
  /** A new folder for lists of URLs. */
  readonly folder: string;
  /** Longest run, in seconds. Runs against `radicle-httpd` take at most a third of this. */
  readonly seconds: number;
}

const CRAWLER = join(ROOT, "bench/crawler.ts");

/** Goals: our answers per second as a multiple of theirs, and milliseconds for the other client. */
const WANTED = { withoutPages: 10, withPages: 4, otherMs: 20 };
/** Memory counts as flat when the last sample is at most this multiple of the sample in the middle. */
const FLAT = 1.1;

export function crawlOurs(
  runtime: Runtime,
  options: CrawlOptions,
  args: readonly string[],
): Promise<CrawlRuns> {
  return crawlTwice(() => startDeployed(runtime, options.home, args), options, options.seconds);
}

export function crawlHttpd(options: CrawlOptions): Promise<CrawlRuns> {
  return crawlTwice(() => startHttpd(options.home, options.generation), options, options.seconds / 3);
}

async function crawlTwice(
  start: () => Promise<Service>,
  { plan, folder, rid }: CrawlOptions,
  seconds: number,
): Promise<CrawlRuns> {
  const run = async (targets: readonly string[]): Promise<CrawlRun> => {
    const file = join(folder, "targets.json");
    writeFileSync(file, JSON.stringify(targets));
    const service = await start();
    await idle(service.pid);
    const place = ["--url", service.url, "--pid", String(service.pid)];
    const other = program<Waits>(...place, "--watch", `/projects/${rid}`);
    const crawled = await program<Crawled>(...place, "--targets", file, "--seconds", String(seconds)).result;
    other.end();
    const waits = await other.result;
    await service.stop();
    return { ...crawled, other: waits };
  };
  return { withoutPages: await run(plan.others), withPages: await run(mixed(plan)) };
}

/** The lines of a Markdown table, with missed goals in bold. */
export function crawlTable(
  ours: readonly { readonly title: string; readonly runs: CrawlRuns }[],
  theirs: { readonly generation: HttpdGeneration; readonly runs: CrawlRuns },
  missed: string[],
): string[] {
  const lines = [
    "| Service | URLs | answers | failed | a second | ratio | wanted | memory over time, MB | project meanwhile: median | 99 % | most |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  ];
  for (const { title, runs } of [...ours, { title: httpdTitle(theirs.generation), runs: theirs.runs }]) {
    for (const kind of ["withoutPages", "withPages"] as const) {
      const { answers, failed, memory, other } = runs[kind];
      const ratio = perSecond(runs[kind]) / perSecond(theirs.runs[kind]);
      const isOurs = runs !== theirs.runs;
      const judge = (text: string, isEnough: boolean, name: string): string => {
        if (isEnough || !isOurs) return text;
        missed.push(`${title}, crawl ${kind === "withPages" ? "with" : "without"} pages, ${name}: ${text}`);
        return `**${text}**`;
      };
      const isFlat = memory.at(-1)! <= FLAT * memory[memory.length >> 1]!;
      const cells = [
        title,
        kind === "withPages" ? "with pages" : "without pages",
        String(answers),
        String(failed),
        perSecond(runs[kind]).toFixed(0),
        ...(isOurs
          ? [judge(ratio.toFixed(1), ratio >= WANTED[kind], "ratio"), String(WANTED[kind])]
          : ["", ""]),
        judge(memory.join(" "), isFlat, "memory"),
        other.p50.toFixed(1),
        judge(other.p99.toFixed(1), other.p99 <= WANTED.otherMs, "another client, ms"),
        other.most.toFixed(0),
      ];
      lines.push(`| ${cells.join(" | ")} |`);
    }
  }
  return lines;
}

function perSecond({ answers, seconds }: Crawled): number {
  return answers / seconds;
}

/** Runs the crawler's program and parses its output. */
function program<T>(...args: string[]): { readonly result: Promise<T>; end(): void } {
  const child = spawn(process.execPath, [CRAWLER, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
  const result = once(child, "close").then(([status]) => {
    if (status !== 0) throw new Error(`crawler.ts ended with ${status}`);
    return JSON.parse(output) as T;
  });
  return { result, end: () => child.stdin.end() };
}
