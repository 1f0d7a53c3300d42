/** A repository whose references stay as they were: what is derived from it belongs to one state. */
import type { Ref, Repository } from "../../ports/storage.ts";

/**
 * A view of a repository with these references, `HEAD` among them. Objects are read from the repository.
 *
 * @param refs In bytewise order of their names.
 */
export function freezeReferences(repository: Repository, refs: readonly Ref[]): Repository {
  const byName = new Map(refs.map((ref) => [ref.name, ref]));
  const lists = new Map<string, readonly Ref[]>();
  const version = repository.objectsVersion?.bind(repository);
  return {
    rid: repository.rid,
    ref: (name) => byName.get(name),
    refs(prefix) {
      let list = lists.get(prefix);
      if (list === undefined) {
        const pattern = patternOf(prefix);
        lists.set(prefix, list = refs.filter(({ name }) => name.startsWith("refs/") && pattern.test(name)));
      }
      return list;
    },
    header: (oid) => repository.header(oid),
    object: (oid, limits) => repository.object(oid, limits),
    objects: (oids, limits) => repository.objects(oids, limits),
    ...(version && { objectsVersion: version }),
  };
}

/** Names below a prefix that ends in a slash, or the name itself; `*` stands for one part of a name. */
function patternOf(prefix: string): RegExp {
  const parts = prefix.split("/").map((part) =>
    part === "*" ? "[^/]+" : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  );
  return new RegExp(`^${parts.join("/")}${prefix.endsWith("/") ? "" : "$"}`);
}
