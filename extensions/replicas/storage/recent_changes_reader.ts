/**
 * Reads which repositories have changed. It uses the object in which the publisher lists the latest changes.
 */
import type { ChangesPlace } from "../../../src/mod.ts";
import { RECENT, type RecentChange, type RecentChanges } from "../format/recent_changes.ts";
import { FreshDocument } from "./fresh_document.ts";
import type { PublisherSign } from "./publisher_sign.ts";
import type { BucketReads } from "./reads.ts";

/**
 * The object is read again after this fraction of the time for which a manifest is fresh. So a reader knows a
 * change within this fresh time, plus the time until the publisher finds the change, plus the second in which
 * the publisher collects changes.
 */
export const RECENT_FRESH_FACTOR = 0.5;

/** The changes after a position in the log of changes. */
export interface ChangesAfter {
  /** The position after these changes; `undefined` when there is no object that can be trusted. */
  readonly place: ChangesPlace | undefined;
  readonly changes: readonly RecentChange[];
  /** Whether the list may lack other changes. */
  readonly hasMissed: boolean;
}

/** The result when nothing is known about changes. */
const UNKNOWN: ChangesAfter = { place: undefined, changes: [], hasMissed: true };

export class RecentChangesReader {
  readonly #document: FreshDocument<RecentChanges>;
  readonly #publisher: Pick<PublisherSign, "isLease">;

  constructor(reads: BucketReads, publisher: Pick<PublisherSign, "isLease">) {
    this.#document = new FreshDocument(RECENT, reads, RECENT_FRESH_FACTOR * reads.freshMs);
    this.#publisher = publisher;
  }

  /**
   * Returns the changes after a position. If the position is no longer known, returns all changes in the
   * object. Without a position, returns no changes. The promise never rejects.
   */
  async after(place: ChangesPlace | undefined): Promise<ChangesAfter> {
    const recent = await this.#read().catch(() => undefined);
    if (recent === undefined) return UNKNOWN;
    const { lease, told } = recent;
    const now = { log: lease, told };
    if (place === undefined) return { place: now, changes: [], hasMissed: true };
    const start = recent.changes.length - (told - place.told);
    const isKnown = place.log === lease && start >= 0 && start <= recent.changes.length;
    const changes = recent.changes.slice(isKnown ? start : 0).filter((change) => change !== null);
    return { place: now, changes, hasMissed: !isKnown };
  }

  /**
   * Returns the object. Returns `undefined` when it is missing, cannot be read now, or is from an earlier
   * publisher.
   */
  async #read(): Promise<RecentChanges | undefined> {
    const recent = await this.#document.get();
    if (recent === undefined || !this.#document.isConfirmed) return undefined;
    return await this.#publisher.isLease(recent.lease) ? recent : undefined;
  }
}
