/**
 * Trees written entry by entry, for what no well-behaved program would write, and repositories that answer in
 * other ways.
 */
import { joinBytes } from "../../src/bytes/bytes.ts";
import { type BlobContents, Blobs, type Sides } from "../../src/diff/blobs.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";

const encoder = new TextEncoder();

/** An entry of a tree: its mode as written, its name, its id. */
export type Entry = readonly [mode: string, name: string | Uint8Array, oid: Oid];

/** A commit that no repository has, for submodules. */
export const ELSEWHERE = "1234567890123456789012345678901234567890" as Oid;

/** An empty repository. */
export function emptyRepository(): MemoryRepository {
  return createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
}

/** Puts text or bytes as a blob. */
export function blob(repository: MemoryRepository, content: string | Uint8Array): Oid {
  return repository.put("blob", typeof content === "string" ? encoder.encode(content) : content);
}

/** Puts a tree with exactly these entries, in this order. */
export function tree(repository: MemoryRepository, ...entries: readonly Entry[]): Oid {
  return treeOf(repository, entries);
}

/** The same for many entries. */
export function treeOf(repository: MemoryRepository, entries: readonly Entry[]): Oid {
  const parts = entries.flatMap(([mode, name, oid]) => [
    encoder.encode(`${mode} `),
    typeof name === "string" ? encoder.encode(name) : name,
    new Uint8Array(1),
    oidToBytes(oid),
  ]);
  return repository.put("tree", joinBytes(parts));
}

/** The contents of the blobs of files. */
export async function contentsIn(repository: Repository, files: readonly Sides[]): Promise<BlobContents> {
  const blobs = await Blobs.of(repository, files);
  const contents = new Map<Oid, Uint8Array>();
  for await (const read of blobs.read(blobs.sizes.keys())) {
    for (const [oid, bytes] of read) contents.set(oid, bytes);
  }
  return contents;
}

/** The same repository, answering everything with promises. */
export function slowly(repository: Repository): Repository {
  return {
    rid: repository.rid,
    ref: async (name) => await repository.ref(name),
    refs: async (prefix) => await repository.refs(prefix),
    header: async (oid) => await repository.header(oid),
    object: async (oid) => await repository.object(oid),
    objects: async (oids) => await repository.objects(oids),
  };
}
