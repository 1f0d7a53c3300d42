/**
 * A storage with a catalogue of its repositories, where opening all of them takes long, such as a bucket.
 * Most storages have none.
 */
import type { Did } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Storage } from "./storage.ts";

/** A storage with a catalogue. */
export interface CataloguedStorage extends Storage {
  /**
   * Lists that need not open each repository. A storage has them where opening many takes long; it shows
   * nothing else then than public repositories. They may be a few seconds older than the repositories.
   */
  listings(): Promise<Listings>;
  /**
   * Repositories that have changed since an earlier call. A storage has it where looking at all takes long.
   *
   * @param place That of the last call; `undefined` for the first one, which names none.
   */
  changesAfter(place: ChangesPlace | undefined): Promise<ChangedRepositories>;
}

/** Whether a storage has a catalogue. */
export function isCatalogued(storage: Storage): storage is CataloguedStorage {
  return "listings" in storage && "changesAfter" in storage;
}

/** The lists of a storage; `undefined` for storages without a catalogue. */
export async function listingsOf(storage: Storage): Promise<Listings | undefined> {
  return isCatalogued(storage) ? await storage.listings() : undefined;
}

/** A place among the changes of a storage. */
export interface ChangesPlace {
  /** The log of changes: another one has other numbers. */
  readonly log: number;
  /** Changes that it has told of. */
  readonly told: number;
}

/** Repositories that have changed. */
export interface ChangedRepositories {
  /** The place after them; `undefined` while nobody tells of changes. */
  readonly place: ChangesPlace | undefined;
  /** Their ids. A repository that is opened after the call has the changes. */
  readonly rids: readonly RepoId[];
  /** Whether any other repository may have changed, too. */
  readonly hasMissed: boolean;
}

/** Shown by lists of a public repository, in one of its states. */
export interface RepositoryListing {
  /** Text of the identity document. */
  readonly document: string;
  /** Whether it has a project payload and a head. */
  readonly isProject: boolean;
  readonly head: Oid | null;
  /** Numbers of issues and patches by state. */
  readonly issues: { readonly open: number; readonly closed: number };
  readonly patches: {
    readonly open: number;
    readonly draft: number;
    readonly archived: number;
    readonly merged: number;
  };
  /** Rules by which issues and patches were evaluated. */
  readonly evaluation: string;
}

/** A repository of {@link Listings}. */
export interface ListedRepository {
  readonly rid: RepoId;
  /** Null when the repository has to be opened. */
  readonly listing: RepositoryListing | null;
}

/** Repositories that a list does not need. */
export interface ListingSelection {
  /**
   * Leaves out repositories that come before the project of this number. Only where {@link Listings.projects}
   * is known.
   */
  readonly skippedProjects?: number | undefined;
  /** May leave out repositories of which this is no delegate. */
  readonly delegate?: Did | undefined;
}

/** All repositories of a storage as lists show them, in ascending order of the 20 bytes of their ids. */
export interface Listings {
  /** Number of projects; `undefined` when a repository has to be opened to tell. */
  readonly projects: number | undefined;
  /** The repositories. Those that are left out need not be read. */
  all(selection?: ListingSelection): AsyncIterable<ListedRepository>;
  /** Those of some repositories that are there. */
  present(rids: readonly RepoId[]): Promise<ReadonlySet<RepoId>>;
}
