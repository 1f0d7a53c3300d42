/** The differences between other services and ours that docs/api.md documents. Any other one is a fault. */
import {
  type Alike,
  diffAlike,
  historyAlike,
  listsAlike,
  objectsAlike,
  policiesAlike,
  publicAlike,
  sortedAlike,
} from "./forms.ts";
import { type Difference, isObject, itemsOf, membersOf } from "./json.ts";
import type { Dialect } from "./sample.ts";

/** How answers may differ. */
interface Ways {
  /** Default: both. */
  readonly dialect?: Dialect;
  /** Whether it applies to our errors instead of other answers. */
  readonly isOfErrors?: boolean;
  /** Whether this explains two different statuses; 0 stands for a closed connection. */
  readonly outcomes?: (theirs: number, ours: number) => boolean;
  /** Converts both answers into one form before members are compared. */
  readonly alike?: Alike;
  /** Pointers of members that may differ. */
  readonly members?: RegExp;
  /** Which differences of these members are explained. Default: all. */
  readonly fits?: (difference: Difference, path: string) => boolean;
}

/** A documented difference. */
export interface Known extends Ways {
  /** Section of docs/api.md. */
  readonly section: string;
  /** How we answer, in one sentence without a full stop. */
  readonly what: string;
  /** Routes as docs/api.md writes them. */
  readonly routes: RegExp;
}

function known(section: string, what: string, routes: RegExp, ways: Ways): Known {
  return { section, what, routes, ...ways };
}

const ANY = /^/;
const ROOT = /^\/$/;
const PROJECTS = /^\/api\/v1\/(?:delegates\/:delegate\/)?projects(?:\/:project)?$/;
const REPOSITORIES = /^\/api\/v1\/(?:delegates\/:\w+\/)?(?:projects|repos)(?:\/:project|\/:rid)?$/;
const LISTS = /\/(?:projects|repos)$/;
const POLICIES = /\/policies\/repos$/;
const OFFERED = /\/(?:inventory|policies\/repos)$/;
const OBJECTS = /\/(?:issues|patches)(?:\/:id)?$/;

/** Routes whose answers have aliases of nodes. */
const NAMED = /\/(?:issues|patches|remotes|repos|jobs|nodes)(?:\/:\w+)?$/;

const isOurs = ({ theirs }: Difference) => theirs === undefined;
const isTheirs = ({ ours }: Difference) => ours === undefined;
const areNumbers = ({ theirs, ours }: Difference) => typeof theirs === "number" && typeof ours === "number";
/** Their node is an object and ours an id. */
const isNode = ({ theirs, ours }: Difference) => isObject(theirs) && theirs["id"] === ours;
/** Whether the other service has failed; 502 and 503 may come from a proxy. */
const hasFailed = (theirs: number) => theirs === 500 || theirs === 0;

/**
 * The differences, by section. Forms are converted in this order. Then the first row that fits explains each
 * member that still differs.
 */
export const KNOWN_DIFFERENCES: readonly Known[] = [
  known("2.1", "text that is not UTF-8 is shown with U+FFFD", ANY, {
    members: ANY,
    fits: ({ ours }) => typeof ours === "string" && ours.includes("\ufffd"),
  }),
  known("2.6", "the last commit of a name with *, ? or [ is that of this name, not of a pattern", /:sha\//, {
    members: /^\/lastCommit\//,
    fits: (_, path) => /%5B|%3F|\*/i.test(path),
  }),
  known("2.9", "the node's own alias is that of its configuration where its databases have none", NAMED, {
    members: /(?:^|\/)alias$/,
    fits: ({ theirs, ours }) => typeof ours === "string" && (theirs ?? null) === null,
  }),
  known("2.14", "each service tells its own version", /^\/(?:api\/v1(?:\/node|\/info)?)?$/, {
    members: /^\/(?:node\/)?version$/,
  }),
  known("2.17", "what is too much to be shown is left out, and marked", ANY, {
    members: /\/truncated$/,
    fits: isOurs,
  }),
  known("4.2.1", "all repositories are listed, also those that are not seeded", /\/projects$/, {
    dialect: "v1",
    alike: listsAlike("theirs"),
  }),
  known("4.5.4", "inventories are in the order of the ids", /\/inventory$/, { alike: sortedAlike }),
  known("4.9", "the root answers", ROOT, { outcomes: (theirs, ours) => theirs === 404 && ours === 200 }),
  known("4.9", "public repositories that cannot be listed are not counted", /\/stats$/, {
    dialect: "v1",
    members: /^\/projects\/count$/,
    fits: areNumbers,
  }),
  known("4.15", "search is built in", /\/info$/, {
    members: /^\/httpd\/searchAvailable$/,
    fits: ({ theirs, ours }) => theirs === false && ours === true,
  }),
  known("5.1", "private repositories are for the owner, not for every program on the machine", LISTS, {
    alike: publicAlike,
  }),

  // Errors: a fitting status instead of 500, or an answer instead of an error.
  known("7", "errors have a status of their own where 500 was answered, or the connection closed", ANY, {
    isOfErrors: true,
    outcomes: (theirs, ours) => hasFailed(theirs) && ours < 500,
  }),
  known("7", "what is damaged or odd is answered where 500 was, or the connection closed", ANY, {
    outcomes: (theirs, ours) => hasFailed(theirs) && ours === 200,
  }),
  known("7", "errors are JSON, with texts of their own", ANY, {
    isOfErrors: true,
    members: /^(?:\/(?:error|code|success))?$/,
  }),

  // The forms of 0.10.
  known("9.1", "delegates are DIDs", PROJECTS, {
    dialect: "v1",
    members: /^(?:\/\d+)?\/delegates\/\d+$/,
    fits: isNode,
  }),
  known("9.1", "projects have no threshold", PROJECTS, {
    members: /^(?:\/\d+)?\/threshold$/,
    fits: isTheirs,
  }),
  known("9.1", "projects have trackings", PROJECTS, { members: /^(?:\/\d+)?\/trackings$/, fits: isOurs }),
  known("9.1", "a page of history has diffs, branches and statistics", /\/commits$/, {
    dialect: "v1",
    alike: historyAlike,
  }),
  known("9.1", "a diff has a list for each kind of change", /\/(?:commits\/:sha|diff\/:base\/:oid)$/, {
    dialect: "v1",
    alike: diffAlike,
  }),
  known("9.1", "a folder has statistics", /\/tree\/:sha\//, {
    dialect: "v1",
    members: /^\/stats$/,
    fits: isOurs,
  }),
  known("9.1", "entries of a folder have no ids", /\/tree\/:sha\//, {
    dialect: "v1",
    members: /^\/entries\/\d+\/oid$/,
    fits: isTheirs,
  }),
  known("9.1", "nodes, reactions and comments of reviews have the form of version 1", OBJECTS, {
    dialect: "v1",
    alike: objectsAlike,
  }),
  known("9.1", "public repositories that the node offers are counted, not all in storage", /\/stats$/, {
    dialect: "v1",
    members: /^\/repos\/total$/,
    fits: areNumbers,
  }),

  // Today's service, and what both dialects have in common.
  known("13.1", "routes of both dialects have the members of both", /^\/api\/v1(?:\/[a-z]+(?:\/:nid)?)?$/, {
    members: /^\/(?:agent|avatarUrl|bannerUrl|description|did|ssh|repos|projects|users)$/,
    fits: isOurs,
  }),
  known("13.1", "the configuration has the older members beside the newer ones", /\/(?:node|info)$/, {
    members: /^\/(?:node\/)?config\/(?:policy|scope)$/,
    fits: isOurs,
  }),
  known("13.1", "the version of today's dialect is told", /^\/api\/v1$/, { members: /^\/apiVersion$/ }),
  known("13.1", "there are links of both dialects", /^\/api\/v1$/, {
    members: /^\/links$/,
    fits: ({ theirs, ours }) => {
      const hrefs = new Set(itemsOf(ours).map((link) => membersOf(link)["href"]));
      return itemsOf(theirs).every((link) => hrefs.has(membersOf(link)["href"]));
    },
  }),
  known("13.1", "policies have the form of version 1, unless --api today is given", POLICIES, {
    dialect: "today",
    alike: policiesAlike,
    members: /^\/\d+\/scope$/,
    fits: isOurs,
  }),
  known("13.1", "the root welcomes in its own words, and links to what it has", ROOT, {
    dialect: "today",
    members: /^\/(?:welcome|links)$/,
  }),
  // After the conversion of policies, because this needs their ids.
  known("4.5.6", "strangers see policies and inventories of public repositories alone", OFFERED, {
    alike: listsAlike("ours"),
  }),
  known("13.3", "statistics of a diff pair files as git does", /\/stats$/, {
    dialect: "today",
    members: /^\/(?:filesChanged|insertions|deletions)$/,
    fits: areNumbers,
  }),
  known("13.5", "issues and patches that the cache of rad lacks are there", /\/(?:issues|patches)$/, {
    alike: listsAlike("theirs"),
  }),
  known("13.5", "issues and patches are counted in the repository, not in the cache of rad", REPOSITORIES, {
    members: /\/(?:issues|patches)\/\w+$/,
    fits: areNumbers,
  }),
];
