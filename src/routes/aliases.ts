/** Aliases that the host gives to repositories. In paths, an alias stands for the repository id. */
import { type RepoId, tryParseRid } from "../ids/rid.ts";

/** Reserved, because other paths begin with them. */
const RESERVED: readonly string[] = ["api", "raw", "page"];
/** Letters, digits, `.`, `_`, `-`; the first is not a dot. A final `.git` belongs to the paths of git. */
const NAME = /^(?![.])(?!.*\.git$)[\w.-]{1,64}$/;

/** Aliases of repositories. */
export interface RepoAliases {
  resolve(name: string): RepoId | undefined;
  /** The alias of a repository; if it has several, the first in bytewise order. */
  nameOf(rid: RepoId): string | undefined;
  /** All aliases, in bytewise order. */
  readonly names: readonly string[];
}

/**
 * Checks and indexes the aliases that a host gives.
 *
 * @throws {TypeError} for a name that cannot be in a path, is reserved or is itself an id, and for a
 *   malformed id.
 */
export function createAliases(given: Readonly<Record<string, string>> = {}): RepoAliases {
  const byName = new Map<string, RepoId>();
  const byRid = new Map<RepoId, string>();
  for (const name of Object.keys(given).sort()) {
    if (!isAliasName(name)) throw new TypeError(`"${name}" cannot be the alias of a repository`);
    const rid = tryParseRid(given[name] ?? "");
    if (rid === undefined) throw new TypeError(`The alias "${name}" does not name a repository id`);
    byName.set(name, rid);
    if (!byRid.has(rid)) byRid.set(rid, name);
  }
  return { resolve: (name) => byName.get(name), nameOf: (rid) => byRid.get(rid), names: [...byName.keys()] };
}

export function isAliasName(text: string): boolean {
  return NAME.test(text) && !RESERVED.includes(text.toLowerCase()) && tryParseRid(text) === undefined;
}
