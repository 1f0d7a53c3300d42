/**
 * Makes `docs/api_reference.md` from the contract: all routes with their parameters, bodies, answers and
 * errors, and the members of all objects. With `--check`, which `npm run check` uses, it only compares the
 * two.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { allEndpoints, type DescribedRoute, type Dialect } from "./contract/all.ts";
import { openApiDocument, statusesOf, toTemplate } from "./contract/document.ts";
import { ERRORS, EVERYWHERE, OF_EXPENSIVE } from "./contract/errors.ts";
import { HEADERS } from "./contract/headers.ts";
import { pathParameters, queryParameters } from "./contract/parameters.ts";
import type { JsonSchema } from "./contract/schemas.ts";
import { markdownTable, wrapped } from "./markdown.ts";

const FILE = new URL("../docs/api_reference.md", import.meta.url);
const COMMAND = "node build/carry_reference.ts";

const HEAD = `# Reference of the HTTP interface

${
  wrapped(
    `\`${COMMAND}\` makes this page from the contract, the schemas that also check requests and make the OpenAPI ` +
      "document of a running service (`/api/v1/openapi.json`). [api.md](api.md) explains what is behind them. The " +
      "numbers are sections of the interface specification, which comments in the code cite.",
  )
}
`;

/** Kinds of services. Together they have all routes and schemas. */
const SERVICES = [["key", "v1"], ["key", "both"], ["key", "today"], ["wallet", "v1"]] as const;

/** Section of the routes that only the `/repos` dialect has. The contract calls it `today`. */
const TODAY = "13.1";

/** Titles of the sections of routes. */
const SECTIONS: Readonly<Record<string, string>> = {
  "4.2": "Repositories",
  "4.2.1": "List of repositories, one repository",
  "4.2.2": "History",
  "4.2.3": "One commit",
  "4.2.4": "Difference of two commits",
  "4.2.5": "Activity",
  "4.2.6": "Folders and files",
  "4.2.7": "Remotes",
  "4.2.8": "Readme",
  "4.3": "Issues",
  "4.3.1": "List of issues",
  "4.3.2": "One issue",
  "4.3.3": "Open an issue",
  "4.3.4": "Change an issue",
  "4.4": "Patches",
  "4.4.1": "List of patches",
  "4.4.2": "One patch",
  "4.4.3": "Open a patch",
  "4.4.4": "Change a patch",
  "4.5": "The node, its policies, other nodes",
  "4.5.1": "Seed a repository",
  "4.5.2": "Stop seeding a repository",
  "4.5.3": "Alias of a node",
  "4.5.4": "Inventory of a node",
  "4.5.5": "The node itself",
  "4.5.6": "List of policies",
  "4.6": "Repositories of a delegate",
  "4.7": "Profile",
  "4.8": "Sessions",
  "4.8.1": "With the key of the node",
  "4.8.2": "With an Ethereum wallet",
  "4.9": "Roots and statistics",
  "4.10": "Raw files",
  "4.11": "The contract",
  "4.12": "git over HTTP",
  "4.13": "Archives",
  "4.14": "The page for browsers",
  "4.15": "Search",
  "4.16": "Live changes",
  [TODAY]: "Routes of the `/repos` dialect",
};

/** Sections of resources: title, and the schemas with which the section begins. */
const RESOURCES: Readonly<Record<string, readonly [title: string, ...schemas: string[]]>> = {
  "2.2": ["Project", "Project", "Visibility", "IssueCounts", "PatchCounts"],
  "2.3": ["Commit", "Commit", "Person", "History", "CommitDetail", "Comparison", "Activity"],
  "2.4": [
    "Diff",
    "Diff",
    "AddedFile",
    "DeletedFile",
    "ModifiedFile",
    "RenamedFile",
    "CopiedFile",
    "FileDiff",
    "FileSide",
    "Hunk",
    "LineRange",
    "DiffLine",
    "DiffStats",
    "DiffBlobs",
    "DiffBlob",
  ],
  "2.5": ["Statistics of a repository", "Stats", "RepoTreeStats"],
  "2.6": ["Folder", "Tree", "TreeEntry"],
  "2.7": ["File", "Blob"],
  "2.8": ["Remote", "Remote"],
  "2.9": ["Issue", "Issue", "Author", "NewIssue", "IssueAction", "Changed"],
  "2.10": [
    "Patch",
    "Patch",
    "PatchState",
    "PatchTarget",
    "Merge",
    "Revision",
    "PlaceReaction",
    "Review",
    "ReviewComment",
    "CodeLocation",
    "CodeRange",
    "NewPatch",
    "PatchAction",
  ],
  "2.11": ["Comment", "Comment", "Edit", "Reactions", "ReactionGroup"],
  "2.12": ["Embed", "Embed"],
  "2.13": [
    "Session",
    "Session",
    "KeyProof",
    "NewWalletSession",
    "WaitingSession",
    "WalletSession",
    "WalletProof",
  ],
  "2.14": ["Node", "Node", "Alias"],
  "2.15": ["Configuration", "Profile"],
  "2.16": ["Seeding policy", "Policy", "Seeded", "FetchResult", "Done"],
};

/** A route, and the services that have it. */
interface Served {
  readonly route: DescribedRoute;
  readonly dialects: Set<Dialect>;
  readonly signIns: Set<"key" | "wallet">;
}

export function referenceDocument(): string {
  const routes = new Map<string, Served>();
  const schemas = new Map<string, JsonSchema>();
  const contents = new Map<string, Contents>();
  for (const [signIn, dialect] of SERVICES) {
    const document = openApiDocument({
      version: "",
      basePath: "",
      signIn,
      dialect,
      page: true,
      withUnused: true,
    });
    const { components, paths } = document as unknown as OpenApi;
    for (const [name, schema] of Object.entries(components.schemas)) schemas.set(name, schema);
    for (const route of allEndpoints(signIn, dialect, true)) {
      const served = routes.get(route.name) ?? { route, dialects: new Set(), signIns: new Set() };
      routes.set(route.name, served);
      served.dialects.add(dialect);
      served.signIns.add(signIn);
      contents.set(route.name, contentsOf(paths[toTemplate(route.path)]![route.method.toLowerCase()]!));
    }
  }
  return [
    HEAD,
    routesText([...routes.values()], contents),
    resourcesText(schemas),
    errorsText(),
    fieldsText(),
  ]
    .join("\n");
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}
interface Operation {
  readonly requestBody?: { readonly content: MediaTypes };
  readonly responses: Readonly<Record<string, { readonly content?: MediaTypes }>>;
}
type MediaTypes = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

/** Body and answer of an operation, as text. */
interface Contents {
  readonly body: string | undefined;
  readonly answer: string;
}

function contentsOf({ requestBody, responses }: Operation): Contents {
  const [status, response] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const answers = Object.entries(responses)
    .filter(([status, { content }]) => Number(status) < 300 && content !== undefined)
    .map(([, { content }]) => mediaText(content!));
  const answer = response === undefined ? "" : answers[0] ?? "";
  return {
    body: requestBody === undefined ? undefined : mediaText(requestBody.content),
    answer: status === "200" || status === undefined ? answer : `${status}: ${answer}`,
  };
}

/** The media types of a content, or the schema of its JSON. */
function mediaText(content: MediaTypes): string {
  const json = content["application/json"]?.schema;
  if (json !== undefined) return typeText(json);
  return Object.entries(content)
    .map(([type, { schema }]) => `\`${type}\`${schema === undefined ? "" : ` of ${typeText(schema)}`}`).join(
      ", ",
    );
}

function routesText(served: readonly Served[], contents: ReadonlyMap<string, Contents>): string {
  const bySection = Map.groupBy(served, ({ route }) => sectionOf(route));
  const numbers = new Set(Object.keys(SECTIONS));
  for (const number of bySection.keys()) {
    if (!numbers.has(number)) {
      throw new Error(`Section ${number} has no title: add it to build/carry_reference.ts`);
    }
  }
  const parts = [...numbers].sort(byNumber).map((number) => {
    const routes = bySection.get(number) ?? [];
    const head = heading(number, SECTIONS[number]!);
    return routes.length === 0 ? head : `${head}\n${sectionText(routes, contents)}`;
  });
  const intro = wrapped(
    "Paths are exact. `:name` is one part of a path, `*name` is the rest of it with all slashes. Every path also " +
      'takes `OPTIONS`, and every path with `GET` also takes `HEAD`. The column "Errors" has the statuses besides ' +
      `${statuses(EVERYWHERE)}, which every route may answer; expensive routes may also answer ` +
      `${statuses(OF_EXPENSIVE)} ([errors](#errors)). "Cache" says how long an answer may be stored ` +
      "([api.md](api.md#11)).",
  );
  return [`## Routes\n\n${intro}\n`, pathText(served), ...parts].join("\n");
}

function sectionOf({ section }: DescribedRoute): string {
  return section === "today" ? TODAY : section;
}

/** Sorts sections by number: 4.2 before 4.10. */
function byNumber(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function statuses(codes: readonly (keyof typeof ERRORS)[]): string {
  return [...new Set(codes.map((code) => ERRORS[code].status))].join(" and ");
}

/** A heading with the section number as its anchor. Deeper sections have smaller headings. */
function heading(number: string, title: string): string {
  const level = "#".repeat(number.split(".").length + 1);
  return `<a id="${number}"></a>\n\n${level} ${number} ${title}\n`;
}

/** All path parameters, each once. */
function pathText(served: readonly Served[]): string {
  const rows = new Map<string, [string, string]>();
  for (const { route } of served) {
    for (const { name, description } of pathParameters(route) as readonly unknown[] as readonly Parameter[]) {
      rows.set(`${name} ${description}`, [`\`${name}\``, cell(description)]);
    }
  }
  const sorted = [...rows].sort(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row);
  return `### Parameters of paths\n\n${markdownTable([["Name", "Meaning"], ...sorted])}\n`;
}

interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Table of the routes of a section, then the queries and bodies of each route. */
function sectionText(served: readonly Served[], contents: ReadonlyMap<string, Contents>): string {
  const table = markdownTable([
    ["Method", "Path", "Answer", "Errors", "Cache"],
    ...served.map(({ route, dialects, signIns }) => [
      route.method,
      `\`${route.path}\`${servedBy(dialects, signIns)}`,
      cell(answerText(route, contents.get(route.name)!)),
      cell(errorsOf(route)),
      route.caching === undefined || route.caching === "unspecified" ? "" : route.caching,
    ]),
  ]);
  const details = new Map<string, string[]>();
  for (const { route } of served) {
    for (const detail of [queryText(route), bodyText(contents.get(route.name)!)]) {
      if (detail === undefined) continue;
      details.set(detail, [...details.get(detail) ?? [], `\`${route.method} ${shortPath(route.path)}\``]);
    }
  }
  const parts = [...details].map(([detail, routes]) => detail.replace(ROUTES, routes.join(", ")));
  return [table, ...parts].map((part) => `${part.startsWith("|") ? part : wrappedFirst(part)}\n`).join("\n");
}

/** Placeholder for the routes that share a query or a body. */
const ROUTES = "%routes%";

function wrappedFirst(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  return [wrapped(first), ...rest].join("\n");
}

function answerText({ summary }: DescribedRoute, { answer }: Contents): string {
  return answer === "" ? summary : `${summary.replace(/\.$/, "")}: ${answer}`;
}

/** Options that a service needs for a route. Empty if every service has it. */
function servedBy(dialects: ReadonlySet<Dialect>, signIns: ReadonlySet<string>): string {
  if (!signIns.has("key")) return " (`--sign-in wallet`)";
  if (dialects.size === 1 && !dialects.has("both")) return ` (\`--api ${[...dialects][0]}\`)`;
  return "";
}

function shortPath(path: string): string {
  return path.replace(/^\/api\/v1(?=\/.)/, "");
}

function errorsOf(route: DescribedRoute): string {
  const always = new Set(EVERYWHERE.map((code) => ERRORS[code].status));
  const own = [...statusesOf(route)].filter((status) => !always.has(status));
  return [...own, ...(route.needsSession ? ["session"] : [])].join(", ");
}

/** The parameters of a query. `undefined` for a route without query parameters. */
function queryText(route: DescribedRoute): string | undefined {
  const parameters = queryParameters(route) as readonly unknown[] as readonly Parameter[];
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(({ name, schema, description }) => [
    `\`${name}\``,
    cell(typeText(schema) + defaultText(schema)),
    cell(description),
  ]);
  return `Query of ${ROUTES}:\n\n${markdownTable([["Name", "Value", "Meaning"], ...rows])}`;
}

function defaultText({ default: value }: JsonSchema): string {
  return value === undefined || value === "" ? "" : `; default \`${value}\``;
}

function bodyText({ body }: Contents): string | undefined {
  return body === undefined ? undefined : `Body of ${ROUTES}: ${body}.`;
}

function resourcesText(schemas: ReadonlyMap<string, JsonSchema>): string {
  const placed = new Set(Object.values(RESOURCES).flatMap(([, ...names]) => names));
  const parts = Object.entries(RESOURCES).map(([number, [title, ...names]]) => {
    const absent = names.filter((name) => !schemas.has(name));
    if (absent.length > 0) throw new Error(`No schema ${absent}: correct build/carry_reference.ts`);
    return [heading(number, title), ...names.map((name) => schemaText(name, schemas.get(name)!))].join("\n");
  });
  const others = [...schemas].filter(([name]) => !placed.has(name) && !(name in TEXTS)).map((
    [name, schema],
  ) => schemaText(name, schema));
  const intro = wrapped(
    "Members come in the order of the tables. A member with `?` may be missing; it is never null. A member that may " +
      "be null is always there. Clients should ignore members that they do not know.",
  );
  return [
    `## Objects\n\n${intro}\n`,
    ...parts,
    "### Other objects\n",
    ...others,
  ].join("\n");
}

function schemaText(name: string, schema: JsonSchema): string {
  const head = `#### ${name}\n`;
  const alternatives = (schema["oneOf"] ?? schema["anyOf"]) as readonly JsonSchema[] | undefined;
  if (isObject(schema)) return `${head}\n${membersTable(schema)}\n`;
  if (alternatives?.every((one) => "properties" in one)) {
    const rows = alternatives.map((one) => {
      const members = Object.entries(propertiesOf(one));
      const [first = "", value = {}] = members.find(([, type]) => "const" in type || "enum" in type) ??
        members[0]!;
      const rest = members.filter(([name]) => name !== first);
      return [
        `\`${first}\`: ${typeText(value)}`,
        rest.map(([member, type]) => memberText(one, member, type)).join(", "),
      ];
    });
    return `${head}\n${markdownTable([["One of", "Other members"], ...rows.map((row) => row.map(cell))])}\n`;
  }
  const { description } = schema as { readonly description?: string };
  const text = [description, typeText({ ...schema, description: undefined })].filter(Boolean);
  return `${head}\n${wrapped(text.map((part) => part!.replace(/\.$/, "")).join(": "))}.\n`;
}

function isObject(schema: JsonSchema): boolean {
  return schema["properties"] !== undefined;
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return schema["properties"] as Readonly<Record<string, JsonSchema>>;
}

function membersTable(schema: JsonSchema): string {
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const rows = Object.entries(propertiesOf(schema)).map(([name, type]) => [
    `\`${name}\`${required.has(name) ? "" : "?"}`,
    cell(typeText(type)),
    cell(String(type["description"] ?? "")),
  ]);
  return markdownTable([["Member", "Type", "Meaning"], ...rows]);
}

/** A member as one line: `name?` and its type. */
function memberText(schema: JsonSchema, name: string, type: JsonSchema): string {
  const required = ((schema["required"] ?? []) as readonly string[]).includes(name);
  return `\`${name}\`${required ? "" : "?"} ${typeText(type)}`;
}

/** Readable names for schemas of texts in requests. */
const TEXTS: Readonly<Record<string, string>> = {
  RepoIdText: "repository id",
  GitNameText: "repository id",
  NodeIdText: "node id",
  DidText: "DID",
  NodeOrDidText: "node id or DID",
  OidText: "object id",
  CommitText: "object id or name",
  ArchiveText: "object id or name, and an ending",
  SignatureText: "signature in multibase",
  RepoId: "repository id",
  NodeId: "node id",
  Did: "DID",
  Oid: "object id",
  Time: "time",
};

/** A type as readable text. */
function typeText(schema: JsonSchema): string {
  const { $ref, type, items, prefixItems, additionalProperties, minimum } = schema;
  if (typeof $ref === "string") {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return TEXTS[name] ?? `[${name}](#${name.toLowerCase()})`;
  }
  if ("const" in schema) return `\`${JSON.stringify(schema["const"])}\``;
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => `\`${value}\``).join(", ");
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(alternatives)) return [...new Set(alternatives.map(typeText))].join(" or ");
  if (Array.isArray(prefixItems)) return `pair of ${prefixItems.map(typeText).join(" and ")}`;
  if (type === "array") return items === undefined ? "array" : `array of ${typeText(items as JsonSchema)}`;
  if (isLocation(schema)) return "[location](#codelocation)";
  if (isObject(schema)) {
    const members = Object.entries(propertiesOf(schema)).map(([name, type]) =>
      memberText(schema, name, type)
    );
    return `object (${members.join(", ")})`;
  }
  if (type === "object") {
    const values = additionalProperties as JsonSchema | undefined;
    return values === undefined || Object.keys(values).length === 0
      ? "object"
      : `object of ${typeText(values)} by name`;
  }
  if (type === "integer") return minimum === 0 ? "integer from 0 on" : "integer";
  return String(type ?? "any value");
}

/** Whether an unnamed schema is a location in code, as requests contain it. */
function isLocation(schema: JsonSchema): boolean {
  return isObject(schema) && ["commit", "path", "old", "new"].every((name) => name in propertiesOf(schema));
}

function errorsText(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, description, message }]) => [
    String(status),
    `\`${code}\``,
    cell(description),
    message.includes("`") ? `\`\` ${message} \`\`` : `\`${message}\``,
  ]).sort(([a = ""], [b = ""]) => Number(a) - Number(b));
  const intro = wrapped(
    "The form of an error is [Failure](#failure), or [ParameterFailure](#parameterfailure) for a path or query. The " +
      "codes are names in the contract; an answer has the status. [errors.md](errors.md) lists all messages.",
  );
  return `## Errors\n\n${intro}\n\n${markdownTable([["Status", "Code", "When", "For example"], ...rows])}\n`;
}

function fieldsText(): string {
  const rows = Object.entries(HEADERS).map(([name, description]) => [`\`${name}\``, cell(description)]);
  return `## Header fields of answers\n\n${markdownTable([["Field", "Meaning"], ...rows])}\n`;
}

/** A text for a cell of a table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = referenceDocument();
  if (!process.argv.includes("--check")) writeFileSync(FILE, made);
  else if (readFileSync(FILE, "utf8") !== made) {
    process.stderr.write(`The contract has changed: run \`${COMMAND}\`\n`);
    process.exitCode = 1;
  }
}
