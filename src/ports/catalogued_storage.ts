/**
 * A storage with a catalogue of its repositories, such as a bucket. A catalogue is needed only if opening all
 * repositories takes long.
 */
import type { Did } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Storage } from "./storage.ts";

export interface CataloguedStorage extends Storage {
  /**
   * Returns a list of all repositories, without opening each repository. The list may be a few seconds older
   * than the repositories. A storage with this method must contain only public repositories.
   */
  listings(): Promise<Listings>;
  /**
   * Returns the repositories that have changed since an earlier call.
   *
   * @param place The position that the previous call returned. `undefined` in the first call, which returns
   *   only the current position and no repositories.
   */
  changesAfter(place: ChangesPlace | undefined): Promise<ChangedRepositories>;
}

export function isCatalogued(storage: Storage): storage is CataloguedStorage {
  return "listings" in storage && "changesAfter" in storage;
}

/** Returns the list of all repositories; `undefined` if the storage has no catalogue. */
export async function listingsOf(storage: Storage): Promise<Listings | undefined> {
  return isCatalogued(storage) ? await storage.listings() : undefined;
}

/** A position in the log of changes of a storage. */
export interface ChangesPlace {
  /** Identifies the log. The count `told` is valid only for this log. */
  readonly log: number;
  /** Number of changes in this log that were reported so far. */
  readonly told: number;
}

/** The repositories that have changed since an earlier call. */
export interface ChangedRepositories {
  /** The position after these changes; `undefined` while the log of changes cannot be read. */
  readonly place: ChangesPlace | undefined;
  /**
   * Ids of the changed repositories. If such a repository is opened after the call, its content includes the
   * changes.
   */
  readonly rids: readonly RepoId[];
  /** Whether some changes were missed, so that any other repository may also have changed. */
  readonly hasMissed: boolean;
}

/**
 * Facts about a public repository that lists show. The facts belong to one state of the repository's
 * references.
 */
export interface RepositoryListing {
  /** Text of the identity document. */
  readonly document: string;
  /** Whether the repository has a project payload and a head. */
  readonly isProject: boolean;
  readonly head: Oid | null;
  /** Number of issues in each state. */
  readonly issues: { readonly open: number; readonly closed: number };
  readonly patches: {
    readonly open: number;
    readonly draft: number;
    readonly archived: number;
    readonly merged: number;
  };
  /** Name of the rules by which the issues and patches were evaluated. */
  readonly evaluation: string;
}

/** An item of {@link Listings}. */
export interface ListedRepository {
  readonly rid: RepoId;
  /** Facts about the repository; `null` when the repository must be opened to find these facts. */
  readonly listing: RepositoryListing | null;
}

/** Describes the repositories that a list may leave out. */
export interface ListingSelection {
  /**
   * Number of projects to leave out at the start of the list, together with the repositories before the next
   * project. Allowed only if {@link Listings.projects} is known.
   */
  readonly skippedProjects?: number | undefined;
  /** Permits the list to leave out the repositories that do not have this delegate. */
  readonly delegate?: Did | undefined;
}

/**
 * All repositories of a storage with the facts that lists show, in ascending order of the 20 bytes of their
 * ids.
 */
export interface Listings {
  /** Number of projects; `undefined` if repositories would have to be opened to count the projects. */
  readonly projects: number | undefined;
  /** Yields the repositories that `selection` does not leave out, by default all repositories. */
  all(selection?: ListingSelection): AsyncIterable<ListedRepository>;
  /** Returns the ids in `rids` whose repositories are in the storage. */
  present(rids: readonly RepoId[]): Promise<ReadonlySet<RepoId>>;
}
