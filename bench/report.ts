/** Summarizes several rounds of `compare.mjs`: medians, next to the goals. */

import type { HttpdGeneration } from "../test/support/programs.ts";

/**
 * One kind of request in one round: milliseconds at the median and at the 95th percentile, of our service
 * (`a`) and of the other one (`b`).
 */
export interface Row {
  readonly n: number;
  readonly a50: number;
  readonly b50: number | null;
  readonly a95: number;
  readonly b95: number | null;
  /** Repeated requests, at the median. */
  readonly ra: number;
  readonly ra95: number;
  readonly rb: number | null;
  /** Requests whose status differs between the two services. */
  readonly differ: number;
}

/** Requests per second, and milliseconds. */
export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Results of one round on one repository. */
export interface Round {
  readonly first: Readonly<Record<string, Row>>;
  readonly load: { readonly A: Load; readonly B?: Load };
}

/** Ratios of first answers at the median and at the 95th percentile, and of repeated answers. */
type Ratios = readonly [median: number, slowest?: number | undefined, repeated?: number];

/** Ratios that we want to reach. */
export interface Wanted {
  /** By kind of request. */
  readonly kinds: Readonly<Record<string, Ratios>>;
  /** For repeated answers of other kinds. */
  readonly repeated: number;
  /** For requests per second. */
  readonly load: number;
}

/** Goals for a realistic history, for each `radicle-httpd`. */
export const WANTED: Readonly<Record<HttpdGeneration, Wanted>> = {
  "2024-02": {
    kinds: {
      "history page of 30": [5, 3],
      "history page, older": [5, 3],
      "history, old parent": [15, 4],
      "commit": [3, 2],
      "diff of neighbours": [2, 1.5],
      "diff over 20 commits": [1.5, 1],
      "blob": [12],
      "readme": [8],
      "remotes": [2],
      "issues": [2],
      "patches": [2],
      "tree root": [150],
      "tree below": [50],
      "activity": [33],
    },
    repeated: 1,
    load: 30,
  },
  "0.10": {
    kinds: {
      "project": [5],
      "projects list": [2],
      "history page of 30": [1 / 4],
      "history page, older": [1 / 4],
      "history, old parent": [1 / 4],
      "commit": [3, 2, 10],
      "diff of neighbours": [2, 1.5, 8],
      "diff over 20 commits": [1.5, 1, 15],
      "tree root": [150, undefined, 1.5],
      "tree below": [50, undefined, 1.5],
      "blob": [10, undefined, 25],
      "readme": [8, undefined, 25],
      "activity": [40, undefined, 60],
      "remotes": [2],
      "issues": [1],
      "patches": [1],
    },
    repeated: 1,
    load: 15,
  },
};

/**
 * If the repeated answer of the other service takes longer than this, the service does real work for it. In
 * milliseconds.
 */
const REAL_WORK_MS = 2;

/** The lines of a Markdown table of both services, with medians of the rounds. */
export function comparisonTable(rounds: readonly Round[], wanted: Wanted, missed: string[]): string[] {
  const lines = [
    "| Request | first: ours | theirs | ratio | wanted | 95 %: ours | theirs | ratio | repeated: ours | theirs | ratio |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  ];
  for (const kind of Object.keys(rounds[0]?.first ?? {})) {
    const of = (pick: (row: Row) => number | null) => middle(rounds.map((round) => pick(round.first[kind]!)));
    const ratio = (a: (row: Row) => number, b: (row: Row) => number | null) =>
      middle(rounds.map(({ first }) => (b(first[kind]!) ?? NaN) / a(first[kind]!)));
    const [median, slowest, repeated = wanted.repeated] = wanted.kinds[kind] ?? [];
    const first = ratio((row) => row.a50, (row) => row.b50);
    const repeat = ratio((row) => row.ra, (row) => row.rb);
    const judge = (value: number, least: number | undefined, column: string): string => {
      if (least !== undefined && value < least) {
        missed.push(`${kind}, ${column}: ${short(value)} of ${short(least)}`);
      }
      return mark(value, least);
    };
    const differ = rounds.some((round) => round.first[kind]!.differ > 0);
    lines.push(row([
      differ ? `${kind} (statuses differ)` : kind,
      ms(of((row) => row.a50)),
      ms(of((row) => row.b50)),
      judge(first, median, "first"),
      median === undefined ? "" : short(median),
      ms(of((row) => row.a95)),
      ms(of((row) => row.b95)),
      judge(ratio((row) => row.a95, (row) => row.b95), slowest, "95 %"),
      ms(of((row) => row.ra)),
      ms(of((row) => row.rb)),
      judge(repeat, of((row) => row.rb) > REAL_WORK_MS ? repeated : undefined, "repeated"),
    ]));
  }
  const load = middle(rounds.map(({ load }) => load.A.perSecond / (load.B?.perSecond ?? NaN)));
  if (load < wanted.load) missed.push(`load: ${short(load)} of ${wanted.load}`);
  lines.push(
    "",
    `16 connections, mixed requests: ours ${whole(rounds, ({ load }) => load.A.perSecond)} a second (99 %: ${
      whole(rounds, ({ load }) => load.A.p99)
    } ms), theirs ${whole(rounds, ({ load }) => load.B?.perSecond ?? NaN)} (${
      whole(rounds, ({ load }) => load.B?.p99 ?? NaN)
    } ms): ${mark(load, wanted.load)} times as many, ${wanted.load} wanted.`,
  );
  return lines;
}

/**
 * The lines of a Markdown table of our answers, with the few answers that were requested from the other
 * service.
 */
export function ownTable(rounds: readonly Round[]): string[] {
  const lines = [
    "| Request | first: ours | 95 % | theirs | repeated: ours | 95 % |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  for (const kind of Object.keys(rounds[0]?.first ?? {})) {
    const of = (pick: (row: Row) => number | null) => middle(rounds.map((round) => pick(round.first[kind]!)));
    lines.push(row([
      kind,
      ms(of((row) => row.a50)),
      ms(of((row) => row.a95)),
      rounds.some((round) => round.first[kind]!.differ > 0) ? "fails" : ms(of((row) => row.b50)),
      ms(of((row) => row.ra)),
      ms(of((row) => row.ra95)),
    ]));
  }
  return lines;
}

/** Resident memory after a round, in megabytes. */
export interface Megabytes {
  readonly A: number;
  readonly B: number;
}

/** Goals for the memory after the run, in megabytes. */
const WANTED_MEGABYTES: Readonly<Record<string, number>> = { node: 250 };
const WANTED_MEGABYTES_OF_OTHERS = 300;

/** A sentence about the memory of both services after the rounds. */
export function memoryLine(runtime: string, rounds: readonly Megabytes[], missed: string[]): string {
  const ours = middle(rounds.map(({ A }) => A));
  const wanted = WANTED_MEGABYTES[runtime] ?? WANTED_MEGABYTES_OF_OTHERS;
  if (ours > wanted) missed.push(`memory: ${ours} MB of ${wanted}`);
  const shown = ours > wanted ? `**${ours}**` : ours;
  const theirs = middle(rounds.map(({ B }) => B));
  return `Resident memory after all repositories: ours ${shown} MB, at most ${wanted} wanted, theirs ${theirs} MB.`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function mark(value: number, wanted: number | undefined): string {
  return wanted !== undefined && value < wanted ? `**${short(value)}**` : short(value);
}

function whole(rounds: readonly Round[], pick: (round: Round) => number): string {
  return middle(rounds.map(pick)).toFixed(0);
}

function ms(value: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(2);
}

function short(value: number): string {
  return Number.isNaN(value) ? "" : value >= 10 ? value.toFixed(0) : value.toPrecision(2);
}

/** The median, or NaN when nothing was measured. */
function middle(values: readonly (number | null)[]): number {
  const sorted = values.filter((value) => value !== null && !Number.isNaN(value)) as number[];
  return sorted.sort((a, b) => a - b)[Math.floor(sorted.length / 2)] ?? NaN;
}
