/** Which recordings are replayed, on which home and with which reservations: one row each. */

/** One home and the recordings made on it. */
export interface ReplayCase {
  readonly name: string;
  /** Archive of the home, below `test/fixtures`. */
  readonly home: string;
  /** Recordings, below `test/fixtures`. */
  readonly recordings: readonly string[];
  /** Whether something is changed, so that git is to check the repositories afterwards. */
  readonly writes?: boolean;
  /** Options of the service. */
  readonly service: readonly string[];
  /** Options for `replay.mjs`. */
  readonly options: readonly string[];
}

/** The recorded service is that of February 2024: it evaluates objects as it did then, and shows reactions as objects. */
const OF_2024 = ["--evaluation", "2024", "--answers", "objects"];

/** When everything was written while changes were recorded. */
const RECORDED_SECONDS = 1777596380;

/** Options that leave out the requests of these patterns, `<method> <path>`. */
const without = (...patterns: readonly string[]): readonly string[] => ["--skip", patterns.join("|")];

/** Hides what the node's policy blocks, which the specification does not. */
const PINNED_PROJECTS = String.raw`/projects\?show=pinned`;
/** The recorded service could not read the configurations of later programs: it ran with a shorter one. */
const PROFILE = String.raw`/api/v1/profile(\?|$)`;

export const REPLAY_CASES: readonly ReplayCase[] = [
  {
    name: "browse",
    home: "browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "random", "errors"].map((part) => `browse-${part}.jsonl.gz`),
    service: OF_2024,
    options: [],
  },
  {
    name: "collab",
    home: "collab.tar.gz",
    recordings: ["collab.jsonl.gz"],
    service: OF_2024,
    options: without(PINNED_PROJECTS),
  },
  {
    name: "today-browse",
    home: "today/today-browse.tar.gz",
    recordings: ["today/v1-f-browse.jsonl.gz"],
    service: OF_2024,
    options: without(PROFILE),
  },
  ...["collab", "ten", "ten-then-today"].map((part) => ({
    name: `today-${part}`,
    home: `today/${part === "collab" ? "today-collab" : part === "ten" ? "ten-collab" : part}.tar.gz`,
    recordings: [`today/v1-f-${part}.jsonl.gz`],
    service: OF_2024,
    options: without(PROFILE),
  })),
  ...["issues", "patches", "duo", "contributor", "errors"].map((part) => ({
    name: `writes-${part}`,
    home: part === "contributor" ? "desk-ivan.tar.gz" : "desk.tar.gz",
    recordings: [`writes-${part}.jsonl.gz`],
    writes: true,
    service: [...OF_2024, "--object-time", String(RECORDED_SECONDS)],
    options: [],
  })),
];
