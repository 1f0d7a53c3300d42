/** Missing parents of commits, and the positions that wait for them. */
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";
import { grownLength } from "./oid_table.ts";

/**
 * Maximum number of cached missing parents of a repository, 24 bytes each. A sound repository has none;
 * further ones are never looked up again.
 */
export const MAX_MISSING_PARENTS = 65_536;

const FIRST_ENTRIES = 16;

/** Missing parents in their saved form. */
export interface SavedMissing {
  /** 20 bytes each. */
  readonly oids: Uint8Array;
  /** Their indexes among the parents of all commits. */
  readonly places: Uint32Array;
}

/** A bounded list of missing parents, unordered. */
export class MissingParents {
  #oids: Uint8Array = new Uint8Array(FIRST_ENTRIES * OID_BYTES);
  #places: Uint32Array = new Uint32Array(FIRST_ENTRIES);
  #size = 0;
  #isCutOff = false;
  #next = 0;

  get size(): number {
    return this.#size;
  }

  /** Approximate memory of the list, in bytes. */
  get memoryBytes(): number {
    return this.#oids.byteLength + this.#places.byteLength;
  }

  /** Whether more than {@link MAX_MISSING_PARENTS} parents were missing. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** Adds a parent and its index among the parents of all commits. */
  add(oid: Oid, place: number): void {
    if (this.#size === MAX_MISSING_PARENTS) {
      this.#isCutOff = true;
      return;
    }
    if (this.#size === this.#places.length) {
      const length = Math.min(grownLength(this.#size, this.#size + 1), MAX_MISSING_PARENTS);
      const [oids, places] = [this.#oids, this.#places];
      this.#oids = new Uint8Array(length * OID_BYTES);
      this.#oids.set(oids);
      this.#places = new Uint32Array(length);
      this.#places.set(places);
    }
    writeOid(oid, this.#oids, this.#size * OID_BYTES);
    this.#places[this.#size++] = place;
  }

  /** The next parent in round-robin order; `undefined` when there is none. */
  look(): { readonly oid: Oid; readonly place: number } | undefined {
    if (this.#size === 0) return undefined;
    if (this.#next >= this.#size) this.#next = 0;
    const at = this.#next++;
    return { oid: oidFromBytes(this.#oids, at * OID_BYTES), place: this.#places[at]! };
  }

  /** Removes the parent that {@link look} returned last. */
  drop(): void {
    const [at, last] = [--this.#next, --this.#size];
    this.#oids.copyWithin(at * OID_BYTES, last * OID_BYTES, (last + 1) * OID_BYTES);
    this.#places[at] = this.#places[last]!;
  }

  /** Views of the whole list, to be copied at once: they change with the list. */
  save(): SavedMissing {
    return {
      oids: this.#oids.subarray(0, this.#size * OID_BYTES),
      places: this.#places.subarray(0, this.#size),
    };
  }

  /**
   * Restores a saved list.
   *
   * @param isCutOff Whether more parents were missing.
   */
  static from({ oids, places }: SavedMissing, isCutOff = false): MissingParents {
    const missing = new MissingParents();
    missing.#isCutOff = isCutOff;
    places.forEach((place, i) => missing.add(oidFromBytes(oids, i * OID_BYTES), place));
    return missing;
  }
}
