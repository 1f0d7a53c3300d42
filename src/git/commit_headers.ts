/** Reads headers of commits, which may be absent, damaged, or objects of another kind. */
import type { TimeSlices } from "../async/time_slices.ts";
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { type CommitHeader, parseCommitHeader } from "./commit.ts";
import { readBatches } from "./objects.ts";

/**
 * Size of a commit after which its reader yields, in bytes: most commits take a microsecond, one with a
 * hundred thousand parents some ten milliseconds.
 */
const LARGE_COMMIT_BYTES = 2 ** 18;

/** Reads the headers of commits. An unreadable commit is `undefined` and does not affect the others. */
export async function readCommitHeaders(
  repository: Repository,
  oids: readonly Oid[],
  slices: TimeSlices,
): Promise<readonly (CommitHeader | undefined)[]> {
  const headers: (CommitHeader | undefined)[] = [];
  for await (const { objects } of readBatches(repository, oids)) {
    for (const object of objects) {
      headers.push(object?.kind === "commit" ? tryHeader(object.bytes) : undefined);
      const isLarge = object !== undefined && object.bytes.length > LARGE_COMMIT_BYTES;
      object?.release?.();
      if (isLarge) await slices.next();
    }
  }
  return headers;
}

/** Size of a commit in bytes; `undefined` when it is absent, damaged, or not a commit. */
export async function commitSize(repository: Repository, oid: Oid): Promise<number | undefined> {
  try {
    const header = await repository.header(oid);
    return header?.kind === "commit" ? header.size : undefined;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return undefined;
  }
}

/** Whether an object is present, even if it is damaged. */
export async function isPresent(repository: Repository, oid: Oid): Promise<boolean> {
  try {
    return await repository.header(oid) !== undefined;
  } catch (error) {
    if (error instanceof DamagedError) return true;
    throw error;
  }
}

function tryHeader(bytes: Uint8Array): CommitHeader | undefined {
  try {
    return parseCommitHeader(bytes);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}
