/**
 * Encodes and signs an entry (a signed change of an issue or a patch), with the same bytes as the Radicle
 * programs. The entry is not stored, and its effect on the object is not checked.
 */
import { ConflictError, ifReadable, InvalidError, NotFoundError, TooLargeError } from "../../errors.ts";
import { type Person, TRIMMING, trimPerson } from "../../git/commit.ts";
import { encodeCommit, encodeTree, ObjectBatch } from "../../git/encode.ts";
import { MODE, type TreeEntry } from "../../git/tree.ts";
import { signVerified } from "../../keys/ed25519.ts";
import type { Identities } from "../../identity/identity.ts";
import { nidToPublicKey } from "../../ids/nid.ts";
import { type Oid, oidToBytes } from "../../ids/oid.ts";
import type { Signer } from "../../ports/signer.ts";
import type { GitObject, Repository, WritableRepository } from "../../ports/storage.ts";
import { canonicalJson } from "./canonical_json.ts";
import type { EmbedFile } from "./embed_files.ts";
import { MAX_ACTION_BYTES } from "../entry/entry.ts";
import { MAX_ENTRY_COMMIT_BYTES } from "../entry/entry_commit.ts";
import { formatSshSignature } from "../entry/ssh_signature.ts";
import type { OpenedRepository } from "../../git/commit_graph.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import type { Profile } from "../../ports/profile.ts";
import { type Change, relatedCommits, toStoredAction } from "./change.ts";
import type { WouldBeEntry } from "../evaluation/evaluation.ts";

/** Maximum number of actions in one entry. Readers ignore further actions. */
export const MAX_ACTIONS = 128;

/**
 * Maximum number of JSON values in the actions of one entry, including the values of properties and items.
 * Readers check all of these values without a pause.
 */
export const MAX_CHANGE_VALUES = 5_000;

export interface EntryDraft {
  /** Type of the object, such as `xyz.radicle.issue`. */
  readonly typeName: string;
  /** The actions as they are stored. At least one action, at most {@link MAX_ACTIONS}. */
  readonly actions: readonly object[];
  readonly files: readonly EmbedFile[];
  /** Ids of the entries on which the entry builds. Empty for the first entry of an object. */
  readonly tips: readonly Oid[];
  /** Commits that other nodes fetch together with the entry. */
  readonly related: readonly Oid[];
  /** Commit of the identity document in force; absent in the entry that initializes an identity. */
  readonly resource?: Oid;
  readonly person: Person;
  /** Time of the entry, in whole seconds since the Unix epoch. */
  readonly timeSeconds: number;
  readonly message: string;
}

export interface EncodedEntry {
  readonly id: Oid;
  /** The commit, the trees and the blobs of the entry. */
  readonly objects: readonly GitObject[];
  /** The actions as a reader of the entry decodes them. */
  readonly actions: readonly unknown[];
  readonly bytes: number;
}

const encoder = new TextEncoder();

/**
 * Encodes and signs an entry. The signature covers the id of the tree.
 *
 * @throws {TooLargeError} when the actions have too many bytes or values.
 * @throws {ConflictError} when the entry has too many parents.
 * @throws {UnauthorizedError} when the key is unusable.
 */
export async function encodeEntry(draft: EntryDraft, signer: Signer): Promise<EncodedEntry> {
  const { typeName, tips, resource, person, timeSeconds, message } = draft;
  const batch = new ObjectBatch();
  if (countValues(draft.actions) - 1 > MAX_CHANGE_VALUES) {
    throw new TooLargeError(`A change can have ${MAX_CHANGE_VALUES} values at most`);
  }
  const texts = draft.actions.map(canonicalJson);
  const { tree, bytes } = addTree(batch, typeName, texts, draft.files);
  const signature = await signVerified(signer, signer.nodeId, oidToBytes(tree));
  const related = [...new Set(draft.related)].sort();
  const resources = resource === undefined ? [] : [resource];
  const commit = encodeCommit({
    tree,
    parents: [...tips, ...related, ...resources],
    author: person,
    timeSeconds,
    signature: formatSshSignature({ publicKey: nidToPublicKey(signer.nodeId), signature }),
    message,
    trailers: [
      ...related.map((value) => ({ token: "Rad-Related", value })),
      ...resources.map((value) => ({ token: "Rad-Resource", value })),
    ],
  });
  if (commit.length > MAX_ENTRY_COMMIT_BYTES) {
    throw new ConflictError("The object has too many branches to be joined in one change");
  }
  return {
    id: batch.add("commit", commit),
    objects: batch.objects,
    actions: texts.map((text) => JSON.parse(text)),
    bytes,
  };
}

function addTree(
  batch: ObjectBatch,
  typeName: string,
  texts: readonly string[],
  files: readonly EmbedFile[],
): { readonly tree: Oid; readonly bytes: number } {
  if (texts.length === 0 || texts.length > MAX_ACTIONS) {
    throw new RangeError(`An entry cannot have ${texts.length} actions`);
  }
  const blobs = texts.map((text) => encoder.encode(text));
  // Unicode normalization may have made the actions longer than the request.
  const bytes = blobs.reduce((size, blob) => size + blob.length, 0);
  if (bytes > MAX_ACTION_BYTES) {
    throw new TooLargeError(`A change can have ${MAX_ACTION_BYTES} bytes of text at most`);
  }
  const entries: TreeEntry[] = blobs.map((bytes, i) => file(String(i), batch.add("blob", bytes)));
  const manifest = encoder.encode(JSON.stringify({ typeName, version: 1 }));
  entries.push(file("manifest", batch.add("blob", manifest)));
  if (files.length > 0) {
    for (const { bytes } of files) if (bytes !== undefined) batch.add("blob", bytes);
    const embeds = batch.add("tree", encodeTree(files.map(({ name, oid }) => file(name, oid))));
    entries.push({ ...file("embeds", embeds), mode: MODE.tree });
  }
  return { tree: batch.add("tree", encodeTree(entries)), bytes };
}

function file(name: string, oid: Oid): TreeEntry {
  return { mode: MODE.blob, name: encoder.encode(name), oid };
}

/** Counts the JSON values: the value itself, and all values inside it. */
function countValues(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value !== "object" || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1);
}

export interface RepositoryToWrite extends OpenedRepository {
  readonly objects: WritableRepository;
  readonly signer: Signer;
}

export interface DraftOptions {
  readonly profile: Profile;
  /** Returns the time of a new entry, in whole seconds since the Unix epoch. */
  nowSeconds(): number;
  /** Finds the commit of the identity document in force. */
  readonly identities: Pick<Identities, "commit">;
}

/** An entry whose effect on the object has not been checked, and that is not stored yet. */
export interface DraftedEntry extends WouldBeEntry, Pick<EncodedEntry, "objects"> {
  readonly id: Oid;
}

/**
 * Creates the entry of a change.
 *
 * @param tips Ids of the entries on which the entry builds.
 * @throws {NotFoundError} when the repository has no identity. Also throws the errors of {@link checkRelated}
 *   and {@link encodeEntry}.
 */
export async function draftEntry(
  options: DraftOptions,
  typeName: CachedType,
  { objects: repository, task, signer }: RepositoryToWrite,
  { actions, files, message }: Change,
  tips: readonly Oid[],
): Promise<DraftedEntry> {
  const related = actions.flatMap(relatedCommits);
  await checkRelated(repository, related, tips);
  const resource = await options.identities.commit(repository, task);
  if (resource === undefined) throw new NotFoundError("The repository has no identity");
  const timeSeconds = options.nowSeconds();
  const entry = await encodeEntry({
    typeName,
    actions: actions.map(toStoredAction),
    files,
    tips,
    related,
    resource,
    person: await readPerson(repository, options.profile),
    timeSeconds,
    message,
  }, signer);
  return { ...entry, author: signer.nodeId, resource, timeSeconds };
}

/**
 * Returns the author of the commit. If the storage defines no committer, the alias of the node is used as the
 * name. Characters that a name in a commit cannot have are removed.
 */
async function readPerson(
  repository: WritableRepository,
  { nodeId, alias = nodeId }: Profile,
): Promise<Person> {
  const { name, email } = await repository.committer?.() ?? { name: alias, email: `${alias}@${nodeId}` };
  const clean = (text: string) => trimPerson(text.replace(/[<>\n\0]/g, ""), TRIMMING) || nodeId;
  return { name: clean(name), email: clean(email) };
}

/**
 * Checks that an id belongs to a commit.
 *
 * @throws {NotFoundError} when the object does not exist.
 * @throws {InvalidError} when the object is not a commit.
 */
export async function checkCommit(repository: Repository, oid: Oid): Promise<void> {
  const header = await ifReadable(() => repository.header(oid));
  if (header === undefined) throw new NotFoundError(`Commit ${oid} was not found`);
  if (header.kind !== "commit") {
    throw new InvalidError(`Object ${oid} is a ${header.kind}, no commit`);
  }
}

/**
 * Checks the commits to which a change refers.
 *
 * @param tips Ids of the entries on which the new entry builds. A related commit must not be among them,
 *   because readers do not treat related commits as entries.
 * @throws {CoreError} the errors of {@link checkCommit}, and {@link InvalidError} for a related commit in
 *   `tips`.
 */
export async function checkRelated(
  repository: Repository,
  related: readonly Oid[],
  tips: readonly Oid[],
): Promise<void> {
  for (const oid of related) {
    await checkCommit(repository, oid);
    if (tips.includes(oid)) {
      throw new InvalidError(`Commit ${oid} is an entry of the object itself`);
    }
  }
}
