/** Schemas of the queries of requests (specification, 4.1). */
import * as v from "valibot";
import { pagingEntries } from "../http/paging.ts";
import { SignedInteger } from "../http/parameters.ts";
import { nidOfDid, tryParseDid, tryParseNid } from "../ids/nid.ts";
import { DEFAULT_SCOPE } from "../seeding/policy.ts";

/**
 * Returns a schema step that parses a text with a function. A text is invalid if the function returns
 * `undefined`.
 */
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
 * Query for the list of projects. Choice: `show` filters the list as in newer services. Without `show`, all
 * projects are listed, as specified.
 */
export const ProjectsQuery = v.object({ ...pagingEntries, show: v.optional(show, "all") });

/**
 * Query for the projects of a delegate. Choice: The values and the default are the same as in
 * `radicle-httpd`.
 */
export const DelegateQuery = v.object({ ...pagingEntries, show: v.optional(show, "pinned") });

/** Query for a folder. Choice: With `oids=true`, entries have object ids, as in the `/repos` dialect. */
export const TreeQuery = v.object({ oids: v.optional(v.picklist(["true", "false"]), "false") });

/** Maximum length of the path in the query of a history, in UTF-16 units. */
export const MAX_HISTORY_PATH_LENGTH = 4096;

/** Matches a path in a repository, without the names `.` and `..`. One trailing slash is allowed. */
// deno-lint-ignore no-control-regex -- no name has a NUL
const PATH = /^(?:(?!\.{1,2}(?:\/|$))[^/\x00]+(?:\/(?!$)|\/?$))+$/;

/** Query for a history. Choice: `path` and `follow` are additions of this project. */
export const CommitsQuery = v.object({
  ...pagingEntries,
  parent: v.optional(v.string()),
  since: v.optional(SignedInteger),
  until: v.optional(SignedInteger),
  path: v.optional(v.pipe(v.string(), v.maxLength(MAX_HISTORY_PATH_LENGTH), v.regex(PATH))),
  follow: v.optional(v.picklist(["true", "false"]), "false"),
});

/** Query for a history in version 1. Choice: `diff` is an addition of this project. */
export const ProjectCommitsQuery = v.object({
  ...CommitsQuery.entries,
  diff: v.optional(v.picklist(["none", "stats", "full"]), "full"),
});

const Node = v.pipe(
  v.string(),
  parsedBy((text) => {
    const did = tryParseDid(text);
    return did === undefined ? tryParseNid(text) : nidOfDid(did);
  }),
);

/** Maximum length of a search text or a label in a filter, in UTF-16 units. */
export const MAX_FILTER_LENGTH = 256;

/** Filters for lists of issues and patches. Choice: They are additions of this project. */
const filterEntries = {
  q: v.optional(v.pipe(v.string(), v.maxLength(MAX_FILTER_LENGTH))),
  label: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_FILTER_LENGTH))),
  assignee: v.optional(Node),
  author: v.optional(Node),
};

/**
 * Query for the list of issues. Choice: `all` lists issues in any state. The other values and the default are
 * the same as in `radicle-httpd`.
 */
export const IssuesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  state: v.optional(v.picklist(["open", "closed", "all"]), "open"),
});

/** Query for the list of patches. Choice: As in {@link IssuesQuery}. */
export const PatchesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  state: v.optional(v.picklist(["open", "draft", "archived", "merged", "all"]), "open"),
});

/** Query for lists of repositories in the `/repos` dialect. */
export const TodayReposQuery = v.object({
  ...pagingEntries,
  show: v.optional(show, "pinned"),
  sort: v.optional(v.picklist(["rid", "activity", "seeding"]), "rid"),
});

/** Query for a search for repositories in the `/repos` dialect. */
export const SearchQuery = v.object({ ...pagingEntries, q: v.optional(v.string(), "") });

/** Query for the list of issues in the `/repos` dialect. */
export const TodayIssuesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  status: v.optional(v.picklist(["open", "closed", "all"]), "open"),
});

/** Query for the list of patches in the `/repos` dialect. */
export const TodayPatchesQuery = v.object({
  ...pagingEntries,
  ...filterEntries,
  status: v.optional(v.picklist(["open", "draft", "archived", "merged", "all"]), "open"),
});

/** Query of a request to seed a repository. */
export const SeedQuery = v.object({
  scope: v.optional(v.picklist(["followed", "all"]), DEFAULT_SCOPE),
  /** Id of the node from which to fetch the repository. */
  from: v.optional(v.pipe(v.string(), parsedBy(tryParseNid))),
});

export const RawQuery = v.object({ mime: v.optional(v.string()) });
