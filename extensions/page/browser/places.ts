/**
 * The places of the page. They are in the part of the address behind `#`, so they survive a reload below any
 * path.
 */

/** A place: its decoded path, in parts, and its query. */
export interface Place {
  readonly parts: readonly string[];
  readonly query: Query;
}

/** Properties of all views. */
export interface ViewProps {
  /** The place. In a repository, without the parts that name the repository. */
  readonly place: Place;
}

/** A revision and a path in the repository. */
export interface PathProps {
  readonly revision: string;
  readonly path: string;
}

/** Values by their names. An empty value counts as absent. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Parses the part of an address behind `#`. */
export function parsePlace(hash: string): Place {
  const text = hash.replace(/^#\/?/, "");
  const start = text.indexOf("?");
  const path = start < 0 ? text : text.slice(0, start);
  return {
    parts: path === "" ? [] : path.split("/").map(decode),
    query: Object.fromEntries(new URLSearchParams(start < 0 ? "" : text.slice(start + 1))),
  };
}

export function hashOf(parts: readonly string[], query: Query = {}): string {
  const path = parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":")).join("/");
  const values = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return `#/${path}${values.length === 0 ? "" : `?${new URLSearchParams(values)}`}`;
}

/** The address of a repository, or of a place in it. */
export function inRepository(rid: string, parts: readonly string[] = [], query?: Query): string {
  return hashOf(["repositories", rid, ...parts], query);
}

/** The address of a folder or a file at a commit, or of its history. */
export function atPath(
  rid: string,
  kind: "tree" | "blob" | "commits",
  revision: string,
  path: string = "",
  query?: Query,
): string {
  return inRepository(rid, [kind, revision, ...(path === "" ? [] : path.split("/"))], query);
}

/** Lines of a file: `12`, or `12-20`. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** Parses line numbers. `undefined` for any other text. */
export function parseLines(text: string | undefined): Lines | undefined {
  const [, first, last] = /^\s*L?(\d{1,8})(?:\s*-\s*L?(\d{1,8}))?\s*$/.exec(text ?? "") ?? [];
  if (first === undefined) return undefined;
  const a = Number(first);
  const b = Number(last ?? first);
  return a === 0 || b === 0 ? undefined : { start: Math.min(a, b), end: Math.max(a, b) };
}

/** Formats lines so that {@link parseLines} reads them. */
export function formatLines({ start, end }: Lines): string {
  return start === end ? `${start}` : `${start}-${end}`;
}

/** Name under which the API finds the branch of a node. */
export function branchOfNode(nid: string, branch: string): string {
  return `namespaces/${nid}/refs/heads/${branch}`;
}

/** Short name of a revision: a node's branch without its namespace, or the start of an id. */
export function shownRevision(revision: string): string {
  const [, nid, branch] = /^namespaces\/(\w+)\/refs\/heads\/(.+)$/.exec(revision) ?? [];
  if (nid !== undefined) return `${branch} of ${nid.slice(0, 12)}…`;
  return isOid(revision) ? shortOid(revision) : revision;
}

/** Whether a text is an object id, so that its content never changes. */
export function isOid(text: string): boolean {
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

/** The start of an object id. */
export function shortOid(oid: string): string {
  return oid.slice(0, 7);
}

/** Decodes a text of an address. Returns it unchanged where that fails. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
