/**
 * Encodes and decodes what git's commit-graph file leaves out: the authors of its commits, and the paths that
 * its commits change. The format is one zlib stream of the following parts, with big-endian numbers:
 *
 * ```text
 * version, commits, authors, paths   4 bytes each: the version of the format, and how many of each follow
 * a hash for each author            20 bytes (AuthorTable)
 * an author for each commit          4 bytes: index in the list of authors
 * a state for each commit            1 byte (Listing)
 * a number for each commit           2 bytes: how many paths the commit changes
 * a hash for each path               4 bytes: the paths of all commits, in the order of the commits
 * ```
 */
import { viewOf } from "../bytes/bytes.ts";
import { compressed, decompressed } from "../bytes/compressed.ts";
import { DamagedError } from "../errors.ts";
import { OID_BYTES } from "../ids/oid.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import type { Task } from "../scheduling/task.ts";
import { Listing, MAX_LISTED_PATHS } from "./changed_paths.ts";

/** Version of the format. Increase it when the meaning of any byte changes. */
const DETAILS_VERSION = 1;
/** Maximum size of the details of a commit graph before compression, in bytes. */
export const MAX_DETAILS_BYTES: number = 2 ** 26;
const HEADER_BYTES = 16;
/** Size of a commit without its paths, in bytes. */
const COMMIT_BYTES = 7;
const HASH_BYTES = 4;
/** Number of commits or paths that are processed in one step, which takes less than a millisecond. */
const AT_ONCE = 4096;

/** The columns of a history that a commit graph lacks. */
export type CommitDetails = Pick<
  HistoryColumns,
  "authors" | "authorHashes" | "listings" | "hashes" | "pathEnds"
>;

/** Encodes the details of commits. Returns `undefined` when they are too large. */
export async function encodeDetails(
  details: CommitDetails,
  task: Task,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { authors, authorHashes, listings, hashes, pathEnds } = details;
  const commits = authors.length;
  const authorsAt = HEADER_BYTES + authorHashes.length;
  const length = authorsAt + COMMIT_BYTES * commits + HASH_BYTES * hashes.length;
  if (length > MAX_DETAILS_BYTES) return undefined;
  const bytes = new Uint8Array(length);
  const view = viewOf(bytes);
  const header = [DETAILS_VERSION, commits, authorHashes.length / OID_BYTES, hashes.length];
  for (const [i, number] of header.entries()) view.setUint32(4 * i, number);
  bytes.set(authorHashes, HEADER_BYTES);
  bytes.set(listings, authorsAt + 4 * commits);
  const countsAt = authorsAt + 5 * commits;
  for (let row = 0; row < commits; row++) {
    if (row % AT_ONCE === 0) await task.yield();
    view.setUint32(authorsAt + 4 * row, authors[row]!);
    view.setUint16(countsAt + 2 * row, pathEnds[row]! - (row === 0 ? 0 : pathEnds[row - 1]!));
  }
  const hashesAt = countsAt + 2 * commits;
  for (let i = 0; i < hashes.length; i++) {
    if (i % AT_ONCE === 0) await task.yield();
    view.setUint32(hashesAt + HASH_BYTES * i, hashes[i]!);
  }
  return await compressed(bytes);
}

/**
 * Decodes the details of commits.
 *
 * @param commits Number of commits in the commit graph.
 * @throws {DamagedError} when the bytes are not the details of so many commits.
 */
export async function decodeDetails(packed: Uint8Array, commits: number, task: Task): Promise<CommitDetails> {
  const bytes = await decompressed(packed, MAX_DETAILS_BYTES) ?? new Uint8Array(0);
  if (bytes.length < HEADER_BYTES) damaged();
  const view = viewOf(bytes);
  const [version, count, people, paths] = [0, 1, 2, 3].map((i) => view.getUint32(4 * i)) as [
    number,
    number,
    number,
    number,
  ];
  const authorsAt = HEADER_BYTES + OID_BYTES * people;
  const length = authorsAt + COMMIT_BYTES * commits + HASH_BYTES * paths;
  if (version !== DETAILS_VERSION || count !== commits || length !== bytes.length) damaged();
  const listingsAt = authorsAt + 4 * commits;
  const countsAt = listingsAt + commits;
  const hashesAt = countsAt + 2 * commits;
  const details = {
    authorHashes: bytes.slice(HEADER_BYTES, authorsAt),
    authors: new Uint32Array(commits),
    listings: bytes.slice(listingsAt, countsAt),
    pathEnds: new Uint32Array(commits),
    hashes: new Uint32Array(paths),
  };
  let end = 0;
  for (let row = 0; row < commits; row++) {
    if (row % AT_ONCE === 0) await task.yield();
    const author = details.authors[row] = view.getUint32(authorsAt + 4 * row);
    const changed = view.getUint16(countsAt + 2 * row);
    const listing = details.listings[row]!;
    const isPossible = author < people && listing <= Listing.without && changed <= MAX_LISTED_PATHS &&
      (changed === 0 || listing === Listing.listed);
    if (!isPossible) damaged();
    details.pathEnds[row] = end += changed;
  }
  if (end !== paths) damaged();
  for (let i = 0; i < paths; i++) {
    if (i % AT_ONCE === 0) await task.yield();
    details.hashes[i] = view.getUint32(hashesAt + HASH_BYTES * i);
  }
  return details;
}

/** @throws {DamagedError} */
function damaged(): never {
  throw new DamagedError("The details of a commit graph are damaged");
}
