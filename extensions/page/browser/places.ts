/**
 * Parses and formats places. A place is the part of the page's address after `#`, so the page works below any
 * path.
 */

/** A place: the decoded segments of its path, and its query. */
export interface Place {
  readonly parts: readonly string[];
  readonly query: Query;
}

export interface ViewProps {
  /** The place of the view, without the segments that name the repository. */
  readonly place: Place;
}

export interface PathProps {
  readonly revision: string;
  readonly path: string;
}

/** Values by name. An empty value is treated as absent. */
export type Query = Readonly<Record<string, string | undefined>>;

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

/** Formats the place of a repository, or of a view of the repository. */
export function inRepository(rid: string, parts: readonly string[] = [], query?: Query): string {
  return hashOf(["repositories", rid, ...parts], query);
}

/** Formats the place of a folder or a file at a revision, or of its history. */
export function atPath(
  rid: string,
  kind: "tree" | "blob" | "commits",
  revision: string,
  path: string = "",
  query?: Query,
): string {
  return inRepository(rid, [kind, revision, ...(path === "" ? [] : path.split("/"))], query);
}

/** A range of lines of a file, such as `12` or `12-20`. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** Parses line numbers; `undefined` for any other text. */
export function parseLines(text: string | undefined): Lines | undefined {
  const [, first, last] = /^\s*L?(\d{1,8})(?:\s*-\s*L?(\d{1,8}))?\s*$/.exec(text ?? "") ?? [];
  if (first === undefined) return undefined;
  const a = Number(first);
  const b = Number(last ?? first);
  return a === 0 || b === 0 ? undefined : { start: Math.min(a, b), end: Math.max(a, b) };
}

export function formatLines({ start, end }: Lines): string {
  return start === end ? `${start}` : `${start}-${end}`;
}

/** Returns the name under which the API finds a branch of a node. */
export function branchOfNode(nid: string, branch: string): string {
  return `namespaces/${nid}/refs/heads/${branch}`;
}

/**
 * Returns a short name of a revision: an object id is shortened, and the branch of a node is shown without
 * its namespace.
 */
export function shownRevision(revision: string): string {
  const [, nid, branch] = /^namespaces\/(\w+)\/refs\/heads\/(.+)$/.exec(revision) ?? [];
  if (nid !== undefined) return `${branch} of ${nid.slice(0, 12)}…`;
  return isOid(revision) ? shortOid(revision) : revision;
}

/** Checks whether a text is an object id. The content of an object never changes. */
export function isOid(text: string): boolean {
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

export function shortOid(oid: string): string {
  return oid.slice(0, 7);
}

/** Decodes a percent-encoded text. A text that cannot be decoded is returned unchanged. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
