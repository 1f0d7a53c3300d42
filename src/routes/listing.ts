/** Lists of repositories: those among some that a client may read. */
import type { Call, OpenRepository } from "./call.ts";
import { ApiError, DamagedError } from "../errors.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import type { Did } from "../ids/nid.ts";
import { type RepoId, sortRids } from "../ids/rid.ts";
import { readListedDoc } from "../views/repository_listing.ts";

/**
 * The repositories that a list shows to the client, in the order of the ids. Those that cannot be read, and
 * those for which `isListed` finds that something is missing or damaged, are left out.
 */
export async function* listedRepositories(
  call: Call,
  rids: readonly RepoId[],
  isListed: (repository: OpenRepository) => Promise<boolean>,
): AsyncGenerator<OpenRepository> {
  for (const rid of rids) {
    await call.task.yield();
    const listed = await unlessUnreadable(async () => {
      const repository = await call.tryRepository(rid);
      return repository !== undefined && await isListed(repository) ? repository : undefined;
    });
    if (listed !== undefined) yield listed;
  }
}

/**
 * As {@link listedRepositories}, of all repositories in the order of lists. Where the storage has listings,
 * only those are opened whose identity documents `mayBeListed` selects.
 *
 * @param delegate Of all repositories that `mayBeListed` selects.
 */
export async function* allRepositories(
  call: Call,
  mayBeListed: (doc: IdentityDoc, rid: RepoId) => boolean,
  delegate?: Did,
): AsyncGenerator<OpenRepository> {
  const { storage } = call.service;
  const isListed = ({ rid, doc }: OpenRepository) =>
    Promise.resolve(doc !== undefined && mayBeListed(doc, rid));
  if (storage.listings === undefined) {
    yield* listedRepositories(call, sortRids(await storage.repositoryIds()), isListed);
    return;
  }
  for await (const { rid, listing } of (await storage.listings()).all({ delegate })) {
    const doc = listing === null ? undefined : readListedDoc(listing)?.doc;
    if (listing === null || doc !== undefined && mayBeListed(doc, rid)) {
      yield* listedRepositories(call, [rid], isListed);
    }
  }
}

/** All repositories of a list. */
export async function collect(
  repositories: AsyncIterable<OpenRepository>,
): Promise<readonly OpenRepository[]> {
  const all: OpenRepository[] = [];
  for await (const repository of repositories) all.push(repository);
  return all;
}

/** Returns the result of `load`; `undefined` when it fails because data is missing or damaged. */
export async function unlessUnreadable<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    // A storage that cannot be read now would make the list shorter than it is.
    const isUnavailable = error instanceof ApiError && error.code === "unavailable";
    if (error instanceof DamagedError || error instanceof ApiError && !isUnavailable) return undefined;
    throw error;
  }
}
