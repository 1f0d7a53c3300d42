/** Which recordings are replayed, on which home and with which reservations: one row each. */

/** One home and the recordings made on it. */
export interface ReplayCase {
  readonly name: string;
  /** Archive of the home, below `test/fixtures`. */
  readonly home: string;
  /** Recordings, below `test/fixtures`. */
  readonly recordings: readonly string[];
  /** Options for `replay.mjs`. */
  readonly options: readonly string[];
}

/** Not served yet: the node, its policies and nodes, delegates, profile, sessions, issues and patches. */
const NOT_SERVED = [
  String.raw`/api/v1/(node|nodes|delegates|profile|sessions)(/|\?|$)`,
  String.raw`/(issues|patches)(/|\?|$)`,
];

const BROWSING_ONLY = [
  "--skip",
  NOT_SERVED.join("|"),
  ...["issues", "patches", "seeding", "trackings", "alias"].flatMap((member) => ["--without", member]),
];

export const REPLAY_CASES: readonly ReplayCase[] = [
  {
    name: "browse",
    home: "browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "random", "errors"].map((part) => `browse-${part}.jsonl.gz`),
    options: BROWSING_ONLY,
  },
  {
    name: "today-browse",
    home: "today/today-browse.tar.gz",
    recordings: ["today/v1-f-browse.jsonl.gz"],
    options: BROWSING_ONLY,
  },
];
