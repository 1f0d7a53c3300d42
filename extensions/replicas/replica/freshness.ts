/** The age of the data that a replica shows, and the header fields that give it. */
import type { Freshness } from "../storage/storage.ts";

/** Times in milliseconds since the epoch. A time is `undefined` while it is unknown. */
export interface ReplicaFreshness extends Partial<Freshness> {
  /**
   * Time of a publisher's last sign of life, by the clock of the bucket. A missing time does not mean that
   * something is wrong.
   */
  readonly publisherSeenAtMs?: number;
}

const FIELDS = [
  ["publishedAtMs", "xylem-published"],
  ["confirmedAtMs", "xylem-confirmed"],
  ["publisherSeenAtMs", "xylem-publisher-seen"],
] as const;

/**
 * Returns the header fields with HTTP dates (RFC 9110, 5.6.7), which have whole seconds. Unknown times are
 * left out.
 */
export function freshnessFields(freshness: ReplicaFreshness): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [time, name] of FIELDS) {
    const ms = freshness[time];
    if (ms !== undefined) fields[name] = new Date(ms).toUTCString();
  }
  return fields;
}
