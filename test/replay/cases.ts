/** Which recordings are replayed, on which home and in which surroundings: one row each. */
import { leastMemoryBytes } from "../../src/cache/memory.ts";
import type { Generation, Runtime } from "../support/programs.ts";
import { type Opening, readLines } from "./recordings.ts";

/** One home and the recordings made on it. */
export interface ReplayCase {
  readonly name: string;
  /** Archive of the home, below `test/fixtures`. */
  readonly home: string;
  /** Recordings, below `test/fixtures`, without ``. */
  readonly recordings: readonly string[];
  /** Whether something is changed, so that git is to check the repositories afterwards. */
  readonly writes?: boolean;
  /** Whether the home gets the short configuration of the recording in place of its own, which the recorded service could not read. */
  readonly hasShortConfig?: boolean;
  /** Archive of the home of a second node, where real nodes are part of it. */
  readonly other?: string;
  /** Generation of the real node that runs on the home, if one does. */
  readonly node?: Generation;
  /** The runtimes on which it is replayed, unless everything is asked for; all by default. */
  readonly runtimes?: readonly Runtime[];
  /** Whether it takes a minute, or the real programs: then it is replayed only when asked for. */
  readonly isSlow?: boolean;
  /**
   * Whether it is replayed on the first runtime alone, unless everything is asked for: what it has beyond other cases is no
   * business of a runtime.
   */
  readonly isOnce?: boolean;
  /** Of long recordings, every n-th request is replayed, unless everything is asked for; all by default. */
  readonly every?: number;
  /** Of a recording of several homes, the requests of this home alone. */
  readonly ofHome?: string;
  /** Options of the service. */
  readonly service: readonly string[];
  /** Variables of the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the service must not start. */
  readonly startFails?: boolean;
  /** Of a recording of several homes, the part that is replayed, from 0. */
  readonly part?: number;
}

/** The recorded service is that of February 2024: it evaluates objects as it did then, and shows reactions as objects. */
const OF_2024 = ["--api", "v1", "--evaluation", "2024", "--answers", "objects"];

/** Today's service, 0.27.0, shows nothing private to anybody. */
const OF_TODAY = ["--api", "today", "--behind-proxy"];

/** When everything was written while changes were recorded. */
const WRITING = [...OF_2024, "--object-time", "1777596380"];

/** With hardly anything cached, all answers are the same. */
const LEAST_MEMORY = ["--memory", `${leastMemoryBytes()}`];

const EDGES = "edges/edges";

function readOpenings(): Opening[] {
  return readLines(EDGES).filter((line): line is Opening => "env" in (line as object));
}

export const REPLAY_CASES: readonly ReplayCase[] = [
  {
    name: "browse",
    home: "browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "random", "errors"].map((part) => `browse-${part}`),
    service: OF_2024,
  },
  {
    name: "collab",
    home: "collab.tar.gz",
    recordings: ["collab"],
    service: OF_2024,
  },
  {
    name: "today-browse",
    home: "today/today-browse.tar.gz",
    recordings: ["today/v1-f-browse"],
    hasShortConfig: true,
    service: OF_2024,
  },
  ...["collab", "ten", "ten-then-today"].map((part) => ({
    name: `today-${part}`,
    home: `today/${part === "collab" ? "today-collab" : part === "ten" ? "ten-collab" : part}.tar.gz`,
    recordings: [`today/v1-f-${part}`],
    hasShortConfig: true,
    service: OF_2024,
    // Other objects, by the same requests.
    isOnce: part !== "collab",
  })),
  ...["issues", "patches", "duo", "contributor", "errors"].map((part) => ({
    name: `writes-${part}`,
    home: part === "contributor" ? "desk-ivan.tar.gz" : "desk.tar.gz",
    recordings: [`writes-${part}`],
    writes: true,
    service: WRITING,
  })),
  {
    name: "x-browse",
    home: "today/today-browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "fuzz", "errors", "raw"].map((part) =>
      `today/x-browse-${part}`
    ),
    service: OF_TODAY,
  },
  {
    name: "clone",
    home: "browse.tar.gz",
    recordings: ["browse-clone"],
    service: [...OF_2024, "--alias", "nick", "rad:z3F8iLT3QXXmWkdhjGEBchwG5YooP"],
  },
  {
    name: "x-clone",
    home: "today/today-browse.tar.gz",
    recordings: ["today/x-browse-clone"],
    service: [
      ...OF_TODAY,
      ...["nick", "abc"].flatMap((name) => ["--alias", name, "rad:z3vudAtNFLKr2mxxqMQS742bR7fSg"]),
      ...["--alias", "other", "rad:z3HkoSGMWwN9pB2SNaiUvx4A6HBpK"],
    ],
  },
  {
    name: "x-collab",
    home: "today/today-collab.tar.gz",
    recordings: ["today/x-collab"],
    service: OF_TODAY,
  },
  {
    name: "x-running",
    home: "today/today-collab.tar.gz",
    recordings: ["today/x-running"],
    node: "newest",
    isSlow: true,
    service: OF_TODAY,
  },
  ...["ten-collab", "ten-then-today"].map((home) => ({
    name: `x-${home}`,
    home: `today/${home}.tar.gz`,
    recordings: ["today/x-ten"],
    ofHome: home,
    service: OF_TODAY,
    // Other objects, by the same requests.
    isOnce: true,
  })),
  ...["edge-sigrefs", "edge-badsig", "edge-nocache"].map((home) => ({
    name: `x-${home}`,
    home: `today/${home}.tar.gz`,
    recordings: ["today/x-edges"],
    ofHome: home,
    service: OF_TODAY,
    // All runtimes leave out wrongly signed references by the same code.
    ...(home !== "edge-nocache" && { runtimes: ["node", home === "edge-sigrefs" ? "deno" : "bun"] as const }),
  })),
  {
    name: "collab-least-memory",
    home: "collab.tar.gz",
    recordings: ["collab"],
    service: [...OF_2024, ...LEAST_MEMORY],
    isOnce: true,
  },
  {
    name: "writes-patches-least-memory",
    home: "desk.tar.gz",
    recordings: ["writes-patches"],
    writes: true,
    service: [...WRITING, ...LEAST_MEMORY],
    isOnce: true,
  },
  {
    name: "browse-least-memory",
    home: "browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "random", "errors"].map((part) => `browse-${part}`),
    service: [...OF_2024, ...LEAST_MEMORY],
    isSlow: true,
    isOnce: true,
    every: 3,
  },
  ...readOpenings().map(({ home, env, startFails = false }, part) => ({
    name: `${home}-${part}`,
    home: `edges/${home}.tar.gz`,
    recordings: [EDGES],
    service: OF_2024,
    env,
    startFails,
    part,
    // All runtimes read odd homes by the same code, except for the databases.
    ...(!/databases|policy/.test(home) && { runtimes: ["node", part % 2 === 0 ? "deno" : "bun"] as const }),
  })),
  {
    name: "writes-sessions",
    home: "desk.tar.gz",
    recordings: ["writes-sessions"],
    writes: true,
    isSlow: true,
    service: WRITING,
  },
  {
    name: "writes-node",
    home: "desk.tar.gz",
    other: "desk-ivan.tar.gz",
    recordings: ["writes-node"],
    writes: true,
    isSlow: true,
    service: WRITING,
  },
];
