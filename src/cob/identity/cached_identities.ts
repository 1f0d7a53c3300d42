/**
 * Caches the identity document in force of repositories without `refs/rad/id`, since finding it reads all
 * votes. A cached result is valid while the repository's references and objects are the same.
 */
import { Memory } from "../../cache/memory.ts";
import type { FindIdentity } from "../../identity/identity.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Ref } from "../../ports/storage.ts";
import { Task } from "../../scheduling/task.ts";
import { IDENTITY_TYPE } from "./proposal.ts";

/** Memory of a cached result besides its references, and of a reference, in bytes, about. */
const RESULT_BYTES = 512;
const REF_BYTES = 128;

interface CachedIdentity {
  readonly nodes: readonly Ref[];
  readonly objects: readonly Ref[];
  readonly version: number;
  readonly commit: Promise<Oid | undefined>;
}

/** Caches the results of `find`. */
export function cacheIdentities(
  find: FindIdentity,
  memory: Memory = new Memory(),
): FindIdentity {
  const cache = memory.map<RepoId, CachedIdentity>(
    "identities",
    ({ nodes, objects }) => RESULT_BYTES + REF_BYTES * (nodes.length + objects.length),
  );
  return async (repository, task) => {
    const nodes = await repository.refs("refs/namespaces/*/refs/rad/");
    const objects = await repository.refs(`refs/namespaces/*/refs/cobs/${IDENTITY_TYPE}/`);
    const version = await repository.objectsVersion?.();
    const isSymbolic = ({ target }: Ref) => target !== undefined;
    // Without a version, or with symbolic references, changes would go unnoticed.
    if (version === undefined || nodes.some(isSymbolic) || objects.some(isSymbolic)) {
      return await find(repository, task);
    }
    const { rid } = repository;
    const cached = cache.get(rid);
    if (cached?.nodes === nodes && cached.objects === objects && cached.version === version) {
      return await cached.commit;
    }
    // A separate task, because other requests may wait for the same result, and with a higher priority.
    const commit = find(repository, new Task());
    cache.set(rid, { nodes, objects, version, commit });
    commit.catch(() => cache.delete(rid));
    return await commit;
  };
}
