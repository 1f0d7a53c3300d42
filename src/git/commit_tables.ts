/** The tables of a commit graph, and where they come from. */
import type { MadeHistory } from "../ports/made_history.ts";
import { AuthorTable } from "./author_table.ts";
import { ChangedPaths } from "./changed_paths.ts";
import { CommitColumns } from "./commit_columns.ts";
import type { IndexTables } from "./index_tables.ts";
import { MissingParents } from "./missing_parents.ts";
import { OidTable } from "./oid_table.ts";

/** The tables of one repository's commits, which only grow. */
export interface CommitTables {
  readonly commits: CommitColumns;
  readonly authors: AuthorTable;
  /** The paths that commits change, as far as they are listed. */
  readonly paths: ChangedPaths;
  readonly missing: MissingParents;
}

/** Tables without commits. */
export function emptyTables(): CommitTables {
  return {
    commits: new CommitColumns(),
    authors: new AuthorTable(),
    paths: new ChangedPaths(),
    missing: new MissingParents(),
  };
}

/** Tables as they were saved. */
export function savedTables({ authors, ...tables }: IndexTables): CommitTables {
  return { ...tables, authors: new AuthorTable(authors) };
}

/** Tables that another thread has made; they are used from here on. */
export function adoptTables({ commits, authors, missing }: MadeHistory): CommitTables {
  return {
    commits: CommitColumns.adopt(commits),
    authors: new AuthorTable(OidTable.adopt(authors)),
    paths: new ChangedPaths(),
    missing: MissingParents.from(missing, missing.isCutOff),
  };
}

/** Tables as they are saved; they change with the graph. */
export function toIndexTables({ authors, ...tables }: CommitTables): IndexTables {
  return { ...tables, authors: authors.hashes };
}
