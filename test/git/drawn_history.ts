/** Small histories for tests, and a repository that lacks a part of one. */
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";

/** A history drawn as name → [parents, time in seconds, content of the one file]. */
export type Drawing = Record<string, [parents: string, timeSeconds: number, content?: string]>;

/** Makes the history in a repository in memory. */
export function draw(drawing: Drawing) {
  const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
  const oids: Record<string, Oid> = {};
  for (const [name, [parents, timeSeconds, content = name]] of Object.entries(drawing)) {
    oids[name] = putCommit(repository, {
      folder: { file: content },
      parents: [...parents].map((parent) => oids[parent]!),
      message: name,
      timeSeconds,
      person: name === name.toUpperCase() ? "Up <up@x>" : "Low <low@x>",
    });
  }
  const names = new Map(Object.entries(oids).map(([name, oid]) => [oid, name]));
  return { repository, oids, names };
}

/** A repository that lacks some objects, and counts those that it is asked for. */
export function hiding(repository: MemoryRepository) {
  const hidden = new Set<Oid>();
  let [version, asked] = [1, 0];
  const look = <T>(oid: Oid, found: T | undefined) => {
    asked++;
    return hidden.has(oid) ? undefined : found;
  };
  return {
    hide: (oid: Oid) => void hidden.add(oid),
    show(oid: Oid) {
      hidden.delete(oid);
      version++;
    },
    change: () => void version++,
    asked() {
      const before = asked;
      asked = 0;
      return before;
    },
    repository: {
      ...repository,
      header: (oid: Oid) => look(oid, repository.header(oid)),
      object: (oid: Oid) => look(oid, repository.object(oid)),
      objects: (oids: readonly Oid[]) => oids.map((oid) => look(oid, repository.object(oid))),
      ...(repository.objectsVersion !== undefined && { objectsVersion: () => version }),
    } as MemoryRepository,
  };
}
