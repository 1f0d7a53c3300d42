/** Lists of the repositories that a client may read. */
import type { Call } from "./call.ts";
import { type OpenRepository, requireDoc } from "./opened_repository.ts";
import { CoreError, UnavailableError } from "../errors.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import type { Did } from "../ids/nid.ts";
import { type RepoId, sortRids } from "../ids/rid.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { readObject } from "../git/objects.ts";
import { readHead } from "../identity/head.ts";
import { type Listings, listingsOf, type RepositoryListing } from "../ports/catalogued_storage.ts";
import { type ListedDoc, readListedDoc } from "../views/project_info.ts";

/** Selects the repositories of a list, and creates the items of the list. */
export interface Selection<T = never> {
  /** Checks whether a repository with this identity document belongs to the list. */
  isWanted(doc: IdentityDoc, rid: RepoId): boolean;
  /** Rejects when a repository lacks data that the list shows. By default, nothing is checked. */
  check?(repository: OpenRepository): Promise<unknown>;
  /**
   * Creates the item of a repository from its listing (prepared data in the storage); `undefined` to leave
   * out the repository. Without this method, the repositories are opened instead.
   */
  fromListing?(listed: ListedDoc, listing: RepositoryListing, rid: RepoId): T | undefined;
}

/**
 * Yields the repositories with the given ids that a list shows to the client. Leaves out unreadable
 * repositories, and repositories for which `check` rejects because of missing or damaged data.
 */
export async function* listedRepositories(
  call: Call,
  rids: readonly RepoId[],
  { isWanted, check }: Selection<unknown>,
): AsyncGenerator<OpenRepository> {
  for (const rid of rids) {
    await call.task.yield();
    const listed = await unlessUnreadable(async () => {
      const repository = await call.repositories.open(rid);
      if (repository?.doc === undefined || !isWanted(repository.doc, rid)) return undefined;
      await check?.(repository);
      return repository;
    });
    if (listed !== undefined) yield listed;
  }
}

/**
 * Yields all repositories that a list shows to the client, in the order of lists. Leaves out the same
 * repositories as {@link listedRepositories}. If the storage has listings, only repositories that `isWanted`
 * selects are opened.
 *
 * @param from `listings` are the listings of the storage; by default the listings are read now. `delegate` is
 * a delegate of every repository that `isWanted` selects. `skippedProjects` is the number of projects to skip
 * at the start of the list.
 */
export async function* allRepositories<T = never>(
  call: Call,
  selection: Selection<T>,
  from: {
    readonly listings?: Listings;
    readonly delegate?: Did | undefined;
    readonly skippedProjects?: number;
  } = {},
): AsyncGenerator<OpenRepository | T> {
  const { storage } = call.service;
  const listings = from.listings ?? await listingsOf(storage);
  if (listings === undefined) {
    yield* listedRepositories(call, sortRids(await storage.repositoryIds()), selection);
    return;
  }
  const { delegate, skippedProjects = 0 } = from;
  for await (const { rid, listing } of listings.all({ delegate, skippedProjects })) {
    const listed = listing === null ? undefined : readListedDoc(listing);
    if (listing !== null && (listed === undefined || !selection.isWanted(listed.doc, rid))) continue;
    if (listing === null || listed === undefined || selection.fromListing === undefined) {
      yield* listedRepositories(call, [rid], selection);
    } else {
      const item = selection.fromListing(listed, listing, rid);
      if (item !== undefined) yield item;
    }
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns the result of `load`; `undefined` when data is missing or damaged. */
export async function unlessUnreadable<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    // A temporary failure of the storage is not ignored, because the list would be incomplete.
    if (error instanceof CoreError && !(error instanceof UnavailableError)) return undefined;
    throw error;
  }
}

/**
 * Sorts repositories by the time of their latest commit (`activity`) or their number of seeds (`seeding`),
 * highest first. With `activity`, repositories without a readable head are left out.
 */
export async function sortRepositories(
  call: Call,
  repositories: readonly OpenRepository[],
  order: "activity" | "seeding",
): Promise<readonly OpenRepository[]> {
  const seeds = order === "seeding"
    ? await call.service.node.seedCounts(repositories.map(({ rid }) => rid))
    : undefined;
  const ranked: { readonly repository: OpenRepository; readonly rank: number }[] = [];
  for (const repository of repositories) {
    const rank = seeds === undefined
      ? await unlessUnreadable(() => lastActivity(repository))
      : seeds.get(repository.rid) ?? 0;
    if (rank !== undefined) ranked.push({ repository, rank });
  }
  return ranked.sort((a, b) => b.rank - a.rank).map(({ repository }) => repository);
}

/** Returns the commit time of the head in seconds; `undefined` when there is no head. */
async function lastActivity(repository: OpenRepository): Promise<number | undefined> {
  const head = await readHead(repository, requireDoc(repository));
  if (head === undefined) return undefined;
  return Number(parseCommitHeader((await readObject(repository.objects, head, "commit")).bytes).timeSeconds);
}
