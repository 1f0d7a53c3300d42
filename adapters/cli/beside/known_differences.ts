/** Differences between other services and ours that the documents tell of. Any other one is a fault. */
import {
  type Alike,
  diffAlike,
  historyAlike,
  listsAlike,
  objectsAlike,
  policiesAlike,
  sortedAlike,
} from "./forms.ts";
import { type Difference, isObject, itemsOf, membersOf } from "./json.ts";
import type { Dialect } from "./sample.ts";

/** A documented difference. */
export interface Known {
  /** The section of the document, as a link from the root of the project. */
  readonly where: `docs/${string}#${string}`;
  /** One sentence without a full stop. */
  readonly what: string;
  /** Both dialects by default. */
  readonly dialect?: Dialect;
  readonly routes: RegExp;
  /** Whether it is about our errors; by default it is about other answers. */
  readonly isOfErrors?: boolean;
  /** Whether answers of these statuses differ for this reason: 0 for a closed connection. */
  readonly outcomes?: (theirs: number, ours: number) => boolean;
  /** Brings both answers into one form, before members are compared. */
  readonly alike?: Alike;
  /** Pointers of members that may differ. */
  readonly members?: RegExp;
  /** Which differences of such members; all by default. */
  readonly fits?: (difference: Difference, path: string) => boolean;
}

const ANY = /^/;
const PROJECTS = /^\/api\/v1\/(?:delegates\/:delegate\/)?projects(?:\/:project)?$/;
const REPOS = /^\/api\/v1\/(?:delegates\/:did\/)?repos(?:\/:rid)?$/;
const HISTORY = /\/commits$/;
const DIFFS = /\/(?:commits\/:sha|diff\/:base\/:oid)$/;
const FOLDERS = /\/tree\/:sha\//;
const FILES = /\/(?:tree|blob)\/:sha\//;
const OBJECTS = /\/(?:issues|patches)(?:\/:id)?$/;
const OBJECT_LISTS = /\/(?:issues|patches)$/;

const isOurs = ({ theirs }: Difference) => theirs === undefined;
const isTheirs = ({ ours }: Difference) => ours === undefined;
const isNode = ({ theirs, ours }: Difference) => isObject(theirs) && theirs["id"] === ours;
const areNumbers = ({ theirs, ours }: Difference) => typeof theirs === "number" && typeof ours === "number";
const hasFailed = (theirs: number) => theirs === 500 || theirs === 0;

/** The differences, by section. Of one answer the first that fits counts, and forms are made in this order. */
export const KNOWN_DIFFERENCES: readonly Known[] = [
  {
    where: "docs/api.md#2.1",
    what: "text that is not UTF-8 is shown with U+FFFD",
    routes: ANY,
    members: ANY,
    fits: ({ ours }) => typeof ours === "string" && ours.includes("\ufffd"),
  },
  {
    where: "docs/api.md#2.6",
    what: "the last commit of a name with *, ? or [ is that of this name, not of a pattern",
    routes: FILES,
    members: /^\/lastCommit\//,
    fits: (_, path) => /%5B|%3F|\*/i.test(path),
  },
  {
    where: "docs/api.md#2.14",
    what: "each service tells its own version",
    routes: /^\/(?:api\/v1(?:\/node|\/info)?)?$/,
    members: /^\/(?:node\/)?version$/,
  },
  {
    where: "docs/api.md#2.17",
    what: "what is too much to be shown is left out, and marked",
    routes: ANY,
    members: /\/truncated$/,
    fits: isOurs,
  },
  {
    where: "docs/api.md#4.2.1",
    what: "all repositories are listed, also those that are not seeded",
    dialect: "v1",
    routes: /\/projects$/,
    alike: listsAlike("id", "theirs"),
  },
  {
    where: "docs/api.md#4.5.4",
    what: "inventories are in the order of the ids",
    routes: /\/inventory$/,
    alike: sortedAlike,
  },
  {
    where: "docs/api.md#4.5.6",
    what: "strangers see policies and inventories of public repositories in storage alone",
    routes: /\/(?:inventory|policies\/repos)$/,
    alike: (theirs, ours) => {
      const [left = theirs, right = ours] = policiesAlike(theirs, ours) ?? [];
      return listsAlike("id", "ours")(left, right);
    },
  },
  {
    where: "docs/api.md#4.9",
    what: "the root answers",
    routes: /^\/$/,
    outcomes: (theirs, ours) => theirs === 404 && ours === 200,
  },
  {
    where: "docs/api.md#7",
    what: "errors have a status of their own where 500 was answered, or the connection closed",
    routes: ANY,
    outcomes: (theirs, ours) => hasFailed(theirs) && ours >= 400 && ours < 500,
    isOfErrors: true,
  },
  {
    where: "docs/api.md#7",
    what: "what is damaged or odd is answered where 500 was, or the connection closed",
    routes: ANY,
    outcomes: (theirs, ours) => hasFailed(theirs) && ours === 200,
  },
  {
    where: "docs/api.md#7",
    what: "errors are JSON, with texts of their own",
    routes: ANY,
    isOfErrors: true,
    members: /^(?:\/(?:error|code|success))?$/,
  },
  {
    where: "docs/api.md#9.1",
    what: "delegates are DIDs, there are trackings and no threshold",
    dialect: "v1",
    routes: PROJECTS,
    members: /^(?:\/\d+)?\/(?:delegates\/\d+|threshold|trackings)$/,
    fits: (one) =>
      one.pointer.endsWith("threshold")
        ? isTheirs(one)
        : one.pointer.endsWith("trackings")
        ? isOurs(one)
        : isNode(one),
  },
  {
    where: "docs/api.md#9.1",
    what: "a page of history has diffs, branches and statistics",
    dialect: "v1",
    routes: HISTORY,
    alike: historyAlike,
  },
  {
    where: "docs/api.md#9.1",
    what: "a diff has a list for each kind of change",
    dialect: "v1",
    routes: DIFFS,
    alike: diffAlike,
  },
  {
    where: "docs/api.md#9.1",
    what: "a folder has statistics, and its entries have no ids",
    dialect: "v1",
    routes: FOLDERS,
    members: /^\/(?:stats|entries\/\d+\/oid)$/,
    fits: (one) => one.pointer === "/stats" ? isOurs(one) : isTheirs(one),
  },
  {
    where: "docs/api.md#9.1",
    what: "nodes, reactions and comments of reviews have the form of version 1",
    dialect: "v1",
    routes: OBJECTS,
    alike: objectsAlike,
  },
  {
    where: "docs/api.md#9.1",
    what: "private repositories are not counted",
    dialect: "v1",
    routes: /\/stats$/,
    members: /^\/repos\/total$/,
    fits: areNumbers,
  },
  {
    where: "docs/api.md#13.1",
    what: "routes of both dialects have the members and links of both",
    routes: /^\/api\/v1(?:\/(?:stats|node|nodes\/:nid|info))?$/,
    members:
      /^\/(?:apiVersion|links|agent|avatarUrl|bannerUrl|description|did|ssh|repos|projects|users|(?:node\/)?config\/(?:policy|scope))$/,
    fits: (one) => {
      if (one.pointer === "/apiVersion") return true;
      if (one.pointer !== "/links") return isOurs(one);
      const hrefs = new Set(itemsOf(one.ours).map((link) => membersOf(link)["href"]));
      return itemsOf(one.theirs).every((link) => hrefs.has(membersOf(link)["href"]));
    },
  },
  {
    where: "docs/api.md#13.1",
    what: "policies have the form of version 1, unless --api today is given",
    dialect: "today",
    routes: /\/policies\/repos$/,
    alike: policiesAlike,
  },
  {
    where: "docs/api.md#13.1",
    what: "the root welcomes in its own words, and links to what it has",
    dialect: "today",
    routes: /^\/$/,
    members: /^\/(?:welcome|links)$/,
  },
  {
    where: "docs/api.md#13.3",
    what: "statistics of a diff pair files as git does",
    dialect: "today",
    routes: /\/diff\/:base\/:oid\/stats$/,
    members: /^\/(?:filesChanged|insertions|deletions)$/,
    fits: areNumbers,
  },
  {
    where: "docs/api.md#13.5",
    what: "issues and patches are read from the repository: the cache of rad lacks some",
    routes: OBJECT_LISTS,
    alike: listsAlike("id", "theirs"),
  },
  {
    where: "docs/api.md#13.5",
    what: "issues and patches are counted in the repository, not in the cache of rad",
    routes: new RegExp(`${PROJECTS.source}|${REPOS.source}`),
    members: /\/(?:issues|patches)\/\w+$/,
    fits: areNumbers,
  },
];
