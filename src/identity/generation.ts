/** Which generation of the Radicle programs works on a home. They write different things, and what one has written another may refuse. */
import type { FileSystem } from "../ports/file_system.ts";

/**
 * Generations by how they write: the programs of February 2024; 0.10 and 1.0; 1.1 and what followed, until signed
 * references began to name their predecessor; those that do.
 */
export type HomeGeneration = "2024" | "0.10" | "1.1" | "newest";

/** What a home tells about the programs that work on it. */
export interface HomeSigns {
  /** Schema version of `node/node.db`: 2 in February 2024, 5 or 6 with 0.10, 9 now. `undefined` when there is no such database, or it is empty. */
  readonly nodeVersion: number | undefined;
  /** Schema version of `cobs/cache.db`: none in February 2024, 1 with 0.10, 2 with 1.1, 3 now. */
  readonly cacheVersion: number | undefined;
  /** Whether there are repositories, and any of them has git's sample files, which the newest programs do not make. */
  readonly repositories: "none" | "bare" | "with samples";
}

/** First version of `node/node.db` that the newest programs have. */
const NEWEST_NODE_VERSION = 9;
/** First version of `cobs/cache.db` that the newest programs have. */
const NEWEST_CACHE_VERSION = 3;
/** Version of `cobs/cache.db` since 1.1. */
const CACHE_VERSION_1_1 = 2;
/** Version of `node/node.db` in February 2024. */
const NODE_VERSION_2024 = 2;

/** Repositories that are looked at: one is enough, but for those that were made by hand. */
export const MAX_REPOSITORIES_SEEN = 100;

/** SQLite's file header: it begins so, has 100 bytes, and the application's schema version at 60, four bytes, the highest first. */
const SQLITE_MAGIC = "SQLite format 3\0";
const SQLITE_HEADER_BYTES = 100;
const USER_VERSION_AT = 60;

/** The newest generation that has left a sign. A home that tells nothing counts as new. */
export function detectGeneration(signs: HomeSigns): HomeGeneration {
  const { nodeVersion, cacheVersion } = signs;
  if (nodeVersion === undefined && cacheVersion === undefined) {
    return signs.repositories === "with samples" ? "2024" : "newest";
  }
  if ((nodeVersion ?? 0) >= NEWEST_NODE_VERSION || (cacheVersion ?? 0) >= NEWEST_CACHE_VERSION) {
    return "newest";
  }
  if (cacheVersion === CACHE_VERSION_1_1) return "1.1";
  return cacheVersion !== undefined || (nodeVersion ?? 0) > NODE_VERSION_2024 ? "0.10" : "2024";
}

/** Looks for the signs in a home. Repositories are looked at when they are asked for: it takes longer. */
export function readHomeSigns(fileSystem: FileSystem, home: string): HomeSigns {
  return {
    nodeVersion: readUserVersion(fileSystem, `${home}/node/node.db`),
    cacheVersion: readUserVersion(fileSystem, `${home}/cobs/cache.db`),
    get repositories() {
      return lookAtRepositories(fileSystem, `${home}/storage`);
    },
  };
}

/** Schema version of a database; `undefined` when there is none, or no program has given it one yet. */
function readUserVersion(fileSystem: FileSystem, path: string): number | undefined {
  const file = fileSystem.open(path);
  if (file === undefined) return undefined;
  try {
    const header = new Uint8Array(SQLITE_HEADER_BYTES);
    const isWhole = file.read(header, 0) === header.length;
    const magic = new TextDecoder().decode(header.subarray(0, SQLITE_MAGIC.length));
    if (!isWhole || magic !== SQLITE_MAGIC) return undefined;
    return new DataView(header.buffer).getUint32(USER_VERSION_AT) || undefined;
  } finally {
    file.close();
  }
}

function lookAtRepositories(fileSystem: FileSystem, storage: string): HomeSigns["repositories"] {
  const repositories = (fileSystem.list(storage) ?? []).map(({ name }) => `${storage}/${name}`)
    .filter((path) => fileSystem.stat(`${path}/objects`)?.kind === "directory")
    .slice(0, MAX_REPOSITORIES_SEEN);
  if (repositories.length === 0) return "none";
  return repositories.some((path) => fileSystem.stat(`${path}/description`)) ? "with samples" : "bare";
}
