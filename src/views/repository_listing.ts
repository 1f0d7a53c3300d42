/** Listings of repositories: made once, so that a storage has them ready for lists. */
import { memoize } from "../cache/memory.ts";
import type { Cobs } from "../cob/evaluation/store.ts";
import type { OpenedRepository } from "../git/opened_repository.ts";
import { type IdentityDoc, tryParseDoc } from "../identity/doc.ts";
import { readHead } from "../identity/head.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepositoryListing } from "../ports/storage.ts";
import { countIssues } from "./issue.ts";
import { countPatches } from "./patch.ts";

/** Parts of which a listing is made. */
export interface ListingDependencies {
  /** The identity document, and its text. */
  readonly doc: IdentityDoc;
  readonly document: string;
  readonly cobs: Cobs;
  /** Rules by which `cobs` evaluates. */
  readonly evaluation: string;
}

/**
 * Makes the listing of a repository.
 *
 * @throws {DamagedError} when its issues or patches cannot be loaded.
 */
export async function readListing(
  repository: OpenedRepository,
  { doc, document, cobs, evaluation }: ListingDependencies,
): Promise<RepositoryListing> {
  const head = await readHead(repository, doc) ?? null;
  return {
    document,
    isProject: doc.project !== undefined && head !== null,
    head,
    issues: countIssues((await cobs.issues.listed(repository)).summaries),
    patches: countPatches((await cobs.patches.listed(repository)).summaries),
    evaluation,
  };
}

/** A project as a listing tells of it. */
export interface ListedDoc {
  readonly doc: IdentityDoc;
  readonly head: Oid | undefined;
}

const listedDoc = memoize((listing: RepositoryListing): ListedDoc | "unreadable" => {
  const doc = tryParseDoc(new TextEncoder().encode(listing.document));
  // As for repositories that are opened: strangers see public ones with a document of a known version.
  if (doc?.visibility.type !== "public" || doc.readings.newest === undefined) return "unreadable";
  return { doc, head: listing.head ?? undefined };
});

/** The document in a listing, and the head; `undefined` when strangers do not see the repository. */
export function readListedDoc(listing: RepositoryListing): ListedDoc | undefined {
  const found = listedDoc(listing);
  return found === "unreadable" ? undefined : found;
}
