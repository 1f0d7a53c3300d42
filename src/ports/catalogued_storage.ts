/**
 * A storage with a catalogue of its repositories, such as a bucket, where opening all repositories takes
 * long. Most storages have no catalogue.
 */
import type { Did } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Storage } from "./storage.ts";

export interface CataloguedStorage extends Storage {
  /**
   * Lists of repositories that are read without opening each repository. They may be a few seconds older than
   * the repositories. A storage with this method must contain only public repositories.
   */
  listings(): Promise<Listings>;
  /**
   * Repositories that have changed since an earlier call. For storages where checking all repositories takes
   * long.
   *
   * @param place The place that the last call returned; `undefined` for the first call, which lists no
   *   repositories.
   */
  changesAfter(place: ChangesPlace | undefined): Promise<ChangedRepositories>;
}

export function isCatalogued(storage: Storage): storage is CataloguedStorage {
  return "listings" in storage && "changesAfter" in storage;
}

/** The lists of a storage; `undefined` without a catalogue. */
export async function listingsOf(storage: Storage): Promise<Listings | undefined> {
  return isCatalogued(storage) ? await storage.listings() : undefined;
}

/** A place among the changes of a storage. */
export interface ChangesPlace {
  /** Number of the log of changes. Numbers of changes are valid only in their own log. */
  readonly log: number;
  /** Number of changes that were reported so far. */
  readonly told: number;
}

/** Repositories that have changed. */
export interface ChangedRepositories {
  /** The place after these changes; `undefined` while the list of changes cannot be read. */
  readonly place: ChangesPlace | undefined;
  /** Ids of the changed repositories. A repository that is opened after the call has the changes. */
  readonly rids: readonly RepoId[];
  /** Whether changes were missed, so that any other repository may have changed, too. */
  readonly hasMissed: boolean;
}

/** Facts that lists show of a public repository, in one of its states. */
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

/** A repository in {@link Listings}. */
export interface ListedRepository {
  readonly rid: RepoId;
  /** Null when the repository must be opened instead. */
  readonly listing: RepositoryListing | null;
}

/** Repositories that a list may leave out. */
export interface ListingSelection {
  /**
   * Leaves out the repositories before the project with this number. Only if {@link Listings.projects} is
   * known.
   */
  readonly skippedProjects?: number | undefined;
  /** May leave out repositories whose delegates do not include this one. */
  readonly delegate?: Did | undefined;
}

/** All repositories of a storage as lists show them, in ascending order of the 20 bytes of their ids. */
export interface Listings {
  /** Number of projects; `undefined` when it is unknown without opening a repository. */
  readonly projects: number | undefined;
  /** The repositories that the selection does not leave out. */
  all(selection?: ListingSelection): AsyncIterable<ListedRepository>;
  /** Returns the ids of `rids` that the storage has. */
  present(rids: readonly RepoId[]): Promise<ReadonlySet<RepoId>>;
}
