/** Aliases that the host gives to repositories. In paths, an alias replaces the repository id. */
import { type RepoId, tryParseRid } from "../ids/rid.ts";

/** Names that cannot be aliases, because other paths begin with them. */
const RESERVED: readonly string[] = ["api", "raw", "page"];
/**
 * Format of an alias: letters, digits, `.`, `_`, `-`. The first character must not be a dot. An alias must
 * not end in `.git`, because the paths for git end in `.git`.
 */
const NAME = /^(?![.])(?!.*\.git$)[\w.-]{1,64}$/;

export interface RepoAliases {
  resolve(name: string): RepoId | undefined;
  /** Returns the alias of a repository: the first in bytewise order, or `undefined` without an alias. */
  nameOf(rid: RepoId): string | undefined;
  /** All aliases, sorted by their bytes. */
  readonly names: readonly string[];
}

/**
 * Checks and indexes the aliases that a host gives.
 *
 * @throws {TypeError} when a name is reserved, is a repository id, or cannot be part of a path, or when a
 * repository id is malformed.
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
