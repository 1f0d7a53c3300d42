/** Good requests to every route: the contract says which there are, the demo home what they name. */
import { openAuthorized } from "../../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../../adapters/node/mod.ts";
import { endpointsWith, EXTENSION_NAMES } from "../../../build/contract/all.ts";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { EXAMPLES } from "../../../build/contract/examples.ts";
import type { NodeId } from "../../../src/ids/nid.ts";
import { PAGE_FILES } from "../../../extensions/page/carried/files.js";
import type { Draft } from "./draft.ts";

/** Names of what a demo home holds. */
export interface DemoNames {
  readonly nid: NodeId;
  /** The repository that is read. */
  readonly rid: string;
  readonly head: string;
  readonly issue: string;
  readonly patch: string;
  /** The repository that is changed, an issue and a patch in it, and two commits. */
  readonly changed: Readonly<Record<"rid" | "issue" | "patch" | "head" | "parent", string>>;
  /** Of a session that may change things. */
  readonly token: string;
  /** Of another one, which requests may end. */
  readonly sessionId: string;
}

/** A route, and a good request to it. */
export interface GoodRequest {
  readonly endpoint: Endpoint;
  readonly draft: Readonly<Draft>;
}

/** A commit of the demo home that moves files, its parent, and a blob. */
const [MOVED, BEFORE, BLOB] = [
  "fafec6ca73acb30acb576500b21bf5fd032b989e",
  "4d6098be100e8c2dea3ac4373b1aee821ac7ba33",
  "7ee616d6acb37081f3fc27ae436c83764c59ad17",
];

/** Name of the repository that is changed. */
const CHANGED = "seed-catalogue";

/** Looks around in a demo home that a service serves to its owner; opens sessions, an issue and a patch. */
export async function lookAround(home: string, url: string): Promise<DemoNames> {
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}/api/v1${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const { nid } = await ask("");
  const [first] = await ask("/projects?show=pinned");
  const second = (await ask("/projects")).find(({ name }: { name: string }) => name === CHANGED);
  const [issue] = await ask(`/projects/${first.id}/issues`);
  const [patch] = await ask(`/projects/${first.id}/patches?state=all`);
  const signer = await openSigner({ home, nodeId: nid, fileSystem })();
  const token = await openAuthorized(url, signer);
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const open = async (kind: string, body: object) => {
    const path = `/projects/${second.id}/${kind}`;
    return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).id;
  };
  const text = { title: "Straw", description: "Buy some.", labels: [] };
  const { commits } = await ask(`/projects/${second.id}/commits?diff=none`);
  const [oid, target]: string[] = commits.map(({ commit }: { commit: { id: string } }) => commit.id);
  return {
    nid,
    rid: first.id,
    head: first.head,
    issue: issue.id,
    patch: patch.id,
    changed: {
      rid: second.id,
      issue: await open("issues", { ...text, assignees: [], embeds: [] }),
      patch: await open("patches", { ...text, target, oid }),
      head: oid!,
      parent: target!,
    },
    token,
    sessionId: await openAuthorized(url, signer),
  };
}

/** A good request to each route of a service with both dialects and the page, and to those of replicas alone. */
export function goodRequests(names: DemoNames): readonly GoodRequest[] {
  return endpointsWith(EXTENSION_NAMES, "key", "both").map((endpoint) => ({
    endpoint,
    draft: draftFor(endpoint, names),
  }));
}

function draftFor(endpoint: Endpoint, names: DemoNames): Draft {
  const { method, path, body, content, needsSession } = endpoint;
  const text = bodyOf(endpoint, names);
  const type = content?.mediaTypes[0] ?? (body === undefined ? undefined : "application/json");
  return {
    method,
    target: path.replace(/[:*](\w+)/g, (_, name) => parameter(endpoint, name, names)) +
      queryOf(endpoint, names),
    version: "HTTP/1.1",
    lines: [
      "Host: localhost",
      ...type === undefined ? [] : [`Content-Type: ${type}`],
      ...needsSession === true ? [`Authorization: Bearer ${tokenFor(path, names)}`] : [],
    ],
    body: text ?? "",
    framing: text === undefined ? "none" : "length",
  };
}

/** Sessions end themselves alone. */
function tokenFor(path: string, { token, sessionId }: DemoNames): string {
  return path.includes("/sessions") ? sessionId : token;
}

/** The value of a parameter of a path. */
function parameter({ path, needsSession }: Endpoint, name: string, names: DemoNames): string {
  const { nid, rid, head, changed } = names;
  const at = needsSession === true && !path.includes("/policies/") ? changed : names;
  switch (name) {
    case "project":
    case "rid":
      return at.rid;
    case "name":
      return rid;
    case "sha":
      return head;
    case "base":
      return BEFORE;
    case "oid":
      return path.includes("/blobs/") ? BLOB : MOVED;
    case "path":
      return path.includes("/tree/") ? "docs" : "docs/guide.md";
    case "peer":
    case "nid":
      return nid;
    case "delegate":
    case "did":
      return `did:key:${nid}`;
    case "id":
      return path.includes("/issues/") ? at.issue : path.includes("/patches/") ? at.patch : names.sessionId;
    case "ref":
      return "main.tar.gz";
    case "archive":
      return `${head}.zip`;
    case "file":
      if (path.includes("/pack/")) return `pack-${head}.pack`;
      return Object.keys(PAGE_FILES).find((file) => file.endsWith(".js"))!;
    default:
      throw new Error(`No good value of ${name} in ${path}`);
  }
}

/** Good values of the parameters of queries. */
function queryValues({ nid, head }: DemoNames): Readonly<Record<string, string>> {
  return {
    path: "docs",
    page: "0",
    perPage: "2",
    show: "all",
    state: "open",
    status: "open",
    sort: "rid",
    q: "maple",
    label: "care",
    assignee: nid,
    author: `did:key:${nid}`,
    parent: head,
    since: "0",
    until: "99999999999",
    oids: "true",
    follow: "false",
    diff: "stats",
    scope: "all",
    from: nid,
    mime: "text/plain",
    service: "git-upload-pack",
    prefix: "false",
    types: "issue,patch",
  };
}

function queryOf({ path, query }: Endpoint, names: DemoNames): string {
  const values = queryValues(names);
  const pairs = Object.keys(query?.entries ?? {}).map((name) => {
    if (values[name] === undefined) throw new Error(`No good value of ${name} in the query of ${path}`);
    return `${name}=${encodeURIComponent(values[name])}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function bodyOf({ name, body, content }: Endpoint, { changed, head }: DemoNames): string | undefined {
  if (content !== undefined) return pktLines(`want ${head} ofs-delta no-progress`, undefined, "done");
  if (body === undefined) return undefined;
  const example = EXAMPLES[name]?.request;
  if (example === undefined) throw new Error(`No example of ${name}`);
  // The recorded requests were to another repository.
  const others: Readonly<Record<string, string>> = {
    replyTo: changed.issue,
    revision: changed.patch,
    target: changed.parent,
    oid: changed.head,
  };
  return example.replace(
    /"(\w+)":"[\da-f]{40}"/g,
    (all, member) => others[member] === undefined ? all : `"${member}":"${others[member]}"`,
  );
}

/** Lines of git's protocol; `undefined` is a flush packet (gitprotocol-common). */
function pktLines(...lines: readonly (string | undefined)[]): string {
  return lines.map((line) =>
    line === undefined ? "0000" : `${(line.length + 5).toString(16).padStart(4, "0")}${line}\n`
  ).join("");
}
