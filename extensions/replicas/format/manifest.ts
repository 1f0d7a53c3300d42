/**
 * The manifest of a published repository: a state of its references, and the names of git's packs that
 * contain everything to which the references lead. One put of the manifest makes a new state visible.
 */
import * as v from "valibot";
import { DamagedError, type Oid, type RepoId, type RepositoryListing } from "../../../src/mod.ts";
import { manifestKey, type Sha256 } from "./keys.ts";
import { blockCount, MIN_PACK_BYTES, offsetTableBytes } from "./offset_table.ts";
import { MAX_INLINE_REFERENCES_BYTES, MAX_REFERENCES_BYTES } from "./references.ts";
import { type SealedDocument, sealedDocument } from "./sealed_json.ts";
import {
  Base64,
  DigestSchema,
  ListingSchema,
  OidSchema,
  RidSchema,
  Sha256Schema,
  shortText,
  TimeMsSchema,
  wholeNumber,
} from "./schemas.ts";

/** Version of the format of all published data. Readers refuse any other version. */
export const PUBLISHED_FORMAT = 5;

/** Maximum size of a manifest, in bytes. */
export const MAX_MANIFEST_BYTES = 2 ** 21;
/** Maximum number of packs of a repository. A publisher joins small packs long before this limit. */
export const MAX_PACKS = 64;
/**
 * Maximum number of objects of a small pack. The offset table of a small pack is in the manifest, and the
 * pack has no tips.
 */
export const MAX_SMALL_PACK_OBJECTS = 1024;
/** Maximum total number of objects in the small packs of a manifest. The limit keeps the manifest short. */
export const MAX_SMALL_OBJECTS = 8192;
/** Maximum size of a pack, in bytes. Offsets have 32 bits. */
export const MAX_PACK_BYTES: number = 2 ** 32 - 1;
/** Maximum size of the index of a pack, in bytes. */
export const MAX_IDX_BYTES = 2 ** 31;
/** Maximum number of objects in a pack. */
export const MAX_PACK_OBJECTS = 2 ** 26;
/** Maximum number of blocks that readers read first. */
export const MAX_FIRST_BLOCKS = 8;
/** Maximum size of a file of tips, in bytes. */
export const MAX_TIPS_BYTES = 2 ** 25;
/** Maximum number of files of derived data that have a name in a manifest. */
export const MAX_DERIVED_NAMES = 256;
/** Maximum number of files of derived data that a manifest lists, with or without a name. */
export const MAX_DERIVED_FILES = 8192;
/** Maximum size of a file of derived data, in bytes. */
export const MAX_DERIVED_BYTES = 2 ** 27;
/** Maximum length of a file of derived data inside the manifest, in characters of base64. */
export const MAX_INLINE_DERIVED_BYTES = 2 ** 14;

/**
 * A pack in git's format, with its index in git's format (`idx`) and its offset table (`offset_table.ts`).
 */
export interface PublishedPack {
  /** The SHA-1 that the pack ends with. The keys of the three files contain it. */
  readonly name: Oid;
  /** Size of the pack, in bytes. */
  readonly bytes: number;
  /** Size of the `idx`, in bytes. */
  readonly idxBytes: number;
  readonly objects: number;
  readonly madeAtMs: number;
  /** The offset table: for a small pack the table itself as base64, otherwise the SHA-256 of its file. */
  readonly offsets: { readonly inline: string } | { readonly sha256: Sha256 };
  /**
   * Tips of the state for which the pack was made; null for a small pack. This pack and all packs after it in
   * the manifest have every object to which the tips lead.
   */
  readonly tips: TipsFile | null;
  /**
   * Numbers of the blocks that most requests need first: those with the newest commit of the default branch,
   * and with the tree of this commit.
   */
  readonly firstBlocks: readonly number[];
}

/**
 * The ids of all objects to which references point, 20 bytes each, in ascending order. It is stored as an
 * object of kind `tips`.
 */
export interface TipsFile {
  readonly sha256: Sha256;
  readonly bytes: number;
}

/**
 * Text of references that is too long for the manifest. It is stored as an object of kind `references`, which
 * is one zlib stream.
 */
export interface ReferencesFile {
  readonly sha256: Sha256;
  /** Size of the stored object, in bytes. */
  readonly bytes: number;
  /** Size of the text, in bytes. */
  readonly rawBytes: number;
}

/**
 * A file of derived data (`src/ports/derived_data.ts`). Unless it is inline, it is an object of kind
 * `derived`, stored without compression.
 */
export interface PublishedDerivedFile {
  /** SHA-256 of the file. The key of the object contains this digest and the kind. */
  readonly digest: Sha256;
  readonly bytes: number;
  /** The content of a small file, as base64. The file is then not stored as a separate object. */
  readonly inline?: string;
}

export interface PublishedDerived {
  /** The names of files, with the digests of the files. */
  readonly names: readonly { readonly name: string; readonly digest: Sha256 }[];
  /** All files, each once: files with names, and files to which the named files lead. */
  readonly files: readonly PublishedDerivedFile[];
}

export interface Manifest {
  readonly format: typeof PUBLISHED_FORMAT;
  readonly rid: RepoId;
  /** State number. It grows with each change. */
  readonly stateNumber: number;
  /** Digest of all references, from `digestOfReferences`. */
  readonly referencesDigest: string;
  readonly publishedAtMs: number;
  /** Text from `encodeReferences`, or the object that contains the text. */
  readonly references: string | ReferencesFile;
  /** The newest pack first. */
  readonly packs: readonly PublishedPack[];
  readonly derived: PublishedDerived;
  /** The data that lists show; null when a list has to read the repository itself. */
  readonly listing: RepositoryListing | null;
  /**
   * Set when references lead to objects that the publisher did not have. The publisher will search for these
   * objects again.
   */
  readonly isIncomplete?: true;
  /**
   * Set when references were removed since the oldest pack was made. The packs may then have objects to which
   * no reference leads. A check of the bucket replaces all packs.
   */
  readonly hasRemoved?: true;
}

/** Maximum length of the offset table of a small pack, in characters of base64. */
const MAX_INLINE_OFFSETS_LENGTH = 2 ** 16;

const Pack = v.strictObject({
  name: OidSchema,
  bytes: wholeNumber(MIN_PACK_BYTES, MAX_PACK_BYTES),
  idxBytes: wholeNumber(1, MAX_IDX_BYTES),
  objects: wholeNumber(1, MAX_PACK_OBJECTS),
  madeAtMs: TimeMsSchema,
  offsets: v.union([
    v.strictObject({ inline: v.pipe(Base64, v.maxLength(MAX_INLINE_OFFSETS_LENGTH)) }),
    v.strictObject({ sha256: Sha256Schema }),
  ]),
  tips: v.nullable(v.strictObject({ sha256: Sha256Schema, bytes: wholeNumber(0, MAX_TIPS_BYTES) })),
  firstBlocks: v.pipe(v.array(wholeNumber(0, MAX_PACK_BYTES)), v.maxLength(MAX_FIRST_BLOCKS)),
});

const Derived = v.strictObject({
  names: v.pipe(
    v.array(v.strictObject({
      name: v.pipe(v.string(), v.regex(/^[\w-][\w.-]{0,99}$/)),
      digest: Sha256Schema,
    })),
    v.maxLength(MAX_DERIVED_NAMES),
  ),
  files: v.pipe(
    v.array(v.strictObject({
      digest: Sha256Schema,
      bytes: wholeNumber(0, MAX_DERIVED_BYTES),
      inline: v.exactOptional(v.pipe(Base64, v.maxLength(MAX_INLINE_DERIVED_BYTES))),
    })),
    v.maxLength(MAX_DERIVED_FILES),
  ),
});

const ManifestSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  rid: RidSchema,
  stateNumber: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  referencesDigest: DigestSchema,
  publishedAtMs: TimeMsSchema,
  references: v.union([
    shortText(MAX_INLINE_REFERENCES_BYTES),
    v.literal(""),
    v.strictObject({
      sha256: Sha256Schema,
      bytes: wholeNumber(1, MAX_REFERENCES_BYTES),
      rawBytes: wholeNumber(1, MAX_REFERENCES_BYTES),
    }),
  ]),
  packs: v.pipe(v.array(Pack), v.maxLength(MAX_PACKS)),
  derived: Derived,
  listing: v.nullable(ListingSchema),
  isIncomplete: v.exactOptional(v.literal(true)),
  hasRemoved: v.exactOptional(v.literal(true)),
});

/** Returns the document of a repository's manifest. The manifest of another repository counts as damaged. */
export function manifestOf(rid: RepoId): SealedDocument<Manifest> {
  return sealedDocument(manifestKey(rid), MAX_MANIFEST_BYTES, ManifestSchema, (manifest) => {
    if (manifest.rid !== rid) throw new DamagedError(`The manifest of ${rid} belongs to ${manifest.rid}`);
    const names = new Set(manifest.packs.map(({ name }) => name));
    if (!manifest.packs.every(isPossible) || names.size < manifest.packs.length) {
      throw new DamagedError(`The manifest of ${rid} has an impossible pack`);
    }
  });
}

/** Checks that the numbers of a pack fit each other. */
function isPossible({ bytes, objects, offsets, firstBlocks }: PublishedPack): boolean {
  const isSmall = objects <= MAX_SMALL_PACK_OBJECTS;
  return (!("inline" in offsets) || isSmall && isTableLength(offsets.inline.length, bytes, objects)) &&
    firstBlocks.every((block) => block < blockCount(bytes));
}

/** Checks the length of an offset table in base64. */
function isTableLength(length: number, packBytes: number, objects: number): boolean {
  return length === 4 * Math.ceil(offsetTableBytes(packBytes, objects) / 3);
}
