/** Which recordings are replayed, on which home and in which surroundings: one row each. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** One home and the recordings made on it. */
export interface ReplayCase {
  readonly name: string;
  /** Archive of the home, below `test/fixtures`. */
  readonly home: string;
  /** Recordings, below `test/fixtures`. */
  readonly recordings: readonly string[];
  /** Whether something is changed, so that git is to check the repositories afterwards. */
  readonly writes?: boolean;
  /** Whether the home gets the short configuration of the recording in place of its own, which the recorded service could not read. */
  readonly hasShortConfig?: boolean;
  /** Archive of the home of a second node, where real nodes are part of it. */
  readonly other?: string;
  /** Whether it takes a minute, or the real programs: then it is replayed only when asked for. */
  readonly isSlow?: boolean;
  /** Options of the service. */
  readonly service: readonly string[];
  /** Variables of the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the service must not start. */
  readonly startFails?: boolean;
  /** Options for `replay.mjs`. */
  readonly options?: readonly string[];
}

/** The recorded service is that of February 2024: it evaluates objects as it did then, and shows reactions as objects. */
const OF_2024 = ["--evaluation", "2024", "--answers", "objects"];

/** When everything was written while changes were recorded. */
const WRITING = [...OF_2024, "--object-time", "1777596380"];

/** A line of the recording of homes with one peculiarity each, which opens the next of them. */
interface Opening {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly startFails?: boolean;
}

const EDGES = "edges/edges.jsonl.gz";

function readOpenings(): Opening[] {
  const text = gunzipSync(readFileSync(new URL(`../fixtures/${EDGES}`, import.meta.url))).toString("utf8");
  return text.trim().split("\n").map((line) => JSON.parse(line)).filter((line) => "env" in line);
}

export const REPLAY_CASES: readonly ReplayCase[] = [
  {
    name: "browse",
    home: "browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "random", "errors"].map((part) => `browse-${part}.jsonl.gz`),
    service: OF_2024,
  },
  {
    name: "collab",
    home: "collab.tar.gz",
    recordings: ["collab.jsonl.gz"],
    service: OF_2024,
  },
  {
    name: "today-browse",
    home: "today/today-browse.tar.gz",
    recordings: ["today/v1-f-browse.jsonl.gz"],
    hasShortConfig: true,
    service: OF_2024,
  },
  ...["collab", "ten", "ten-then-today"].map((part) => ({
    name: `today-${part}`,
    home: `today/${part === "collab" ? "today-collab" : part === "ten" ? "ten-collab" : part}.tar.gz`,
    recordings: [`today/v1-f-${part}.jsonl.gz`],
    hasShortConfig: true,
    service: OF_2024,
  })),
  ...["issues", "patches", "duo", "contributor", "errors"].map((part) => ({
    name: `writes-${part}`,
    home: part === "contributor" ? "desk-ivan.tar.gz" : "desk.tar.gz",
    recordings: [`writes-${part}.jsonl.gz`],
    writes: true,
    service: WRITING,
  })),
  ...readOpenings().map(({ home, env, startFails = false }, part) => ({
    name: `${home}-${part}`,
    home: `edges/${home}.tar.gz`,
    recordings: [EDGES],
    service: OF_2024,
    env,
    startFails,
    options: ["--part", String(part)],
  })),
  {
    name: "writes-sessions",
    home: "desk.tar.gz",
    recordings: ["writes-sessions.jsonl.gz"],
    writes: true,
    isSlow: true,
    service: WRITING,
    options: ["--slow"],
  },
  {
    name: "writes-node",
    home: "desk.tar.gz",
    other: "desk-ivan.tar.gz",
    recordings: ["writes-node.jsonl.gz"],
    writes: true,
    isSlow: true,
    service: WRITING,
  },
];
