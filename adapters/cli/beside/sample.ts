/**
 * The questions: a sample of all that the other service lists. Each answer leads to further questions; those
 * of the route that has been asked least come first, so that a bounded number reaches every route.
 */
import { isOid } from "../../../src/ids/oid.ts";
import { tryParseNid } from "../../../src/ids/nid.ts";
import { tryParseRid } from "../../../src/ids/rid.ts";
import { isObject, itemsOf, type Json, membersOf } from "./json.ts";

/** Questions of one route that wait. */
const MAX_WAITING = 64;
/** Items of a list that are followed, spread evenly over it. */
const REPOSITORIES = 16, COMMITS = 6, ENTRIES = 6, OBJECTS = 6;
/** Items of a page of a list: the most that today's services show. */
export const PAGE = 100;
/** Longest path of a file that is asked for, in UTF-16 units. */
const MAX_PATH = 1024;

/** A dialect of the API. */
export type Dialect = "v1" | "today";

/** A request. */
export interface Question {
  readonly dialect: Dialect;
  /** The route as docs/api.md writes it; below repositories without what all of those have in common. */
  readonly route: string;
  /** Path and query. */
  readonly path: string;
  /** The commit of folders. */
  readonly sha?: string;
}

/** Routes of a dialect that every service has, by their names. */
const STARTS: Readonly<Record<Dialect, readonly string[]>> = {
  v1: ["/", "/api", "/api/v1", "/api/v1/stats", "/api/v1/node", "/api/v1/node/policies/repos"],
  today: [
    ...["/", "/api", "/api/v1", "/api/v1/info", "/api/v1/stats", "/api/v1/node"],
    "/api/v1/node/policies/repos",
  ],
};
/** Names of the dialects: the folder of repositories, the query of states, the parameters of routes. */
const WORDS = {
  v1: { repos: "projects", rid: ":project", delegate: ":delegate", state: "state" },
  today: { repos: "repos", rid: ":rid", delegate: ":did", state: "status" },
} as const;
const STATES = {
  issues: ["open", "closed"],
  patches: ["open", "draft", "archived", "merged"],
} as const;

/** The questions to one dialect of the other service. */
export class Sample {
  readonly #dialect: Dialect;
  /** Questions that wait, and how many were asked, by route. */
  readonly #waiting = new Map<string, Question[]>();
  readonly #asked = new Map<string, number>();
  readonly #known: Set<string>;

  /** @param known Paths that have been thought of, of all dialects: some routes are in both. */
  constructor(dialect: Dialect, known: Set<string> = new Set()) {
    this.#dialect = dialect;
    this.#known = known;
    for (const route of STARTS[dialect]) this.#add(route, route);
    const { repos } = WORDS[dialect];
    this.#add(`/api/v1/${repos}`, `/api/v1/${repos}?show=all&perPage=${PAGE}`);
  }

  /** The next question; `undefined` when there is none any more. */
  next(): Question | undefined {
    let least: Question[] | undefined, leastAsked = Infinity;
    for (const [route, questions] of this.#waiting) {
      const asked = this.#asked.get(route) ?? 0;
      if (questions.length > 0 && asked < leastAsked) [least, leastAsked] = [questions, asked];
    }
    const question = least?.shift();
    if (question !== undefined) this.#asked.set(question.route, leastAsked + 1);
    return question;
  }

  /** Adds a question, unless many of its route wait, or it has been thought of. */
  #add(route: string, path: string, sha?: string): void {
    let questions = this.#waiting.get(route);
    if (questions === undefined) this.#waiting.set(route, questions = []);
    if (questions.length >= MAX_WAITING || this.#known.has(path)) return;
    this.#known.add(path);
    questions.push({ dialect: this.#dialect, route, path, ...sha !== undefined && { sha } });
  }

  /** Follows an answer of the other service. Its ids and paths are used where they have the form of one. */
  follow({ route, path, sha }: Question, json: Json | undefined): void {
    const { repos, rid: ridName } = WORDS[this.#dialect];
    if (route === "/api/v1") return this.#followRoot(membersOf(json));
    if (route === `/api/v1/${repos}`) {
      for (const one of spread(itemsOf(json), REPOSITORIES)) this.#followRepository(membersOf(one));
      return;
    }
    const below = `/api/v1/${repos}/${ridName}/`;
    const rid = path.split("/")[4];
    if (rid === undefined || !route.startsWith(below)) return;
    const add = (rest: string, values: string, sha?: string) =>
      this.#add(below + rest, `/api/v1/${repos}/${rid}/${values}`, sha);
    const name = route.slice(below.length);
    if (name === "commits") this.#followHistory(json, add);
    else if (name.startsWith("tree/")) followFolder(json, sha ?? "", add);
    else if (name === "remotes") {
      for (const one of spread(itemsOf(json), OBJECTS)) {
        const { id } = membersOf(one);
        if (isNid(id)) add("remotes/:peer", `remotes/${id}`);
      }
    } else if (name === "issues" || name === "patches") {
      for (const one of spread(itemsOf(json), OBJECTS)) {
        const { id, revisions } = membersOf(one);
        if (isId(id)) add(`${name}/:id`, `${name}/${id}`);
        const { base, oid } = membersOf(itemsOf(revisions).at(-1));
        if (isId(base) && isId(oid)) this.#addDiff(base, oid, add);
      }
    }
  }

  /** The node of the service leads to its alias and inventory. */
  #followRoot({ nid }: ReturnType<typeof membersOf>): void {
    if (!isNid(nid)) return;
    this.#add("/api/v1/nodes/:nid", `/api/v1/nodes/${nid}`);
    this.#add("/api/v1/nodes/:nid/inventory", `/api/v1/nodes/${nid}/inventory`);
  }

  /** A repository of a list leads to all that it has, and to lists of its delegates. */
  #followRepository(one: ReturnType<typeof membersOf>): void {
    const { repos, rid: name, delegate: delegateName, state } = WORDS[this.#dialect];
    const project = membersOf(membersOf(one["payloads"])["xyz.radicle.project"]);
    const isToday = this.#dialect === "today";
    const [rid, head] = isToday ? [one["rid"], membersOf(project["meta"])["head"]] : [one["id"], one["head"]];
    if (typeof rid !== "string" || tryParseRid(rid) !== rid) return;
    // Some services show private repositories to every program on their machine; ours is asked as by a
    // stranger.
    if (isPrivate(one)) return;
    const route = `/api/v1/${repos}/${name}`, path = `/api/v1/${repos}/${rid}`;
    this.#add(route, path);
    for (const rest of ["remotes", "activity"]) this.#add(`${route}/${rest}`, `${path}/${rest}`);
    this.#add(`${route}/commits`, `${path}/commits?perPage=10`);
    for (const [kind, states] of Object.entries(STATES)) {
      for (const one of states) {
        this.#add(`${route}/${kind}`, `${path}/${kind}?${state}=${one}&perPage=${PAGE}`);
      }
    }
    if (isToday) {
      this.#add("/api/v1/node/policies/repos/:rid", `/api/v1/node/policies/repos/${rid}`);
    }
    for (const delegate of spread(itemsOf(one["delegates"]), 1)) {
      const did = isObject(delegate) ? delegate["id"] : delegate;
      if (typeof did !== "string" || !did.startsWith("did:key:") || !isNid(did.slice(8))) continue;
      this.#add(
        `/api/v1/delegates/${delegateName}/${repos}`,
        `/api/v1/delegates/${did}/${repos}?show=all&perPage=${PAGE}`,
      );
    }
    if (!isId(head)) return;
    for (const rest of isToday ? ["readme", "stats/tree", "stats/commits"] : ["readme"]) {
      this.#add(`${route}/${rest}/:sha`, `${path}/${rest}/${head}`);
    }
    this.#add(`${route}/tree/:sha/`, `${path}/tree/${head}/`, head);
  }

  /** Commits lead to themselves, and to their difference from a parent. */
  #followHistory(json: Json | undefined, add: Add): void {
    const commits = isObject(json) ? itemsOf(json["commits"]) : itemsOf(json);
    for (const one of spread(commits, COMMITS)) {
      const { id, parents } = membersOf(membersOf(one)["commit"] ?? one);
      if (!isId(id)) continue;
      add("commits/:sha", `commits/${id}`);
      if (this.#dialect === "today") add("jobs/:sha", `jobs/${id}`);
      const [parent] = itemsOf(parents);
      if (isId(parent)) this.#addDiff(parent, id, add);
    }
  }

  #addDiff(base: string, oid: string, add: Add): void {
    add("diff/:base/:oid", `diff/${base}/${oid}`);
    if (this.#dialect === "today") add("diff/:base/:oid/stats", `diff/${base}/${oid}/stats`);
  }
}

/** Adds a question below a repository. */
type Add = (rest: string, values: string, sha?: string) => void;

/** Entries lead to folders and files below. */
function followFolder(json: Json | undefined, sha: string, add: Add): void {
  for (const one of spread(itemsOf(membersOf(json)["entries"]), ENTRIES)) {
    const { path, kind } = membersOf(one);
    const escaped = escapedPath(path);
    if (escaped === undefined) continue;
    if (kind === "tree") add("tree/:sha/*path", `tree/${sha}/${escaped}`, sha);
    if (kind === "blob") add("blob/:sha/*path", `blob/${sha}/${escaped}`);
  }
}

/** A path of a file for a URL; `undefined` for what URLs would resolve, and for very long ones. */
function escapedPath(path: Json | undefined): string | undefined {
  if (typeof path !== "string" || path.length > MAX_PATH || !path.isWellFormed()) return undefined;
  const names = path.split("/");
  return names.some((name) => /^\.{0,2}$/.test(name)) ? undefined : names.map(encodeURIComponent).join("/");
}

/** So many items, spread evenly over a list, the first one among them. */
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
