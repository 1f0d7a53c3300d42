/**
 * Caches which identity document is in force in a repository without `refs/rad/id`, because finding that
 * document requires reading all votes. A cached result is valid while the references and the objects of the
 * repository are unchanged.
 */
import { Memory } from "../../cache/memory.ts";
import type { FindIdentity } from "../../identity/identity.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Ref } from "../../ports/storage.ts";
import { Task } from "../../scheduling/task.ts";
import { IDENTITY_TYPE } from "./proposal.ts";

/** Estimated memory of a cached result without its references, and of one reference, in bytes. */
const RESULT_BYTES = 512;
const REF_BYTES = 128;

interface CachedIdentity {
  readonly nodes: readonly Ref[];
  readonly objects: readonly Ref[];
  readonly version: number;
  readonly commit: Promise<Oid | undefined>;
}

/** Returns a function that calls `find`, and caches the results. */
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
    // Nothing is cached if the repository has no version number of its objects, or has symbolic references,
    // because a change could then be missed.
    if (version === undefined || nodes.some(isSymbolic) || objects.some(isSymbolic)) {
      return await find(repository, task);
    }
    const { rid } = repository;
    const cached = cache.get(rid);
    if (cached?.nodes === nodes && cached.objects === objects && cached.version === version) {
      return await cached.commit;
    }
    // The search has a separate task, because requests with a higher priority may wait for the same result.
    const commit = find(repository, new Task());
    cache.set(rid, { nodes, objects, version, commit });
    commit.catch(() => cache.delete(rid));
    return await commit;
  };
}
