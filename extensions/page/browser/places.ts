/**
 * Parses and formats the places of the page. A place is the part of the address behind `#`. When the page is
 * reloaded, the place stays the same, whatever the path of the page is.
 */

/** A place. It consists of the decoded segments of its path, and its query. */
export interface Place {
  readonly parts: readonly string[];
  readonly query: Query;
}

/** Properties of all views. */
export interface ViewProps {
  /** The place. Inside a repository, it does not contain the segments that name the repository. */
  readonly place: Place;
}

/** A revision, and a path in the repository at this revision. */
export interface PathProps {
  readonly revision: string;
  readonly path: string;
}

/** Values by name. An empty value is treated as absent. */
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

/** Parses line numbers. Returns `undefined` for any other text. */
export function parseLines(text: string | undefined): Lines | undefined {
  const [, first, last] = /^\s*L?(\d{1,8})(?:\s*-\s*L?(\d{1,8}))?\s*$/.exec(text ?? "") ?? [];
  if (first === undefined) return undefined;
  const a = Number(first);
  const b = Number(last ?? first);
  return a === 0 || b === 0 ? undefined : { start: Math.min(a, b), end: Math.max(a, b) };
}

/** Formats line numbers in the format that {@link parseLines} reads. */
export function formatLines({ start, end }: Lines): string {
  return start === end ? `${start}` : `${start}-${end}`;
}

/** Returns the name under which the API finds a branch of a node. */
export function branchOfNode(nid: string, branch: string): string {
  return `namespaces/${nid}/refs/heads/${branch}`;
}

/**
 * Returns a short name of a revision. The name of a branch of a node is shown without its namespace, and an
 * object id is shortened.
 */
export function shownRevision(revision: string): string {
  const [, nid, branch] = /^namespaces\/(\w+)\/refs\/heads\/(.+)$/.exec(revision) ?? [];
  if (nid !== undefined) return `${branch} of ${nid.slice(0, 12)}…`;
  return isOid(revision) ? shortOid(revision) : revision;
}

/** Checks whether a text is an object id. The content of an object with this id never changes. */
export function isOid(text: string): boolean {
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

/** Returns the start of an object id. */
export function shortOid(oid: string): string {
  return oid.slice(0, 7);
}

/** Decodes a percent-encoded text. Returns the text unchanged if it cannot be decoded. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
