/**
 * Tables of commits as a storage has them one after the other. It takes two thirds of the time of reading
 * each commit when a child names it.
 */
import { unlessDamaged } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";
import type { StoredCommit } from "../ports/storage.ts";
import { type CommitHeader, parseCommitHeader } from "./commit.ts";
import { ABSENT } from "./commit_columns.ts";
import { type CommitTables, emptyTables } from "./commit_tables.ts";
import { withRoom } from "./oid_table.ts";

/** Most parents of a commit on the average: histories of people have little more than one. */
const MAX_MEAN_PARENTS = 4;

/**
 * Tables of all commits, whose parents may be missing; `undefined` when there are more than so many, or more
 * parents are missing than can be named.
 *
 * @param onProgress Called with the number of commits so far, for each.
 */
export function tablesOf(
  stored: Iterable<StoredCommit>,
  maxCommits: number,
  onProgress?: (commits: number) => void,
): CommitTables | undefined {
  const tables = emptyTables();
  const { commits, authors, missing } = tables;
  /** The ids of the parents of all rows. */
  let parents = new Uint8Array(OID_BYTES);
  const add = (oid: Uint8Array, { tree, timeSeconds, authorLine, parents: own }: CommitHeader) => {
    const start = commits.parentsUsed;
    const author = authors.numberOf(authorLine);
    commits.add(oid, { tree, timeSeconds, author, parents: own.map(() => ABSENT) });
    parents = withRoom(parents, commits.parentsUsed * OID_BYTES);
    own.forEach((parent: Oid, i) => writeOid(parent, parents, (start + i) * OID_BYTES));
  };
  for (const { oid, bytes } of stored) {
    const header = unlessDamaged(() => parseCommitHeader(bytes));
    if (header === undefined || commits.rowOf(oid) !== undefined) continue;
    add(oid, header);
    if (commits.size > maxCommits || commits.parentsUsed > MAX_MEAN_PARENTS * maxCommits) return undefined;
    onProgress?.(commits.size);
  }
  for (let place = 0; place < commits.parentsUsed; place++) {
    const oid = parents.subarray(place * OID_BYTES, (place + 1) * OID_BYTES);
    const row = commits.rowOf(oid);
    if (row === undefined) missing.add(oidFromBytes(oid), place);
    else commits.setParent(place, row);
  }
  return missing.isCutOff ? undefined : tables;
}
