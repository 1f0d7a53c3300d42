/**
 * Publishes one repository. It first sends the objects that the bucket lacks, and then puts the manifest, so
 * that readers see either the old state or the new state.
 */
import {
  isUnreadable,
  type OidTable,
  type Ref,
  type RepoId,
  type Repository,
  type RepositoryListing,
} from "../../../src/mod.ts";
import { MAX_LISTED_DOCUMENT_LENGTH } from "../format/schemas.ts";
import { contentKey, PACK_KINDS, sha256Of } from "../format/keys.ts";
import {
  type Manifest,
  manifestOf,
  PUBLISHED_FORMAT,
  type PublishedPack,
  type ReferencesFile,
} from "../format/manifest.ts";
import { digestOfReferences, encodeReferences, MAX_INLINE_REFERENCES_BYTES } from "../format/references.ts";
import { NO_OBJECTS, type PublishedObjects } from "./commit_walk.ts";
import { publishDerived } from "./derived_publication.ts";
import { freezeReferences } from "./frozen_repository.ts";
import { GRACE_MS } from "./unreferenced_objects.ts";
import { type WalkedObjects, walkObjects } from "./object_walk.ts";
import { type PackSenderOptions, sendOnce, sendPacks } from "./pack_sender.ts";
import { ChangedMeanwhile, type Found, readManifest, replaceObject } from "./changing_object.ts";
import { idsOfPack } from "./published_packs.ts";
import type { PublicationOptions } from "./publication_options.ts";
import { shownReferences } from "./shown_references.ts";
import { publishIndex } from "./index_publication.ts";
import { findUnnamedPacks } from "./unnamed_packs.ts";

/** Maximum number of attempts to publish a repository whose references keep changing. */
export const MAX_TRIES = 20;

/**
 * Minimum number of objects with which a first publication counts as large. Large publications run one after
 * the other.
 */
const LARGE_WALK_OBJECTS = 10_000;

/**
 * Maximum number of objects of signed references that come with new commits: a commit, its tree, and two
 * files.
 */
const FEW_COBS = 4;

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
    /** Number of new objects. */
    readonly objects: number;
    /** Number of bytes that were sent, without the manifest. */
    readonly sentBytes: number;
    /** Number of objects to which references lead, but which cannot be read in the storage. */
    readonly unreadable: number;
    /** The data that lists show; null when a list has to read the repository itself. */
    readonly listing: RepositoryListing | null;
  };

/** The public state of a repository. */
interface ShownState {
  readonly repository: Repository;
  readonly refs: readonly Ref[];
  readonly text: Uint8Array<ArrayBuffer>;
  readonly digest: string;
  /** Time before the references were read, in milliseconds since the epoch. */
  readonly readAtMs: number;
}

/** Error when a repository stops being public while it is published. */
class NoLongerPublic extends Error {}

/**
 * Publishes a repository if it has changed. The publication is repeated until the published state is the
 * state in the storage, at most {@link MAX_TRIES} times.
 *
 * @param lost Keys of objects that the bucket has lost. They are sent again.
 * @throws {BucketError} when the bucket fails. Readers then see the earlier state.
 */
export async function publishRepository(
  options: PublicationOptions,
  rid: RepoId,
  lost: ReadonlySet<string> = new Set(),
): Promise<Publication> {
  let done: Publication | undefined;
  for (let tries = 0;; tries++) {
    const state = await readShown(options, rid);
    if (state === undefined) return { rid, change: "absent" };
    options.signal?.throwIfAborted();
    const found = await readManifest(options.bucket, rid);
    // The references keep changing, so the publication ends here. The next check for changes continues it.
    if (tries === MAX_TRIES) return done ?? { rid, change: "none", listing: null };
    const isWhole = done !== undefined || lost.size === 0;
    if (isWhole && found.value?.referencesDigest === state.digest) {
      return done ?? { rid, change: "none", listing: found.value.listing };
    }
    try {
      const published = await publishState(options, rid, state, found, done ? new Set() : lost);
      done = done?.change !== "published" || published.change !== "published" ? published : {
        ...published,
        objects: done.objects + published.objects,
        sentBytes: done.sentBytes + published.sentBytes,
      };
    } catch (error) {
      const isWorthAnother = error instanceof NoLongerPublic || error instanceof ChangedMeanwhile ||
        isUnreadable(error);
      if (!isWorthAnother || tries === MAX_TRIES - 1) throw error;
    }
  }
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
  return { repository, refs, text, digest: digestOfReferences(text), readAtMs };
}

/** Publishes a state. Only one large publication runs at a time. */
async function publishState(
  options: PublicationOptions,
  rid: RepoId,
  state: ShownState,
  found: Found<Manifest>,
  lost: ReadonlySet<string>,
): Promise<Publication> {
  let leave: (() => void) | undefined;
  const place = {
    beLarge: async () => void (leave ??= await options.large.enter()),
    beSmall() {
      leave?.();
      leave = undefined;
    },
  };
  try {
    if (found.value === undefined) await place.beLarge();
    return await sendState({ ...options, ...place }, rid, state, found, lost);
  } finally {
    leave?.();
  }
}

async function sendState(
  options: PublicationOptions & Pick<PackSenderOptions, "beLarge"> & {
    /** Called when the publication turns out to be small. */
    readonly beSmall: () => void;
  },
  rid: RepoId,
  { repository, refs, text, digest, readAtMs }: ShownState,
  found: Found<Manifest>,
  lost: ReadonlySet<string>,
): Promise<Publication> {
  const { bucket, storage, identities, task, progress, signal, beSmall } = options;
  const before = found.value && withoutLost(found.value, lost);
  const { packs, published, isWhole } = await knownObjects(options, rid, found.value, lost);
  let written = 0;
  const walked = await walkObjects(
    repository,
    refs,
    isWhole ? published : NO_OBJECTS,
    task,
    (count) => progress?.(`  ${rid}: ${count} objects`),
  );
  if (walked.count < LARGE_WALK_OBJECTS) beSmall();
  const sender: PackSenderOptions = {
    ...options,
    rid,
    repository,
    async check() {
      signal?.throwIfAborted();
      const now = await storage.repository(rid);
      if (now === undefined || !await identities.isPublic(now, task)) throw new NoLongerPublic();
    },
    isOver: (error) => error instanceof NoLongerPublic || signal?.aborted === true,
    onWritten(objects) {
      written += objects;
      progress?.(`  ${rid}: ${written} of ${walked.count} objects`);
    },
  };
  const lists = before === undefined ? walked.lists : joinFewCobs(walked.lists);
  const newPacks: PublishedPack[] = [];
  const unreadable = new Set(walked.unreadable);
  let objects = 0;
  let sentBytes = 0;
  for (const kind of PACK_KINDS) {
    const sent = await sendPacks(
      sender,
      kind,
      lists[kind],
      isWhole ? NO_OBJECTS : published,
      packs.filter((pack) => pack.kind === kind),
    );
    newPacks.push(...sent.packs);
    objects += sent.objects;
    sentBytes += sent.sentBytes;
    for (const oid of sent.unreadable) unreadable.add(oid);
  }
  const indexed = await publishIndex(sender, newPacks, before?.index ?? null);
  sentBytes += indexed.sentBytes;
  const references = await sendReferences(sender, text);
  if (typeof references !== "string") sentBytes += references.bytes;
  const frozen = freezeReferences(repository, refs);
  const derived = options.derive === undefined
    ? undefined
    : await publishDerived(sender, options.derive, frozen, before, options.log);
  sentBytes += derived?.sentBytes ?? 0;
  const manifest: Manifest = {
    format: PUBLISHED_FORMAT,
    rid,
    stateNumber: (before?.stateNumber ?? 0) + 1,
    referencesDigest: digest,
    publishedAtMs: readAtMs,
    references,
    packs: indexed.packs,
    index: indexed.index,
    derived: derived?.derived ?? { names: [], files: [] },
    listing: await findListing(options, frozen),
    ...(unreadable.size > 0 && { isIncomplete: true }),
  };
  await sender.check();
  await replaceObject(bucket, manifestOf(rid), manifest, found);
  return {
    rid,
    change: "published",
    stateNumber: manifest.stateNumber,
    objects,
    sentBytes,
    unreadable: unreadable.size,
    listing: manifest.listing,
  };
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

/**
 * Adds the objects of `cobs` to `history` if there are only few of them. New commits often come with a few
 * objects of signed references, which then need no pack of their own.
 */
function joinFewCobs(lists: WalkedObjects["lists"]): WalkedObjects["lists"] {
  const { history, cobs } = lists;
  if (history.length === 0 || cobs.length > FEW_COBS) return lists;
  return {
    ...lists,
    history: {
      length: history.length + cobs.length,
      at: (index) => index < history.length ? history.at(index) : cobs.at(index - history.length),
    },
    cobs: { length: 0, at: cobs.at },
  };
}

/** Returns a manifest without the derived data that the bucket has lost. */
function withoutLost(manifest: Manifest, lost: ReadonlySet<string>): Manifest {
  const { rid, derived } = manifest;
  const files = derived.files.filter(({ digest }) => !lost.has(contentKey(rid, "derived", digest)));
  return { ...manifest, derived: { ...derived, files } };
}

/**
 * Returns the usable packs and the ids of their objects. These are the packs of the manifest, or if there is
 * no manifest, the packs that a killed publisher has sent.
 */
async function knownObjects(
  { bucket, task, ids, bucketTimeMs, graceMs = GRACE_MS }: PublicationOptions,
  rid: RepoId,
  manifest: Manifest | undefined,
  lost: ReadonlySet<string>,
): Promise<{
  readonly packs: readonly PublishedPack[];
  readonly published: PublishedObjects;
  /** Whether the packs have every object to which a published object leads. */
  readonly isWhole: boolean;
}> {
  const packs: PublishedPack[] = [];
  const tables: OidTable[] = [];
  const found = manifest?.packs ?? (bucketTimeMs === undefined ? [] : await findUnnamedPacks(
    bucket,
    rid,
    ({ modifiedMs }) => bucketTimeMs - modifiedMs < graceMs / 2,
  ));
  for (const pack of found) {
    if (lost.has(contentKey(rid, pack.kind, pack.sha256))) continue;
    const table = await idsOfPack(bucket, rid, pack, ids, task);
    if (table === undefined) continue;
    packs.push(pack);
    tables.push(table);
  }
  return {
    packs,
    published: { has: (oid) => tables.some((table) => table.rowOf(oid) !== undefined) },
    isWhole: manifest === undefined
      ? packs.length === 0
      : packs.length === manifest.packs.length && manifest.isIncomplete !== true,
  };
}

/**
 * Returns the references for the manifest: their text, or the object that contains the text, after it was
 * sent.
 */
async function sendReferences(
  sender: PackSenderOptions,
  text: Uint8Array<ArrayBuffer>,
): Promise<string | ReferencesFile> {
  if (text.length <= MAX_INLINE_REFERENCES_BYTES) return new TextDecoder().decode(text);
  const packed = new Uint8Array(sender.deflate(text));
  const sha256 = sha256Of(packed);
  await sendOnce(sender, contentKey(sender.rid, "references", sha256), packed);
  return { sha256, bytes: packed.length, rawBytes: text.length };
}
