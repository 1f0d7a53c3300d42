/** Names that the host gives to repositories: in paths, a name stands for the id. */
import { type RepoId, tryParseRid } from "../ids/rid.ts";

/** Names that are the first part of other paths. */
const RESERVED: readonly string[] = ["api", "raw", "page"];
/** Letters, digits, `.`, `_`, `-`; the first is no dot. `.git` at the end belongs to paths of git. */
const NAME = /^(?![.])(?!.*\.git$)[\w.-]{1,64}$/;

/** Names of repositories. */
export interface RepoAliases {
  /** The repository of a name. */
  resolve(name: string): RepoId | undefined;
  /** The name of a repository: of several the first in bytewise order. */
  nameOf(rid: RepoId): string | undefined;
  /** All names, in bytewise order. */
  readonly names: readonly string[];
}

/**
 * Reads names as a host gives them.
 *
 * @throws {TypeError} for a name that cannot stand in a path, or that is reserved or itself an id, and for a
 *   malformed id.
 */
export function createAliases(given: Readonly<Record<string, string>> = {}): RepoAliases {
  const byName = new Map<string, RepoId>();
  const byRid = new Map<RepoId, string>();
  for (const name of Object.keys(given).sort()) {
    if (!isAliasName(name)) throw new TypeError(`"${name}" cannot be the alias of a repository`);
    const rid = tryParseRid(given[name] ?? "");
    if (rid === undefined) throw new TypeError(`The alias "${name}" stands for no repository id`);
    byName.set(name, rid);
    if (!byRid.has(rid)) byRid.set(rid, name);
  }
  return { resolve: (name) => byName.get(name), nameOf: (rid) => byRid.get(rid), names: [...byName.keys()] };
}

/** Whether a text may be the alias of a repository. */
export function isAliasName(text: string): boolean {
  return NAME.test(text) && !RESERVED.includes(text.toLowerCase()) && tryParseRid(text) === undefined;
}
