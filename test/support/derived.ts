/** Derived data in memory, and repositories with derived data. */
import type { DerivedData, DerivedFile, DerivedRoot } from "../../src/ports/derived_data.ts";
import type { Repository } from "../../src/ports/storage.ts";

/** Derived data that a test writes and reads. */
export interface MemoryDerived extends DerivedData {
  readonly names: Map<string, string>;
  readonly files: Map<string, Uint8Array>;
  /** Digests that were read, in order. */
  readonly reads: string[];
  /** Digests that were written, in order. */
  readonly written: string[];
  write(file: DerivedFile): Promise<void>;
  /** Gives a file its name, and drops all files that cannot be reached from this root or another one. */
  publish(root: DerivedRoot): void;
}

/** Creates empty derived data. */
export function createMemoryDerived(): MemoryDerived {
  const names = new Map<string, string>();
  const files = new Map<string, Uint8Array>();
  const roots = new Map<string, DerivedRoot>();
  const [reads, written]: [string[], string[]] = [[], []];
  return {
    names,
    files,
    reads,
    written,
    named: (name) => names.get(name),
    read(digest) {
      reads.push(digest);
      return Promise.resolve(files.get(digest));
    },
    write({ digest, bytes }) {
      written.push(digest);
      files.set(digest, bytes);
      return Promise.resolve();
    },
    publish(root) {
      names.set(root.name, root.digest);
      roots.set(root.name, root);
      const used = new Set([...roots.values()].flatMap(({ files }) => files.map(({ digest }) => digest)));
      for (const digest of files.keys()) if (!used.has(digest)) files.delete(digest);
    },
  };
}

/** The repository with derived data. `onRead` is called for every object that is read. */
export function withDerived(
  repository: Repository,
  derived: DerivedData,
  onRead: (oid: string) => void = () => {},
): Repository {
  return {
    rid: repository.rid,
    derived,
    ref: (name) => repository.ref(name),
    refs: (prefix) => repository.refs(prefix),
    header: (oid) => repository.header(oid),
    object(oid, limits) {
      onRead(oid);
      return repository.object(oid, limits);
    },
    objects(oids, limits) {
      for (const oid of oids) onRead(oid);
      return repository.objects(oids, limits);
    },
    objectsVersion: async () => await repository.objectsVersion?.() ?? 0,
  };
}
