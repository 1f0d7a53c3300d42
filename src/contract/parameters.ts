/** Parameters of paths and queries: one description for each name, unless a route says otherwise. */

/** Parameters of paths. */
export const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  project: "Repository id; `rad:` may be missing.",
  rid: "Repository id; `rad:` may be missing.",
  sha: "Commit: object id or name.",
  base: "Commit to compare with: object id or name.",
  oid: "Object id.",
  path: "Path in the repository, with its slashes.",
  peer: "Node id.",
  nid: "Node id.",
  delegate: "DID of a node.",
  did: "DID of a node.",
  id: "Object id.",
  name: "Repository id, with or without `rad:` and `.git`.",
};

/** The parameter of paths of one issue. */
export const OF_ISSUE = { id: "Object id of an issue." } as const;
/** The parameter of paths of one patch. */
export const OF_PATCH = { id: "Object id of a patch." } as const;

/** Parameters of queries. */
export const QUERY_PARAMETERS: Readonly<Record<string, string>> = {
  path: "Only commits that changed this file, or something in this folder.",
  page: "Number of the page; the first one is 0.",
  perPage: "Items on a page.",
  show: "All repositories, or those that the configuration of the node pins.",
  state: "Objects in this state only.",
  status: "Objects in this state only.",
  sort: "Order: by id, by the time of the last commit, or by the number of seeds.",
  q: "Part of the title, in upper or lower case.",
  label: "Objects with this label only.",
  assignee: "Objects that are assigned to this node only: node id or DID.",
  author: "Objects that this node has opened only: node id or DID.",
  parent: "Commit to begin with, object id or name; by default the head of the project.",
  since: "Only commits of that time or later, in seconds since the Unix epoch.",
  until: "Only commits before that time, in seconds since the Unix epoch.",
  oids: "Whether entries have their object ids.",
  follow: "Whether the history of a file goes on under the names that it had before.",
  diff: "Whether items have their diff, its statistics alone, or neither.",
  scope: "References to seed: of delegates and followed nodes, or of every node.",
  from: "Node id of the node to fetch from.",
  mime: "Media type of the answer.",
  service: "Service of git: `git-upload-pack`; without it the answer is a plain list.",
  prefix: "Whether all files are in a folder.",
};
