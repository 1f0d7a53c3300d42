/** Several objects read one after the other. */
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { BatchLimits, GitObject } from "../ports/storage.ts";

/** The objects of these ids, up to the one by which `batchBytes` are reached; damaged and too large ones are `undefined`. */
export function readBatch(
  read: (oid: Oid) => GitObject | undefined,
  oids: readonly Oid[],
  { batchBytes = Infinity }: BatchLimits = {},
): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = [];
  for (let bytes = 0; objects.length < oids.length && bytes < batchBytes;) {
    const object = tryRead(read, oids[objects.length]!);
    bytes += object?.bytes.length ?? 0;
    objects.push(object);
  }
  return objects;
}

function tryRead(read: (oid: Oid) => GitObject | undefined, oid: Oid): GitObject | undefined {
  try {
    return read(oid);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}
