/**
 * Publishes one repository. It first sends the objects that the bucket lacks, and then puts the manifest, so
 * that readers see either the old state or the new state.
 */
import {
  isUnreadable,
  type Oid,
  type Ref,
  type RepoId,
  type Repository,
  type RepositoryListing,
  resolveRef,
} from "../../../src/mod.ts";
import { MAX_LISTED_DOCUMENT_LENGTH } from "../format/schemas.ts";
import { contentKey, gitFileKey, parseKey, sha256Of } from "../format/keys.ts";
import {
  type Manifest,
  manifestOf,
  PUBLISHED_FORMAT,
  type PublishedGraph,
  type ReferencesFile,
} from "../format/manifest.ts";
import { digestOfReferences, encodeReferences, MAX_INLINE_REFERENCES_BYTES } from "../format/references.ts";
import { ChangedMeanwhile, type Found, readManifest, replaceObject } from "./changing_object.ts";
import { publishDerived } from "./derived_publication.ts";
import { freezeReferences } from "./frozen_repository.ts";
import { type GitRef, putGitFiles } from "./git_files.ts";
import { NoLongerPublic, ObjectSender } from "./object_sender.ts";
import { publishGraph } from "./graph_publication.ts";
import { type PublishedPacks, publishPacks } from "./pack_publication.ts";
import type { PublicationOptions } from "./publication_options.ts";
import { type PublishedRefs, readPublishedRefs, readTips } from "./published_tips.ts";
import { shownReferences } from "./shown_references.ts";

/** Maximum number of attempts to publish a repository whose references keep changing. */
export const MAX_TRIES = 20;
/**
 * Maximum number of attempts to publish a repository whose objects cannot be read. They may be readable again
 * when another program has finished its work on the repository.
 */
const MAX_UNREADABLE_TRIES = 3;

/** Objects of a repository that must be sent again although its references have not changed. */
export interface Repair {
  /** Keys of objects that the bucket has lost. */
  readonly lost: ReadonlySet<string>;
  /** Whether all packs are made anew, so that they have exactly the objects to which references lead. */
  readonly remakesPacks: boolean;
}

/** Nothing is sent again. */
export const NO_REPAIR: Repair = { lost: new Set(), remakesPacks: false };

/**
 * The result of a publication: `absent` when the repository does not exist or is not public, `none` when it
 * has not changed.
 */
export type Publication =
  | { readonly rid: RepoId; readonly change: "absent" }
  | { readonly rid: RepoId; readonly change: "none"; readonly listing: RepositoryListing | null }
  | {
    readonly rid: RepoId;
    readonly change: "published";
    readonly stateNumber: number;
    /** Number of objects in new packs. */
    readonly objects: number;
    /** Number of bytes that were sent, without the manifest. */
    readonly sentBytes: number;
    /** Whether references lead to objects that the storage lacks. */
    readonly isIncomplete: boolean;
    /** The data that lists show; null when a list has to read the repository itself. */
    readonly listing: RepositoryListing | null;
  };

/** The public state of a repository. */
interface ShownState {
  /** The repository with exactly the references that are published. */
  readonly repository: Repository;
  readonly shallow: Iterable<Oid>;
  readonly refs: readonly Ref[];
  readonly text: Uint8Array<ArrayBuffer>;
  readonly digest: string;
  /** Time before the references were read, in milliseconds since the epoch. */
  readonly readAtMs: number;
}

/**
 * Publishes a repository if it has changed. The publication is repeated until the published state is the
 * state in the storage, at most {@link MAX_TRIES} times.
 *
 * @throws {BucketError} when the bucket fails. Readers then see the earlier state.
 */
export async function publishRepository(
  options: PublicationOptions,
  rid: RepoId,
  repair: Repair = NO_REPAIR,
): Promise<Publication> {
  const { bucket, storage, identities, task, signal } = options;
  const sender = new ObjectSender({
    ...options,
    async check() {
      signal?.throwIfAborted();
      const now = await storage.repository(rid);
      if (now === undefined || !await identities.isPublic(now, task)) throw new NoLongerPublic();
    },
  });
  let done: Publication & { readonly change: "published" } | undefined;
  let unreadable = 0;
  for (let tries = 0;; tries++) {
    const state = await readShown(options, rid);
    if (state === undefined) return { rid, change: "absent" };
    signal?.throwIfAborted();
    const found = await readManifest(bucket, rid);
    // The references keep changing, so the publication ends here. The next check for changes continues it.
    if (tries === MAX_TRIES) return done ?? { rid, change: "none", listing: null };
    const now = done === undefined ? repair : NO_REPAIR;
    try {
      if (found.value?.referencesDigest === state.digest && !changesManifest(now)) {
        if (now.lost.size > 0) await renewGitFiles(options, sender, state, found.value, now.lost);
        return done ?? { rid, change: "none", listing: found.value.listing };
      }
      const published = await sendState(options, sender, rid, state, found, now);
      done = { ...published, objects: (done?.objects ?? 0) + published.objects };
    } catch (error) {
      const isWorthAnother = error instanceof NoLongerPublic || error instanceof ChangedMeanwhile ||
        isUnreadable(error) && ++unreadable < MAX_UNREADABLE_TRIES;
      if (!isWorthAnother || tries === MAX_TRIES - 1) throw error;
    }
  }
}

/** Checks whether a repair concerns objects that a manifest names, and not only files for git clients. */
function changesManifest({ lost, remakesPacks }: Repair): boolean {
  return remakesPacks || [...lost].some((key) => parseKey(key)?.of !== "gitFile");
}

/**
 * Reads the public state of a repository. Returns `undefined` when the repository is missing, private or
 * unreadable.
 */
async function readShown(
  options: PublicationOptions,
  rid: RepoId,
): Promise<ShownState | undefined> {
  const { storage, identities, task } = options;
  const readAtMs = Math.floor(options.now());
  const repository = await storage.repository(rid);
  if (repository === undefined || !await identities.isPublic(repository, task)) return undefined;
  const refs = await shownReferences(repository, task);
  // If the repository became private meanwhile, private references may be among the references that were
  // read.
  if (!await identities.isPublic(repository, task)) return undefined;
  const text = encodeReferences(refs);
  return {
    repository: freezeReferences(repository, refs),
    shallow: await repository.shallowCommits?.() ?? [],
    refs,
    text,
    digest: digestOfReferences(text),
    readAtMs,
  };
}

/** Publishes a state: first everything that the manifest names, then the manifest, then the files for git. */
async function sendState(
  options: PublicationOptions,
  sender: ObjectSender,
  rid: RepoId,
  { repository, shallow, refs, text, digest, readAtMs }: ShownState,
  found: Found<Manifest>,
  { lost, remakesPacks }: Repair,
): Promise<Publication & { readonly change: "published" }> {
  const { bucket, task, progress } = options;
  const before = found.value && withoutLost(found.value, lost);
  progress?.(`  ${rid}: packing`);
  const reached = await readTips(repository, refs, task);
  const isPackLost = [...lost].some(isOfPack);
  const mayKeep = before !== undefined && !remakesPacks && !isPackLost && before.isIncomplete !== true;
  const refsBefore = mayKeep ? await readPublishedRefs(bucket, before, options.unpack, task) : undefined;
  const made = await publishPacks({
    ...options,
    rid,
    sender,
    repository,
    shallow,
    tips: reached.tips,
    head: await headOf(repository),
    before: before && refsBefore && { manifest: before, refs: refsBefore },
  });
  const references = await sendReferences(options, sender, rid, text);
  const graph = await graphOf(
    options,
    sender,
    repository,
    made,
    [...lost].some(isOfGraph) ? undefined : before,
  );
  const derived = await publishDerived(options, sender, repository, before);
  const isIncomplete = reached.isIncomplete || !made.isComplete;
  const hasRemoved = !made.isNew && (before?.hasRemoved === true || hasFewer(refsBefore, refs));
  const manifest: Manifest = {
    format: PUBLISHED_FORMAT,
    rid,
    stateNumber: (before?.stateNumber ?? 0) + 1,
    referencesDigest: digest,
    publishedAtMs: readAtMs,
    references,
    packs: made.packs,
    graph,
    derived,
    listing: await findListing(options, repository),
    ...(isIncomplete && { isIncomplete }),
    ...(hasRemoved && { hasRemoved }),
  };
  await sender.check();
  await replaceObject(bucket, manifestOf(rid), manifest, found);
  // This file is put in any case: a check of the bucket expects that it is not older than the manifest.
  const renewed = new Set([...lost, gitFileKey(rid, "info/refs")]);
  await sendGitFiles(options, sender, refs, reached.refs, manifest, renewed);
  const { sentBytes } = sender;
  const { stateNumber, listing } = manifest;
  return { rid, change: "published", stateNumber, objects: made.objects, sentBytes, isIncomplete, listing };
}

/** Checks whether an object is a file of a pack, or its tips. */
function isOfPack(key: string): boolean {
  const parsed = parseKey(key);
  return parsed?.of === "pack" || parsed?.of === "content" && parsed.kind === "tips";
}

/** Checks whether a key belongs to a commit graph. */
function isOfGraph(key: string): boolean {
  const parsed = parseKey(key);
  return parsed?.of === "graph" || parsed?.of === "content" && parsed.kind === "details";
}

/** Puts files for git clients that are lost or older than the manifest. */
async function renewGitFiles(
  options: PublicationOptions,
  sender: ObjectSender,
  { repository, refs }: ShownState,
  manifest: Manifest,
  lost: ReadonlySet<string>,
): Promise<void> {
  const reached = await readTips(repository, refs, options.task);
  await sendGitFiles(options, sender, refs, reached.refs, manifest, lost);
}

async function sendGitFiles(
  { bucket }: PublicationOptions,
  sender: ObjectSender,
  refs: readonly Ref[],
  shown: readonly GitRef[],
  { rid, packs, graph }: Manifest,
  renewed: ReadonlySet<string>,
): Promise<void> {
  const head = refs.find(({ name }) => name === "HEAD");
  const check = () => sender.check();
  sender.sentBytes += await putGitFiles(bucket, rid, { head, refs: shown, packs, graph }, renewed, check);
}

/**
 * Returns the commit graph. It is made anew when large packs are made, or all packs.
 *
 * @param before The manifest whose commit graph may stay.
 */
async function graphOf(
  { readHistory, task }: PublicationOptions,
  sender: ObjectSender,
  repository: Repository,
  { packs, isNew, isLarge }: PublishedPacks,
  before: Manifest | undefined,
): Promise<PublishedGraph | null> {
  if (!isNew && !isLarge && before !== undefined) return before.graph;
  const hasLarge = packs.some(({ tips }) => tips !== null);
  return readHistory === undefined || !hasLarge
    ? null
    : await publishGraph(sender, repository, readHistory, task);
}

async function headOf(repository: Repository): Promise<Oid | undefined> {
  return (await resolveRef(repository, "HEAD"))?.oid;
}

/** Checks whether published references are no longer among the references. */
function hasFewer(before: PublishedRefs | undefined, refs: readonly Ref[]): boolean {
  if (before === undefined) return false;
  const names = new Set(refs.map(({ name }) => name));
  return [...before.names].some((name) => !names.has(name));
}

/**
 * Returns the listing of a state. Returns null when there is no listing or it cannot be created. A list then
 * has to read the repository itself.
 */
async function findListing(
  { readListing, task, log, signal }: PublicationOptions,
  repository: Repository,
): Promise<RepositoryListing | null> {
  try {
    const listing = await readListing?.(repository, task);
    const isShort = listing !== undefined && listing.document.length <= MAX_LISTED_DOCUMENT_LENGTH;
    return isShort && listing.document !== "" ? listing : null;
  } catch (error) {
    if (signal?.aborted) throw error;
    log("warn", `Cannot list ${repository.rid}`, error);
    return null;
  }
}

/** Returns a manifest without the derived data that the bucket has lost. */
function withoutLost(manifest: Manifest, lost: ReadonlySet<string>): Manifest {
  const { rid, derived } = manifest;
  const files = derived.files.filter(({ digest }) => !lost.has(contentKey(rid, "derived", digest)));
  return { ...manifest, derived: { ...derived, files } };
}

/**
 * Returns the references for the manifest: their text, or the object that contains the text, after it was
 * sent.
 */
async function sendReferences(
  { deflate }: PublicationOptions,
  sender: ObjectSender,
  rid: RepoId,
  text: Uint8Array<ArrayBuffer>,
): Promise<string | ReferencesFile> {
  if (text.length <= MAX_INLINE_REFERENCES_BYTES) return new TextDecoder().decode(text);
  const packed = new Uint8Array(deflate(text));
  const sha256 = sha256Of(packed);
  await sender.send(contentKey(rid, "references", sha256), packed);
  return { sha256, bytes: packed.length, rawBytes: text.length };
}
