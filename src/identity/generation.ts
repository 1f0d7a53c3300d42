/**
 * Detects the generation of the Radicle programs that use a home. Each generation writes its own formats, and
 * may refuse the formats of another generation.
 */
import type { FileSystem } from "../ports/file_system.ts";

/**
 * Generation of Radicle programs, by the formats that they write. `2024`: the programs of February 2024.
 * `0.10`: releases 0.10 and 1.0. `1.1`: release 1.1 and later releases whose signed references have no
 * parent. `newest`: releases whose signed references have a parent.
 */
export type HomeGeneration = typeof GENERATIONS[number];

/** All generations, the oldest first. */
export const GENERATIONS = ["2024", "0.10", "1.1", "newest"] as const;

export function olderGeneration(a: HomeGeneration, b: HomeGeneration): HomeGeneration {
  return GENERATIONS.indexOf(a) < GENERATIONS.indexOf(b) ? a : b;
}

/** Facts about a home from which its generation is detected. */
export interface HomeSigns {
  /**
   * Schema version of `node/node.db`: 2 in February 2024, 5 or 6 with release 0.10, 9 in the newest
   * generation. `undefined` when the database is missing or empty.
   */
  readonly nodeVersion: number | undefined;
  /**
   * Schema version of `cobs/cache.db`: 1 with release 0.10, 2 with release 1.1, 3 in the newest generation.
   * `undefined` when the database is missing or empty, as in February 2024.
   */
  readonly cacheVersion: number | undefined;
  /**
   * `none`: the home has no repositories. `with samples`: a repository has the sample files of git, which the
   * newest programs do not create. `bare`: no repository has these files.
   */
  readonly repositories: "none" | "bare" | "with samples";
}

/** First schema version of `node/node.db` in the newest generation. */
const NEWEST_NODE_VERSION = 9;
/** First schema version of `cobs/cache.db` in the newest generation. */
const NEWEST_CACHE_VERSION = 3;
/** Schema version of `cobs/cache.db` since release 1.1. */
const CACHE_VERSION_1_1 = 2;
/** Schema version of `node/node.db` in February 2024. */
const NODE_VERSION_2024 = 2;

/**
 * Maximum number of repositories that are checked for sample files. Usually one repository is enough, unless
 * repositories were created by hand.
 */
export const MAX_REPOSITORIES_SEEN = 100;

/**
 * The first bytes of an SQLite file. The header has 100 bytes. At offset 60, it contains the schema version
 * that the application has set, as a big-endian number of four bytes.
 */
const SQLITE_MAGIC = "SQLite format 3\0";
const SQLITE_HEADER_BYTES = 100;
const USER_VERSION_AT = 60;

/** Returns the newest generation for which the home has evidence; `newest` without any evidence. */
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

/**
 * Reads the facts about a home. Repositories are checked only when the member `repositories` is read, because
 * this takes longer.
 */
export function readHomeSigns(fileSystem: FileSystem, home: string): HomeSigns {
  return {
    nodeVersion: readUserVersion(fileSystem, `${home}/node/node.db`),
    cacheVersion: readUserVersion(fileSystem, `${home}/cobs/cache.db`),
    get repositories() {
      return lookAtRepositories(fileSystem, `${home}/storage`);
    },
  };
}

/**
 * Time for which a detected generation is reused, in milliseconds. The generation changes only when the
 * programs of the home are upgraded.
 */
const GENERATION_MS = 1000;

/**
 * Creates a function that returns the generation of a home. The result is at most {@link GENERATION_MS} old.
 */
export function generationOf(
  fileSystem: FileSystem,
  home: string,
  nowMs: () => number = Date.now,
): () => HomeGeneration {
  let found: { readonly generation: HomeGeneration; readonly atMs: number } | undefined;
  return () => {
    const atMs = nowMs();
    if (found === undefined || Math.abs(atMs - found.atMs) >= GENERATION_MS) {
      found = { generation: detectGeneration(readHomeSigns(fileSystem, home)), atMs };
    }
    return found.generation;
  };
}

/**
 * Returns the schema version of a database; `undefined` when the database is missing, or no program has set
 * the version.
 */
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
