/** The age of what a replica shows, and the header fields of its answers that give it. */
import type { Freshness } from "../storage/storage.ts";

/** Times in milliseconds since the epoch, `undefined` while unknown. */
export interface ReplicaFreshness extends Partial<Freshness> {
  /** The last sign of life of a publisher, by the clock of the bucket. A missing sign is not a fault. */
  readonly publisherSeenAtMs?: number;
}

const FIELDS = [
  ["publishedAtMs", "xylem-published"],
  ["confirmedAtMs", "xylem-confirmed"],
  ["publisherSeenAtMs", "xylem-publisher-seen"],
] as const;

/** The fields, with dates of HTTP (RFC 9110, 5.6.7): whole seconds. Unknown times are left out. */
export function freshnessFields(freshness: ReplicaFreshness): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [time, name] of FIELDS) {
    const ms = freshness[time];
    if (ms !== undefined) fields[name] = new Date(ms).toUTCString();
  }
  return fields;
}
