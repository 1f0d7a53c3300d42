/**
 * Caches the identity document in force of repositories that do not name it (`refs/rad/id`), since finding it reads all
 * votes. An entry of the cache holds while the repository's references and objects are the same.
 */
import { LruMap } from "../../cache/lru_map.ts";
import type { FindIdentity } from "../../identity/identity.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Ref, Repository } from "../../ports/storage.ts";
import { IDENTITY_TYPE } from "./identity_action.ts";

/** Repositories with a cached document. */
const CACHED_REPOSITORIES = 64;

/** A cached result, and its inputs. */
interface CachedIdentity {
  readonly nodes: readonly Ref[];
  readonly objects: readonly Ref[];
  readonly version: number;
  readonly commit: Promise<Oid | undefined>;
}

/** Caches the results of `find`. */
export function cacheIdentities(find: FindIdentity): FindIdentity {
  const cache = new LruMap<RepoId, CachedIdentity>(CACHED_REPOSITORIES);
  return async (repository: Repository) => {
    const nodes = await repository.refs("refs/namespaces/*/refs/rad/");
    const objects = await repository.refs(`refs/namespaces/*/refs/cobs/${IDENTITY_TYPE}/`);
    const version = await repository.objectsVersion?.();
    const isSymbolic = ({ target }: Ref) => target !== undefined;
    // A change is not noticed without a version, nor behind symbolic references.
    if (version === undefined || nodes.some(isSymbolic) || objects.some(isSymbolic)) {
      return await find(repository);
    }
    const { rid } = repository;
    const cached = cache.get(rid);
    if (cached?.nodes === nodes && cached.objects === objects && cached.version === version) {
      return await cached.commit;
    }
    const commit = find(repository);
    cache.set(rid, { nodes, objects, version, commit });
    commit.catch(() => cache.delete(rid));
    return await commit;
  };
}
