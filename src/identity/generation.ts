/**
 * Detects the generation of the Radicle programs that use a home. Each generation writes its own forms, and
 * may refuse the forms of another generation.
 */
import type { FileSystem } from "../ports/file_system.ts";

/**
 * Generations of the write format. `2024`: the programs of February 2024. `0.10`: 0.10 and 1.0. `1.1`: 1.1
 * and later, without a parent in signed references. `newest`: with a parent in signed references.
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
   * Schema version of `node/node.db`: 2 in February 2024, 5 or 6 with 0.10, 9 now. `undefined` when the
   * database is missing or empty.
   */
  readonly nodeVersion: number | undefined;
  /** Schema version of `cobs/cache.db`: no version in February 2024, 1 with 0.10, 2 with 1.1, 3 now. */
  readonly cacheVersion: number | undefined;
  /**
   * `none`: there are no repositories. `with samples`: a repository has git's sample files, which the newest
   * programs do not create. `bare`: no repository has them.
   */
  readonly repositories: "none" | "bare" | "with samples";
}

/** First version of `node/node.db` of the newest programs. */
const NEWEST_NODE_VERSION = 9;
/** First version of `cobs/cache.db` of the newest programs. */
const NEWEST_CACHE_VERSION = 3;
/** Version of `cobs/cache.db` since 1.1. */
const CACHE_VERSION_1_1 = 2;
/** Version of `node/node.db` in February 2024. */
const NODE_VERSION_2024 = 2;

/**
 * Maximum number of repositories examined. Usually one is enough, unless repositories were created by hand.
 */
export const MAX_REPOSITORIES_SEEN = 100;

/**
 * SQLite's file header has 100 bytes. It begins with this text. At 60 it has the schema version of the
 * application, four bytes big-endian.
 */
const SQLITE_MAGIC = "SQLite format 3\0";
const SQLITE_HEADER_BYTES = 100;
const USER_VERSION_AT = 60;

/** The newest generation for which there is evidence. A home without evidence counts as newest. */
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
 * Reads the facts about a home. Repositories are examined only when that member is read, because it takes
 * longer.
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
 * Time for which a detected generation is reused, in milliseconds. Only an upgrade of the home's programs
 * changes it.
 */
const GENERATION_MS = 1000;

/** Returns a function for the generation of a home. The result is at most {@link GENERATION_MS} old. */
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
 * Schema version of a database. Returns `undefined` when the database is missing, or no program has set the
 * version.
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
