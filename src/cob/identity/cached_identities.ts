/** Remembers which document is in force where a repository does not name it, for as long as nothing has changed: to find it takes a look at all votes. */
import { LruMap } from "../../cache/lru_map.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Ref, Repository } from "../../ports/storage.ts";
import type { FindIdentity } from "../../identity/identity.ts";
import { IDENTITY_TYPE } from "./identity.ts";

/** Repositories whose document is remembered. */
const CACHED_REPOSITORIES = 64;

/** What was found, and what it follows from. */
interface Found {
  readonly nodes: readonly Ref[];
  readonly objects: readonly Ref[];
  readonly version: number;
  readonly commit: Promise<Oid | undefined>;
}

/** Finds identities as `find` does, each once while its repository's references and objects stay as they are. */
export function cacheIdentities(find: FindIdentity): FindIdentity {
  const known = new LruMap<RepoId, Found>(CACHED_REPOSITORIES);
  return async (repository: Repository) => {
    const nodes = await repository.refs("refs/namespaces/*/refs/rad/");
    const objects = await repository.refs(`refs/namespaces/*/refs/cobs/${IDENTITY_TYPE}/`);
    const version = await repository.objectsVersion?.();
    const isSymbolic = ({ target }: Ref) => target !== undefined;
    // Without a version, and where references lead to others, nobody can tell whether all is as it was.
    if (version === undefined || nodes.some(isSymbolic) || objects.some(isSymbolic)) {
      return await find(repository);
    }
    const { rid } = repository;
    const found = known.get(rid);
    if (found?.nodes === nodes && found.objects === objects && found.version === version) {
      return await found.commit;
    }
    const commit = find(repository);
    known.set(rid, { nodes, objects, version, commit });
    commit.catch(() => known.delete(rid));
    return await commit;
  };
}
