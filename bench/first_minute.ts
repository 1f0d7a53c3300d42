/**
 * Measures the first moments of a service while it reads the history of a large repository: the time until
 * the activity of that repository is answered, with and without a cache folder of an earlier process, and the
 * time of first answers for another repository meanwhile.
 */
import { execFileSync } from "node:child_process";
import type { Service } from "../test/support/programs.ts";
import { HttpConnection } from "./http_connection.ts";
import { type BenchHome, type BenchRepository, repositoryPath } from "./homes.ts";

/** All values are in milliseconds. */
export interface FirstMinute {
  /** From the first accepted connection until the activity of the large repository is answered. */
  readonly activity: number;
  /** First answers for the other repository meanwhile: its views, trees, readmes and commits. */
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
  readonly answers: number;
}

/**
 * Goal in milliseconds until the activity is answered, with a cache folder. Without one, the goal is the time
 * of the other service.
 */
const WANTED_WITH_MS = 200;
const COMMITS = 1000;
/** Pause between two requests for the other repository, in milliseconds. */
const PAUSE_MS = 2;

export async function measureFirstMinute(
  start: () => Promise<Service>,
  { home }: BenchHome,
  { large, other }: { readonly large: BenchRepository; readonly other: BenchRepository },
): Promise<FirstMinute> {
  const commits = execFileSync("git", [
    "--git-dir",
    repositoryPath(home, other.rid),
    "rev-list",
    `-${COMMITS}`,
    "--all",
  ])
    .toString().trim().split("\n");
  const service = await start();
  const [patient, busy] = [new HttpConnection(service.url), new HttpConnection(service.url)];
  const began = performance.now();
  let activity = NaN;
  const answered = patient.get(`/api/v1/projects/${large.rid}/activity`).then(() =>
    activity = performance.now() - began
  );
  const project = `/api/v1/projects/${other.rid}`;
  const waits: number[] = [];
  for (const oid of commits) {
    for (const path of ["", `/tree/${oid}/`, `/readme/${oid}`, `/commits/${oid}`]) {
      if (!Number.isNaN(activity)) break;
      // radicle-httpd sometimes closes the connection without an answer. The next request opens a new one.
      const answer = await busy.get(project + path).catch(() => undefined);
      if (answer !== undefined) waits.push(answer.ms);
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  }
  await answered;
  for (const connection of [patient, busy]) connection.close();
  await service.stop();
  const sorted = waits.sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
  return { activity, p50: at(0.5), p95: at(0.95), most: at(1), answers: sorted.length };
}

/** The lines of a Markdown table, with missed goals in bold. */
export function firstMinuteTable(
  ours: readonly { readonly title: string; readonly without: FirstMinute; readonly with: FirstMinute }[],
  theirs: { readonly title: string; readonly without: FirstMinute; readonly with?: undefined },
  missed: string[],
): string[] {
  const lines = [
    "| Runtime | cache folder | activity, ms | wanted | other first answers meanwhile: median | 95 % | most |",
    "| --- | --- | --- | --- | --- | --- | --- |",
  ];
  const wanted = { without: theirs.without.activity, with: WANTED_WITH_MS };
  for (const { title, ...each } of [...ours, theirs]) {
    for (const kind of ["without", "with"] as const) {
      const measured = each[kind];
      if (measured === undefined) continue;
      const { activity, p50, p95, most, answers } = measured;
      const isMissed = activity > wanted[kind];
      if (isMissed) {
        missed.push(
          `${title}, activity ${kind} cache folder: ${activity.toFixed(0)} ms of ${wanted[kind].toFixed(0)}`,
        );
      }
      const cells = answers === 0 ? ["", "", ""] : [p50.toFixed(1), p95.toFixed(1), most.toFixed(0)];
      const shown = isMissed ? `**${activity.toFixed(0)}**` : activity.toFixed(0);
      lines.push(`| ${[title, kind, shown, wanted[kind].toFixed(0), ...cells].join(" | ")} |`);
    }
  }
  return lines;
}
