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

/**
 * Faults of the recorded service that ours does not repeat. It reads the names `a*b.txt`, `what?.md`, `[slug]`, `[id].ts` as patterns, so a change
 * of another file that matches counts as their last; it finds no readme in commits whose author or message is not UTF-8.
 */
const FAULTS = [
  String.raw`/blob/\w+/\S*%(2A|3F|5B)`,
  "/readme/(f26d447434eff8ccf84f115159e0ad3e687c35f5|b49c84363ad3938286486aa4db7c62c98c3bffdc" +
  "|3690a7f6c4b7c4c031e13f6313c324d5e0d6edcf)",
];

const BROWSING_ONLY = [
  "--skip",
  [...NOT_SERVED, ...FAULTS].join("|"),
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
