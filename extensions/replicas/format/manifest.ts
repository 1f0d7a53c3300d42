/**
 * The manifest of a published repository: a state of its references, and the names of the stored objects that
 * contain everything to which the references lead. It is the only object of a repository that changes. One
 * put of the manifest makes a new state visible.
 */
import * as v from "valibot";
import { DamagedError, type RepoId, type RepositoryListing } from "../../../src/mod.ts";
import { manifestKey, PACK_KINDS, type PackKind, type Sha256 } from "./keys.ts";
import { MAX_INLINE_REFERENCES_BYTES, MAX_REFERENCES_BYTES } from "./references.ts";
import { type SealedDocument, sealedDocument } from "./sealed_json.ts";
import {
  Base64,
  DigestSchema,
  ListingSchema,
  MAX_FILE_BYTES,
  RidSchema,
  Sha256Schema,
  shortText,
  TimeMsSchema,
  wholeNumber,
} from "./schemas.ts";

/** Version of the format of all published data. Readers refuse any other version. */
export const PUBLISHED_FORMAT = 4;

/** Maximum size of a manifest, in bytes. */
export const MAX_MANIFEST_BYTES = 2 ** 21;
/** Maximum number of block packs of a repository. A publisher joins small packs long before this limit. */
export const MAX_PACKS = 1024;
/**
 * Maximum total number of objects in the packs whose id prefixes are in the manifest. The limit keeps the
 * manifest short.
 */
export const MAX_LISTED_OBJECTS = 1024;
/** Maximum number of objects in a multi-pack index. */
export const MAX_INDEX_OBJECTS = 2 ** 27;
/** Maximum size of the header of a multi-pack index, in bytes. */
export const MAX_INDEX_HEAD_BYTES = 2 ** 26;
/** Maximum size of a multi-pack index, in bytes. */
export const MAX_INDEX_BYTES = 2 ** 30;
/** Maximum number of files of derived data that have a name in a manifest. */
export const MAX_DERIVED_NAMES = 256;
/** Maximum number of files of derived data that a manifest lists, with or without a name. */
export const MAX_DERIVED_FILES = 8192;
/** Maximum size of a file of derived data, in bytes. */
export const MAX_DERIVED_BYTES = 2 ** 27;
/** Maximum length of a file of derived data inside the manifest, in characters of base64. */
export const MAX_INLINE_DERIVED_BYTES = 2 ** 14;

export interface PublishedPack {
  readonly kind: PackKind;
  /** SHA-256 of the whole pack. The key of the pack contains this digest and the kind. */
  readonly sha256: Sha256;
  /** Size of the pack, in bytes. */
  readonly bytes: number;
  /** Size of the pack's header, in bytes. `headDigest` is the digest of the header. */
  readonly headBytes: number;
  readonly headDigest: string;
  readonly objects: number;
  readonly madeAtMs: number;
  /** Number of the pack in the multi-pack index, if the index contains the pack. */
  readonly inIndex?: number;
  /**
   * The first 16 bits of the ids of the pack's objects, in ascending order, as base64. Given only for packs
   * with few objects. A reader skips the pack when it looks for an id with another prefix.
   */
  readonly idStarts?: string;
}

/** A multi-pack index (`multi_pack_index.ts`), stored as an object of kind `index`. */
export interface PublishedIndex {
  /** SHA-256 of the whole index. The key of the object contains this digest. */
  readonly sha256: string;
  readonly bytes: number;
  /** Size of the header, in bytes. `headDigest` is the digest of the header. */
  readonly headBytes: number;
  readonly headDigest: string;
  readonly objects: number;
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
  /** Block packs, the newest pack first. */
  readonly packs: readonly PublishedPack[];
  /** The multi-pack index; null when there are only few packs, or when an index would be too large. */
  readonly index: PublishedIndex | null;
  readonly derived: PublishedDerived;
  /** The data that lists show; null when a list has to read the repository itself. */
  readonly listing: RepositoryListing | null;
  /**
   * Set when references lead to objects that the publisher did not have. The publisher will search for these
   * objects again.
   */
  readonly isIncomplete?: true;
}

/** Maximum length of the id prefixes of a pack, in characters of base64. */
const MAX_ID_STARTS_LENGTH = 4 * Math.ceil(2 * MAX_LISTED_OBJECTS / 3);

const Pack = v.strictObject({
  kind: v.picklist(PACK_KINDS),
  sha256: Sha256Schema,
  bytes: wholeNumber(1, MAX_FILE_BYTES),
  headBytes: wholeNumber(1, MAX_FILE_BYTES),
  headDigest: DigestSchema,
  objects: wholeNumber(0, MAX_FILE_BYTES),
  madeAtMs: TimeMsSchema,
  inIndex: v.exactOptional(wholeNumber(0, MAX_PACKS - 1)),
  idStarts: v.exactOptional(v.pipe(Base64, v.maxLength(MAX_ID_STARTS_LENGTH))),
});

const Index = v.strictObject({
  sha256: Sha256Schema,
  bytes: wholeNumber(1, MAX_INDEX_BYTES),
  headBytes: wholeNumber(1, MAX_INDEX_HEAD_BYTES),
  headDigest: DigestSchema,
  objects: wholeNumber(0, MAX_INDEX_OBJECTS),
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
  index: v.nullable(Index),
  derived: Derived,
  listing: v.nullable(ListingSchema),
  isIncomplete: v.exactOptional(v.literal(true)),
});

/** Returns the document of a repository's manifest. The manifest of another repository counts as damaged. */
export function manifestOf(rid: RepoId): SealedDocument<Manifest> {
  return sealedDocument(manifestKey(rid), MAX_MANIFEST_BYTES, ManifestSchema, (manifest) => {
    if (manifest.rid !== rid) throw new DamagedError(`The manifest of ${rid} belongs to ${manifest.rid}`);
    const isWhole = ({ headBytes, bytes, inIndex }: PublishedPack) =>
      headBytes <= bytes && (inIndex === undefined || manifest.index !== null);
    const numbers = manifest.packs.flatMap(({ inIndex }) => inIndex ?? []);
    if (!manifest.packs.every(isWhole) || new Set(numbers).size < numbers.length) {
      throw new DamagedError(`The manifest of ${rid} has an impossible pack`);
    }
  });
}
