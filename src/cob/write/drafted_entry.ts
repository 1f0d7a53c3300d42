/** Makes the signed entry of a change. The entry is neither judged nor stored yet. */
import { ApiError } from "../../errors.ts";
import type { OpenedRepository } from "../../git/opened_repository.ts";
import { type Person, TRIMMING, trimPerson } from "../../git/commit.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import type { Profile } from "../../ports/profile.ts";
import type { Signer } from "../../ports/signer.ts";
import type { Repository, WritableRepository } from "../../ports/storage.ts";
import { relatedCommits, toStoredAction } from "./action_form.ts";
import type { Change } from "./change.ts";
import { type EncodedEntry, encodeEntry } from "./entry_draft.ts";
import { checkRelated } from "./related_commits.ts";
import type { WouldBeEntry } from "../evaluation/preview.ts";

/** Repository of a change, and signer of its entry. */
export interface WritePlace extends OpenedRepository {
  readonly objects: WritableRepository;
  readonly signer: Signer;
}

/** Parts with which entries are made. */
export interface DraftParts {
  readonly profile: Profile;
  /** Time of new entries, whole seconds since the Unix epoch. */
  nowSeconds(): number;
  /** The commit of the identity document in force. */
  identity(repository: Repository): Promise<Oid | undefined>;
}

/** An entry to be judged and stored. */
export interface DraftedEntry extends WouldBeEntry, Pick<EncodedEntry, "objects"> {
  readonly id: Oid;
}

/**
 * Makes the entry of a change.
 *
 * @param tips Parents of the entry in the object.
 * @throws {ApiError} `notFound` when the repository has no identity, and as `checkRelated` and `encodeEntry`
 * do.
 */
export async function draftEntry(
  parts: DraftParts,
  typeName: CachedType,
  { objects: repository, signer }: WritePlace,
  { actions, files, message }: Change,
  tips: readonly Oid[],
): Promise<DraftedEntry> {
  const related = actions.flatMap(relatedCommits);
  await checkRelated(repository, related, tips);
  const resource = await parts.identity(repository);
  if (resource === undefined) throw new ApiError("notFound", "The repository has no identity");
  const timeSeconds = parts.nowSeconds();
  const entry = await encodeEntry({
    typeName,
    actions: actions.map(toStoredAction),
    files,
    tips,
    related,
    resource,
    person: await readPerson(repository, parts.profile),
    timeSeconds,
    message,
  }, signer);
  return { ...entry, author: signer.nodeId, resource, timeSeconds };
}

/**
 * Author of the commit: the committer that the storage names, else the node's alias. Characters that a name
 * cannot have are removed; at the ends, so are the characters that libgit2 trims.
 */
async function readPerson(
  repository: WritableRepository,
  { nodeId, alias = nodeId }: Profile,
): Promise<Person> {
  const { name, email } = await repository.committer?.() ?? { name: alias, email: `${alias}@${nodeId}` };
  const clean = (text: string) => trimPerson(text.replace(/[<>\n\0]/g, ""), TRIMMING) || nodeId;
  return { name: clean(name), email: clean(email) };
}
