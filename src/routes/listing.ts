/** Lists of repositories: those among some that a client may read. */
import type { Call, OpenRepository } from "./call.ts";
import { ApiError, DamagedError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import { TimeSlices } from "../async/time_slices.ts";

/**
 * The repositories that a list shows to the client, in the order of the ids. Those that cannot be read, and
 * those for which `isListed` finds that something is missing or damaged, are left out.
 */
export async function* listedRepositories(
  call: Call,
  rids: readonly RepoId[],
  isListed: (repository: OpenRepository) => Promise<boolean>,
): AsyncGenerator<OpenRepository> {
  const slices = new TimeSlices();
  for (const rid of rids) {
    await slices.next();
    const listed = await unlessUnreadable(async () => {
      const repository = await call.tryRepository(rid);
      return repository !== undefined && await isListed(repository) ? repository : undefined;
    });
    if (listed !== undefined) yield listed;
  }
}

/** As {@link listedRepositories}, all of them. */
export async function allListed(
  call: Call,
  rids: readonly RepoId[],
  isListed: (repository: OpenRepository) => Promise<boolean>,
): Promise<readonly OpenRepository[]> {
  const all: OpenRepository[] = [];
  for await (const repository of listedRepositories(call, rids, isListed)) all.push(repository);
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
