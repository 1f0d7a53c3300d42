/** Parameters of paths and queries: their descriptions, and the texts that they accept. */
import type { Endpoint, PathParameter, TextForm } from "../../src/contract/endpoint.ts";
import { NID, RID, SIGNATURE } from "./id_patterns.ts";
import { EVENT_TYPES } from "../../extensions/events/request.ts";
import { COMPONENTS, type JsonSchema, parameterSchema } from "./schemas.ts";

/** Characters that a reference name cannot contain, for use in a character class. */
const NEVER = "\\u0000-\\u0020\\u007f\\\\~\\^:?\\[*/";
const REF_PART = `[^${NEVER}.](?:[^${NEVER}]*[^${NEVER}.])?`;

/** Pattern of object ids and names of commits, followed by an ending. */
function commitPattern(ending = ""): string {
  const refused = [
    `@${ending}$`,
    `[0-9A-Fa-f]{41,}${ending}$`,
    `[\\s\\S]*(?:\\.\\.|@\\{|\\.lock(?:/|${ending}$))`,
  ];
  return `^${refused.map((one) => `(?!${one})`).join("")}${REF_PART}(?:/${REF_PART})*${ending}$`;
}

const NODE_ID = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";

/** Named text schemas in the document: description, pattern and example. */
const TEXT_FORMS: Readonly<
  Record<TextForm, readonly [description: string, pattern: (repository: string) => string, example?: string]>
> = {
  RepoIdText: [
    "Repository id in any base, with or without `rad:`.",
    (repository) => `^${repository}$`,
    "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5",
  ],
  GitNameText: [
    "Repository id in any base, with or without `rad:` and `.git`.",
    (repository) => `^${repository}(?:\\.git)?$`,
    "z3gqcJUoA1n9HaHKufZs5FCSGazv5.git",
  ],
  NodeIdText: ["Node id in any base.", () => `^${NID}$`, NODE_ID],
  DidText: ["DID of a node, in any base.", () => `^did:key:${NID}$`, `did:key:${NODE_ID}`],
  NodeOrDidText: ["Node id or DID, in any base.", () => `^(?:did:key:)?${NID}$`, NODE_ID],
  OidText: [
    "Object id. A shorter id is padded with zeros on the right.",
    () => "^[0-9A-Fa-f]{1,40}$",
    "f5b24ca7bb4ba46b29ccb1d1ffbb6ed3e0d0b0e4",
  ],
  CommitText: ["Object id or name of a reference.", () => commitPattern(), "main"],
  ArchiveText: [
    "Object id or name of a reference, followed by the extension of an archive.",
    () => commitPattern("\\.(?:tar\\.gz|tar|zip)"),
    "main.tar.gz",
  ],
  SignatureText: ["Signature of 64 bytes, in any base.", () => `^${SIGNATURE}$`],
};

/** The schemas of these texts. `names` are the names that the host gives to repositories. */
export function textSchemas(names: readonly string[] = []): Readonly<Record<TextForm, JsonSchema>> {
  const repository = `(?:${
    [`(?:rad:)?${RID}`, ...names.map((name) => name.replaceAll(".", "\\."))].join("|")
  })`;
  const schemas = Object.entries(TEXT_FORMS).map(([name, [description, pattern, example]]) => [
    name,
    {
      type: "string",
      pattern: pattern(repository),
      description,
      ...(example !== undefined && { examples: [example] }),
    },
  ]);
  return Object.fromEntries(schemas);
}

export function pathParameters({ path, name: route, parameters = {} }: Endpoint): readonly JsonSchema[] {
  return [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => {
    const parameter = parameters[name!] ?? PATH_PARAMETERS[name!];
    if (parameter === undefined) throw new TypeError(`No description of ${name} in the path of ${route}`);
    const [description, form] = parameter;
    return { name, in: "path", required: true, description, schema: form === undefined ? TEXT : refTo(form) };
  });
}

export function queryParameters(
  { query, name: route, queryParameters = {} }: Endpoint,
): readonly JsonSchema[] {
  return Object.entries(query?.entries ?? {}).map(([name, entry]) => {
    const description = queryParameters[name] ?? QUERY_PARAMETERS[name];
    if (description === undefined) throw new TypeError(`No description of ${name} in the query of ${route}`);
    const form = QUERY_FORMS[name];
    const schema = form !== undefined ? refTo(form) : {
      ...parameterSchema(entry as never),
      ...(name === "types" && { pattern: TYPES }),
    };
    return { name, in: "query", description, schema };
  });
}

const TEXT: JsonSchema = { type: "string" };
/** A comma-separated list of types of live changes. */
const TYPES = `^(?:${EVENT_TYPES.join("|")})(?:,(?:${EVENT_TYPES.join("|")}))*$`;

function refTo(form: TextForm): JsonSchema {
  return { $ref: COMPONENTS + form };
}

const OF_REPOSITORY: PathParameter = ["Repository id, with or without `rad:`.", "RepoIdText"];
const OF_NODE: PathParameter = ["Node id.", "NodeIdText"];
const OF_DELEGATE: PathParameter = ["DID of a node.", "DidText"];

const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  project: OF_REPOSITORY,
  rid: OF_REPOSITORY,
  sha: ["Commit: object id or name.", "CommitText"],
  base: ["Commit to compare with: object id or name.", "CommitText"],
  oid: ["Object id.", "OidText"],
  path: ["Path in the repository; slashes are not encoded."],
  peer: OF_NODE,
  nid: OF_NODE,
  delegate: OF_DELEGATE,
  did: OF_DELEGATE,
  id: ["Object id.", "OidText"],
  name: ["Repository id, with or without `rad:` and `.git`; never `api`, `raw` or `page`.", "GitNameText"],
};

/** Query parameters whose schemas are named texts. */
const QUERY_FORMS: Readonly<Record<string, TextForm>> = {
  assignee: "NodeOrDidText",
  author: "NodeOrDidText",
  from: "NodeIdText",
  parent: "CommitText",
};

const QUERY_PARAMETERS: Readonly<Record<string, string>> = {
  path: "Only commits that changed this file or something in this folder.",
  page: "Number of the page; the first one is 0.",
  perPage: "Items on a page.",
  show: "All repositories, or the repositories that the configuration of the node pins.",
  state: "Only objects in this state.",
  status: "Only objects in this state.",
  sort: "Order: by id, by the time of the last commit, or by the number of seeds.",
  q: "Part of the title; case is ignored.",
  label: "Only objects with this label.",
  assignee: "Only objects that are assigned to this node: node id or DID.",
  author: "Only objects that this node has opened: node id or DID.",
  parent: "First commit: object id or name. By default the head of the project.",
  since: "Only commits of that time or later, in seconds since the Unix epoch.",
  until: "Only commits before that time, in seconds since the Unix epoch.",
  oids: "Whether entries include their object ids.",
  follow: "Whether the history of a file continues under its earlier names.",
  diff: "Whether items include their diff, only its statistics, or neither.",
  scope: "References to seed: from delegates and followed nodes, or from every node.",
  from: "Node id of the node to fetch from.",
  mime: "Media type of the answer; not one with header fields in its body, such as `multipart/mixed`.",
  types: "Types of changes, separated by commas. By default all. `reset` is always sent.",
  service: "Service of git: `git-upload-pack`. Without it, the answer is a plain list.",
  prefix: "Whether the archive puts all files into one folder.",
};
