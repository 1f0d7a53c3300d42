/** Batches of objects, read one after the other. */
import { unlessDamaged } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Awaitable, BatchLimits, GitObject } from "../ports/storage.ts";

type Found = GitObject | undefined;

/**
 * Reads objects in the order of the ids, up to the one at which `batchBytes` is reached; damaged and too
 * large objects are `undefined`. Returns at once when every object does.
 */
export function readBatch(
  read: (oid: Oid) => Found,
  oids: readonly Oid[],
  limits?: BatchLimits,
): readonly Found[];
export function readBatch(
  read: (oid: Oid) => Awaitable<Found>,
  oids: readonly Oid[],
  limits?: BatchLimits,
): Awaitable<readonly Found[]>;
export function readBatch(
  read: (oid: Oid) => Awaitable<Found>,
  oids: readonly Oid[],
  { batchBytes = Infinity }: BatchLimits = {},
): Awaitable<readonly Found[]> {
  const objects: Found[] = [];
  let bytes = 0;
  const isWhole = () => objects.length === oids.length || bytes >= batchBytes;
  const add = (object: Found) => {
    objects.push(object);
    bytes += object?.bytes.length ?? 0;
  };
  const next = () => unlessDamaged(() => read(oids[objects.length]!));
  /** Reads the rest after the first object that needs a promise. */
  const addRest = async (first: Promise<Found>) => {
    add(await first);
    while (!isWhole()) add(await next());
    return objects;
  };
  while (!isWhole()) {
    const object = next();
    if (object instanceof Promise) return addRest(object);
    add(object);
  }
  return objects;
}
