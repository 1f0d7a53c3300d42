/**
 * The lists of a publisher: what it wants the catalogue to have. A row is put only while its repository is
 * public, and taken away at once when the repository became private meanwhile.
 */
import { Limiter } from "../../scheduling/limiter.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { RepositoryListing } from "../../ports/storage.ts";
import {
  type CatalogueChanges,
  type CatalogueDependencies,
  MAX_TRIES,
  readCatalogue,
  updateCatalogue,
} from "./catalogue_writer.ts";
import { Tombstones } from "./tombstones.ts";
import { ChangedMeanwhile } from "./published_manifest.ts";
import { CATALOGUE_KEY } from "../format/keys.ts";

/** Parts of {@link PublishedLists}. */
export interface PublishedListsDependencies extends CatalogueDependencies {
  /** Whether a repository is there and public now. */
  readonly isPublic: (rid: RepoId) => Promise<boolean>;
  /** See {@link Tombstones}. */
  readonly tombstoneLookMs?: number | undefined;
}

/** Changes the catalogue, one change after the other. */
export class PublishedLists {
  /** Repositories that no change may bring back, whatever other publishers put. */
  readonly tombstones: Tombstones;
  readonly #dependencies: PublishedListsDependencies;
  /** Published repositories that the catalogue may lack, and what it is to tell of them. */
  readonly #waiting = new Map<RepoId, RepositoryListing | null>();
  readonly #changes = new Limiter({ atOnce: 1 });
  #hasPut = false;
  #isDamaged = false;

  constructor(dependencies: PublishedListsDependencies) {
    this.#dependencies = dependencies;
    this.tombstones = new Tombstones(dependencies.tombstoneLookMs);
  }

  /** Adds a row with the next {@link flush}. */
  add(rid: RepoId, listing: RepositoryListing | null): void {
    this.#waiting.set(rid, listing);
    this.tombstones.delete(rid);
  }

  /**
   * Takes repositories out of the catalogue, and keeps them out.
   *
   * @throws {BucketError}
   */
  async hide(rids: readonly RepoId[]): Promise<void> {
    const nowMs = performance.now();
    for (const rid of rids) {
      this.#waiting.delete(rid);
      this.tombstones.add(rid, nowMs);
    }
    await this.#change(() => ({ added: new Map(), removed: new Set(rids) }));
  }

  /** Puts the rows that wait, if there are any. */
  async flush(onPut: () => void): Promise<void> {
    await this.#change(() => {
      if (this.#waiting.size > 0) onPut();
      return { added: new Map(this.#waiting), removed: new Set() };
    });
  }

  /** Adds and removes rows that were found to be missing, or left over. Puts a catalogue if there is none. */
  async correct(changes: CatalogueChanges): Promise<void> {
    await this.#change(() => changes, { needsCatalogue: true });
  }

  /**
   * Without conditional puts, a put can bring back rows that another publisher has taken away meanwhile.
   * Finds repositories in the catalogue that are not public, when this publisher has put it since the last
   * call.
   */
  async findBroughtBack(): Promise<readonly RepoId[]> {
    const hasPut = this.#hasPut;
    this.#hasPut = false;
    if (!hasPut || await this.#dependencies.bucket.conditionalPuts()) return [];
    return await this.#notPublic((await readCatalogue(this.#dependencies)).keys());
  }

  /** Whether rows were lost with a page since the last call: all are to be put again. */
  takeDamage(): boolean {
    const isDamaged = this.#isDamaged;
    this.#isDamaged = false;
    return isDamaged;
  }

  /** Changes the catalogue. The changes are asked for when no other ones are under way. */
  async #change(changesNow: () => CatalogueChanges, { needsCatalogue = false } = {}): Promise<void> {
    const leave = await this.#changes.enter();
    try {
      let { added, removed } = changesNow();
      if (needsCatalogue && added.size + removed.size === 0) {
        await updateCatalogue(this.#dependencies, { added, removed });
      }
      for (let tries = 0; added.size + removed.size > 0; tries++) {
        if (tries === MAX_TRIES) throw new ChangedMeanwhile(CATALOGUE_KEY);
        const [gone, shown] = [new Set(await this.#notPublic(added.keys())), new Map(added)];
        for (const rid of gone) {
          shown.delete(rid);
          this.#forget(rid);
        }
        for (const rid of shown.keys()) this.tombstones.delete(rid);
        const hidden = await this.#notPublic(this.tombstones.rids());
        const change = { added: shown, removed: new Set([...removed, ...gone, ...hidden]) };
        const { hasPut, isDamaged } = await updateCatalogue(this.#dependencies, change);
        this.#hasPut ||= hasPut;
        this.#isDamaged ||= isDamaged;
        for (const [rid, listing] of shown) {
          if (this.#waiting.get(rid) === listing) this.#waiting.delete(rid);
        }
        // A repository may have become private, and another publisher may have taken its row away, between
        // the look before the put and the put.
        const late = hasPut ? await this.#notPublic(shown.keys()) : [];
        for (const rid of late) this.#forget(rid);
        [added, removed] = [new Map(), new Set(late)];
      }
    } finally {
      leave();
    }
  }

  #forget(rid: RepoId): void {
    this.#waiting.delete(rid);
    this.tombstones.add(rid, performance.now());
  }

  async #notPublic(rids: Iterable<RepoId>): Promise<readonly RepoId[]> {
    const found: RepoId[] = [];
    for (const rid of rids) if (!await this.#dependencies.isPublic(rid)) found.push(rid);
    return found;
  }
}
