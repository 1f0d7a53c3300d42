/** Reads which repositories have changed, from the object in which the publisher lists the latest changes. */
import type { ChangesPlace } from "../../../src/mod.ts";
import { RECENT, type RecentChange, type RecentChanges } from "../format/recent_changes.ts";
import { FreshDocument } from "./fresh_document.ts";
import type { PublisherSign } from "./publisher_sign.ts";
import type { BucketReads } from "./reads.ts";

/**
 * The object is read again after this part of the time for which a manifest counts as fresh. So a change is
 * known within that time, the time until the publisher finds it, and the second in which the publisher
 * collects changes.
 */
export const RECENT_FRESH_FACTOR = 0.5;

/** Changes after a place. */
export interface ChangesAfter {
  /** The place after them; `undefined` without an object that can be trusted. */
  readonly place: ChangesPlace | undefined;
  readonly changes: readonly RecentChange[];
  /** Whether other changes may have been missed. */
  readonly hasMissed: boolean;
}

/** Nothing is known. */
const UNKNOWN: ChangesAfter = { place: undefined, changes: [], hasMissed: true };

export class RecentChangesReader {
  readonly #document: FreshDocument<RecentChanges>;
  readonly #publisher: Pick<PublisherSign, "isLease">;

  constructor(reads: BucketReads, publisher: Pick<PublisherSign, "isLease">) {
    this.#document = new FreshDocument(RECENT, reads, RECENT_FRESH_FACTOR * reads.freshMs);
    this.#publisher = publisher;
  }

  /**
   * The changes after a place. If the place is no longer known, all changes in the object; without a place,
   * no changes. Never rejects.
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

  /** The object, unless it is missing, damaged, or of an earlier publisher. */
  async #read(): Promise<RecentChanges | undefined> {
    const recent = await this.#document.get();
    if (recent === undefined || !this.#document.isConfirmed) return undefined;
    return await this.#publisher.isLease(recent.lease) ? recent : undefined;
  }
}
