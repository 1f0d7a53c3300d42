/** A repository whose references do not change, so that everything derived from it belongs to one state. */
import { type Ref, RefTable, type Repository } from "../../../src/mod.ts";

/**
 * Returns a view of a repository that has exactly these references. Objects are read from the repository.
 *
 * @param refs All references including `HEAD`, in bytewise order of their names.
 */
export function freezeReferences(repository: Repository, refs: readonly Ref[]): Repository {
  const table = new RefTable(refs);
  const version = repository.objectsVersion?.bind(repository);
  return {
    rid: repository.rid,
    ref: (name) => table.get(name),
    refs: (prefix) => table.list(prefix),
    header: (oid) => repository.header(oid),
    object: (oid, limits) => repository.object(oid, limits),
    objects: (oids, limits) => repository.objects(oids, limits),
    ...(version && { objectsVersion: version }),
    ...(repository.objectCount && { objectCount: () => repository.objectCount!() }),
    ...(repository.storedCommits && { storedCommits: () => repository.storedCommits!() }),
    ...(repository.commitTable && { commitTable: () => repository.commitTable!() }),
  };
}
