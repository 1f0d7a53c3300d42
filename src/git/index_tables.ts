/** The tables of a commit graph. */
import type { ChangedPaths } from "./changed_paths.ts";
import type { CommitColumns } from "./commit_columns.ts";
import type { MissingParents } from "./missing_parents.ts";
import type { OidTable } from "./oid_table.ts";

/** The tables of a commit graph that are saved. */
export interface IndexTables {
  readonly commits: CommitColumns;
  /** Hashes of the authors' names and addresses, by author number. */
  readonly authors: OidTable;
  readonly paths: ChangedPaths;
  readonly missing: MissingParents;
}
