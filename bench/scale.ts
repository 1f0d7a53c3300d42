// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Simulates replicas on a bucket, for 10 to 100,000 repositories and 1,000 or 10,000 requests per second.
 * `npm run bench:scale` prints the table of `bench/notes/scale.md`, and `-- --report bench/notes/scale.md`
 * replaces it there. Options such as `--set crawlers=0.5` change constants of `scale_constants.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { COSTS, type Costs } from "./scale_constants.ts";
import { type Outcome, simulate, type Situation } from "./scale_model.ts";

/** The line above the table in the document. */
const MARK = "<!-- simulated -->\n";

const SETUPS = [
  ["Any replica answers", false, false],
  ["Each repository has its replica", false, true],
  ["Each repository has its replica, behind a CDN", true, true],
] as const;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    set: { type: "string", multiple: true, default: [] },
    report: { type: "string" },
  },
});

const lines: string[] = [];
for (const [title, hasCdn, isRouted] of SETUPS) {
  lines.push("", `### ${title}`, "", ...head());
  for (const repositories of [10, 1_000, 5_000, 20_000, 100_000]) {
    for (const requestsPerSecond of [1_000, 10_000]) {
      const situation = { repositories, requestsPerSecond, hasCdn, isRouted };
      lines.push(row(situation, simulate(situation, changed(COSTS, values.set), Number(values.seed))));
    }
  }
}
const text = `${lines.join("\n").trim()}\n`;
console.log(text);
if (values.report !== undefined) {
  const document = readFileSync(values.report, "utf8");
  const [before] = document.split(MARK);
  if (before === document) throw new Error(`${values.report} has no line ${MARK}`);
  writeFileSync(values.report, `${before}${MARK}\n${text}`);
}

function head(): string[] {
  const names = [
    "Repositories",
    "Requests/s",
    "Replicas",
    "CDN hits",
    "Cache hits",
    "ms of processor",
    "Bucket reads/s",
    "Reads a request",
    "MB/s from it",
    "Age, median s",
    "Age, 99 %",
    "Cost/month",
    "Limits: the most used, and all that are exceeded",
  ];
  return [`| ${names.join(" | ")} |`, `| ${names.map(() => "---").join(" | ")} |`];
}

function row({ repositories, requestsPerSecond }: Situation, outcome: Outcome): string {
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  const megabytes = outcome.bucketMegabytesPerSecond;
  const cells = [
    whole(repositories),
    whole(requestsPerSecond),
    whole(outcome.replicas),
    percent(outcome.cdnHits),
    percent(outcome.cacheHits),
    outcome.cpuMs.toFixed(1),
    whole(outcome.bucketReadsPerSecond),
    (outcome.bucketReadsPerSecond / requestsPerSecond).toFixed(2),
    megabytes < 10 ? megabytes.toFixed(1) : whole(megabytes),
    outcome.ageMedian.toFixed(1),
    outcome.age99.toFixed(1),
    whole(outcome.costPerMonth),
    outcome.limits.filter(([, used], i) => i === 0 || used > 1).map(([name, used]) =>
      `${name} ${percent(used)}`
    )
      .join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Replaces some constants, given as `name=number`. */
function changed(costs: Costs, settings: readonly string[]): Costs {
  const replaced = settings.map((setting) => {
    const [name = "", value = ""] = setting.split("=");
    const isNumber = typeof (costs as unknown as Record<string, unknown>)[name] === "number";
    if (!isNumber || !Number.isFinite(Number(value)) || value === "") {
      throw new Error(`Cannot set "${setting}"`);
    }
    return [name, Number(value)];
  });
  return { ...costs, ...Object.fromEntries(replaced) };
}
