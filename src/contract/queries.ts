/** Schemas of queries (4.1). Handlers read queries with them. */
import * as v from "valibot";
import { pagingEntries } from "../http/paging.ts";
import { SignedInteger } from "../http/parameters.ts";
import { nidOfDid, tryParseDid, tryParseNid } from "../ids/nid.ts";
import { DEFAULT_SCOPE } from "../seeding/policy.ts";

/** A schema step that parses a text with a function. The function returns `undefined` for an invalid text. */
export function parsedBy<T>(
  parse: (text: string) => T | undefined,
  message: string = "Unexpected text",
): v.RawTransformAction<string, T> {
  return v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const value = parse(dataset.value);
    if (value !== undefined) return value;
    addIssue({ message });
    return NEVER;
  });
}

const show = v.picklist(["all", "pinned"]);

/**
 * Query of the list of projects. Choice: `show` filters the list as on newer services. Without it all
 * projects are listed, as specified.
 */
export const ProjectsQuery = v.object({ ...pagingEntries, show: v.optional(show, "all") });

/**
 * Query of the projects of a delegate. Choice: the values and the default are the ones of the real service.
 */
export const DelegateQuery = v.object({ ...pagingEntries, show: v.optional(show, "pinned") });

/** Query of a folder. Choice: `oids` is our addition. It gives entries the ids that today's entries have. */
export const TreeQuery = v.object({ oids: v.optional(v.picklist(["true", "false"]), "false") });

/** Longest path of a history, in UTF-16 units. */
export const MAX_HISTORY_PATH_LENGTH = 4096;

/** A path in a repository. Its names must not be `.` or `..`; one final slash does not matter. */
// deno-lint-ignore no-control-regex -- no name has a NUL
const PATH = /^(?:(?!\.{1,2}(?:\/|$))[^/\x00]+(?:\/(?!$)|\/?$))+$/;

/** Query of the history. Choice: `path` and `follow` are our additions. */
export const CommitsQuery = v.object({
  ...pagingEntries,
  parent: v.optional(v.string()),
  since: v.optional(SignedInteger),
  until: v.optional(SignedInteger),
  path: v.optional(v.pipe(v.string(), v.maxLength(MAX_HISTORY_PATH_LENGTH), v.regex(PATH))),
  follow: v.optional(v.picklist(["true", "false"]), "false"),
});

/** Query of the history in version 1. Choice: `diff` is our addition. */
export const ProjectCommitsQuery = v.object({
  ...CommitsQuery.entries,
  diff: v.optional(v.picklist(["none", "stats", "full"]), "full"),
});

/** A node: its id or DID. */
const Node = v.pipe(
  v.string(),
  parsedBy((text) => {
    const did = tryParseDid(text);
    return did === undefined ? tryParseNid(text) : nidOfDid(did);
  }),
);

/** Longest text and label in a filter, in UTF-16 units. */
export const MAX_FILTER_LENGTH = 256;

/** Parameters that filter lists of issues and patches. Choice: these are our additions. */
const filterEntries = {
  q: v.optional(v.pipe(v.string(), v.maxLength(MAX_FILTER_LENGTH))),
  label: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_FILTER_LENGTH))),
  assignee: v.optional(Node),
  author: v.optional(Node),
};

/**
 * Query of the list of issues. Choice: `all` lists issues in any state; the other values and the default are
 * the ones of the real service.
 */
export const IssuesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  state: v.optional(v.picklist(["open", "closed", "all"]), "open"),
});

/** Query of the list of patches. Choice: like {@link IssuesQuery}. */
export const PatchesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  state: v.optional(v.picklist(["open", "draft", "archived", "merged", "all"]), "open"),
});

/** Query of lists of repositories, for today's clients. */
export const TodayReposQuery = v.object({
  ...pagingEntries,
  show: v.optional(show, "pinned"),
  sort: v.optional(v.picklist(["rid", "activity", "seeding"]), "rid"),
});

/** Query of a search for repositories, for today's clients. */
export const SearchQuery = v.object({ ...pagingEntries, q: v.optional(v.string(), "") });

/** Query of the list of issues, for today's clients. */
export const TodayIssuesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  status: v.optional(v.picklist(["open", "closed", "all"]), "open"),
});

/** Query of the list of patches, for today's clients. */
export const TodayPatchesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  status: v.optional(v.picklist(["open", "draft", "archived", "merged", "all"]), "open"),
});

/** Query of a request to seed a repository. */
export const SeedQuery = v.object({
  scope: v.optional(v.picklist(["followed", "all"]), DEFAULT_SCOPE),
  /** The node from which to fetch. */
  from: v.optional(v.pipe(v.string(), parsedBy(tryParseNid))),
});

export const RawQuery = v.object({ mime: v.optional(v.string()) });
