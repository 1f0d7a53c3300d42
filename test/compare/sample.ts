/**
 * The questions: a sample of everything the other service lists. Each answer leads to further questions. The route
 * that was asked least comes first, so that a bounded number of questions reaches every route.
 */
import { isOid } from "../../src/ids/oid.ts";
import { tryParseNid } from "../../src/ids/nid.ts";
import { tryParseRid } from "../../src/ids/rid.ts";
import { isObject, itemsOf, type Json, type JsonObject, membersOf } from "./json.ts";

/** Most waiting questions of one route. */
const MAX_WAITING = 64;
/** Items of a list that are followed, spread evenly over it. */
const REPOSITORIES = 16;
const COMMITS = 6;
const ENTRIES = 6;
const OBJECTS = 6;
/** Items of a page: the most that today's services show. */
export const PAGE = 100;
/** Longest requested file path, in UTF-16 units. */
const MAX_PATH = 1024;

/** A dialect of the API. */
export type Dialect = "v1" | "today";

/** A request. */
export interface Question {
  readonly dialect: Dialect;
  /** The route as docs/api.md writes it. */
  readonly route: string;
  /** Path and query. */
  readonly path: string;
  /** Values of the parameters in the path. */
  readonly values?: Values;
}

/** Values of path parameters by name, percent-encoded. */
type Values = Readonly<Record<string, string>>;

/** Words that differ between the dialects. */
const WORDS = {
  v1: { repos: "projects", state: "state", rid: ":project", did: ":delegate" },
  today: { repos: "repos", state: "status", rid: ":rid", did: ":did" },
} as const;
const ofRepository = (...rests: readonly string[]) => rests.map((rest) => `/api/v1/$repos/:rid${rest}`);
const inStates = (kind: string, ...states: readonly string[]) =>
  states.map((state) => `/${kind}?$state=${state}&perPage=${PAGE}`);

/**
 * Routes with their queries, by what must be known to ask for them. `$` precedes a word of {@link WORDS}; routes that
 * end with `!` exist only in today's dialect.
 */
const ROUTES = {
  start: [
    ...["/", "/api", "/api/v1", "/api/v1/info!", "/api/v1/stats", "/api/v1/node"],
    ...["/api/v1/node/policies/repos", `/api/v1/$repos?show=all&perPage=${PAGE}`],
  ],
  node: ["/api/v1/nodes/:nid", "/api/v1/nodes/:nid/inventory"],
  repository: [
    ...ofRepository("", "/remotes", "/activity", "/commits?perPage=10"),
    ...ofRepository(...inStates("issues", "open", "closed")),
    ...ofRepository(...inStates("patches", "open", "draft", "archived", "merged")),
    "/api/v1/node/policies/repos/:rid!",
  ],
  delegate: [`/api/v1/delegates/:did/$repos?show=all&perPage=${PAGE}`],
  head: ofRepository("/readme/:sha", "/stats/tree/:sha!", "/stats/commits/:sha!", "/tree/:sha/"),
  commit: ofRepository("/commits/:sha", "/jobs/:sha!"),
  diff: ofRepository("/diff/:base/:oid", "/diff/:base/:oid/stats!"),
  tree: ofRepository("/tree/:sha/*path"),
  blob: ofRepository("/blob/:sha/*path"),
  remotes: ofRepository("/remotes/:peer"),
  issues: ofRepository("/issues/:id"),
  patches: ofRepository("/patches/:id"),
};

/** The questions to one dialect of the other service. */
export class Sample {
  readonly #dialect: Dialect;
  /** Waiting questions by route. */
  readonly #waiting = new Map<string, Question[]>();
  /** Number of asked questions by route. */
  readonly #asked = new Map<string, number>();
  readonly #known: Set<string>;

  /** @param known Paths that were added, shared by both dialects because some routes are in both. */
  constructor(dialect: Dialect, known: Set<string> = new Set()) {
    this.#dialect = dialect;
    this.#known = known;
    this.#add("start", {});
  }

  /** The next question; `undefined` at the end. */
  next(): Question | undefined {
    let least: Question[] | undefined;
    let leastAsked = Infinity;
    for (const [route, questions] of this.#waiting) {
      const asked = this.#asked.get(route) ?? 0;
      if (questions.length === 0 || asked >= leastAsked) continue;
      least = questions;
      leastAsked = asked;
    }
    const question = least?.shift();
    if (question !== undefined) this.#asked.set(question.route, leastAsked + 1);
    return question;
  }

  /** Adds the questions that values allow, unless {@link MAX_WAITING} wait or the path was added before. */
  #add(found: keyof typeof ROUTES, values: Values): void {
    const dialect = this.#dialect;
    const words = WORDS[dialect];
    for (const route of ROUTES[found]) {
      if (route.endsWith("!") && dialect !== "today") continue;
      const said = route.replace("!", "").replace("$repos", words.repos).replace("$state", words.state);
      const path = said.replace(/[:*](\w+)/g, (_, name) => values[name]!);
      const pattern = said.split("?")[0]!.replace(":rid", words.rid).replace(":did", words.did);
      const questions = this.#waiting.get(pattern) ?? [];
      this.#waiting.set(pattern, questions);
      if (questions.length >= MAX_WAITING || this.#known.has(path)) continue;
      this.#known.add(path);
      questions.push({ dialect, route: pattern, path, values });
    }
  }

  /** Adds the questions to which an answer leads. Ids and paths are used only when they have the right form. */
  follow({ route, values = {} }: Question, json: Json | undefined): void {
    const { repos, rid: name } = WORDS[this.#dialect];
    const rest = "rid" in values ? route.split(`${name}/`)[1] : route;
    switch (rest) {
      case "/api/v1": {
        const { nid } = membersOf(json);
        return isNid(nid) ? this.#add("node", { nid }) : undefined;
      }
      case `/api/v1/${repos}`:
        return spread(itemsOf(json), REPOSITORIES).forEach((one) => this.#followRepository(membersOf(one)));
      case "commits":
        return this.#followHistory(isObject(json) ? itemsOf(json["commits"]) : itemsOf(json), values);
      case "tree/:sha/":
      case "tree/:sha/*path":
        return this.#followFolder(itemsOf(membersOf(json)["entries"]), values);
      case "remotes":
      case "issues":
      case "patches":
        for (const one of spread(itemsOf(json), OBJECTS)) {
          const { id, revisions } = membersOf(one);
          const isUsed = rest === "remotes" ? isNid(id) : isId(id);
          if (typeof id === "string" && isUsed) this.#add(rest, { ...values, peer: id, id });
          const { base, oid } = membersOf(itemsOf(revisions).at(-1));
          if (isId(base) && isId(oid)) this.#add("diff", { ...values, base, oid });
        }
    }
  }

  /** A listed repository leads to its contents, and to the lists of its delegates. */
  #followRepository(one: JsonObject): void {
    const project = membersOf(membersOf(one["payloads"])["xyz.radicle.project"]);
    const [rid, head] = this.#dialect === "today"
      ? [one["rid"], membersOf(project["meta"])["head"]]
      : [one["id"], one["head"]];
    if (typeof rid !== "string" || tryParseRid(rid) !== rid) return;
    // Some services show private repositories to every program on their machine, but ours is asked as by a stranger.
    if (isPrivate(one)) return;
    this.#add("repository", { rid });
    const [delegate] = itemsOf(one["delegates"]);
    const did = isObject(delegate) ? delegate["id"] : delegate;
    if (typeof did === "string" && did.startsWith("did:key:") && isNid(did.slice(8))) {
      this.#add("delegate", { did });
    }
    if (isId(head)) this.#add("head", { rid, sha: head });
  }

  /** Commits lead to themselves and to the diff from their parent. */
  #followHistory(commits: readonly Json[], values: Values): void {
    for (const one of spread(commits, COMMITS)) {
      const { id, parents } = membersOf(membersOf(one)["commit"] ?? one);
      if (!isId(id)) continue;
      this.#add("commit", { ...values, sha: id });
      const [parent] = itemsOf(parents);
      if (isId(parent)) this.#add("diff", { ...values, base: parent, oid: id });
    }
  }

  /** Entries lead to folders and files. */
  #followFolder(entries: readonly Json[], values: Values): void {
    for (const one of spread(entries, ENTRIES)) {
      const { path: name, kind } = membersOf(one);
      const path = escapedPath(name);
      if (path !== undefined && (kind === "tree" || kind === "blob")) this.#add(kind, { ...values, path });
    }
  }
}

/** A percent-encoded file path; `undefined` for dot segments, which URLs resolve, and for very long paths. */
function escapedPath(path: Json | undefined): string | undefined {
  if (typeof path !== "string" || path.length > MAX_PATH || !path.isWellFormed()) return undefined;
  const names = path.split("/");
  return names.some((name) => /^\.{0,2}$/.test(name)) ? undefined : names.map(encodeURIComponent).join("/");
}

/** `count` items spread evenly over a list, including the first. */
function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor(i * items.length / count)]!);
}

/** Whether a value is an object id as git writes it. */
function isId(value: Json | undefined): value is string {
  return typeof value === "string" && isOid(value);
}

/** Whether a repository says that it is private. */
export function isPrivate(repository: Json): boolean {
  return membersOf(membersOf(repository)["visibility"])["type"] === "private";
}

/** Whether a value is a node id in its canonical form. */
function isNid(value: Json | undefined): value is string {
  return typeof value === "string" && tryParseNid(value) === value;
}
