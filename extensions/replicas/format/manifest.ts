/**
 * The manifest of a published repository: a state of its references, and the places of the objects that they
 * lead to. It is the only object of a repository that changes; one put of it makes a new state visible.
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

/** Version of the format of everything that is published. Readers refuse any other. */
export const PUBLISHED_FORMAT = 4;

/** Most bytes of a manifest. */
export const MAX_MANIFEST_BYTES = 2 ** 21;
/** Most block packs of a repository: a publisher joins small ones long before. */
export const MAX_PACKS = 1024;
/** Most objects of the packs whose id prefixes a manifest lists, in all: few bytes for each first read. */
export const MAX_LISTED_OBJECTS = 1024;
/** Most objects of a multi-pack index. */
export const MAX_INDEX_OBJECTS = 2 ** 27;
/** Most bytes of the head of a multi-pack index. */
export const MAX_INDEX_HEAD_BYTES = 2 ** 26;
/** Most bytes of a multi-pack index. */
export const MAX_INDEX_BYTES = 2 ** 30;
/** Most names of derived data. */
export const MAX_DERIVED_NAMES = 256;
/** Most files of derived data that a manifest names. */
export const MAX_DERIVED_FILES = 8192;
/** Most bytes of a file of derived data. */
export const MAX_DERIVED_BYTES = 2 ** 27;
/** Most characters of a file of derived data in the manifest itself, as base64. */
export const MAX_INLINE_DERIVED_BYTES = 2 ** 14;

export interface PublishedPack {
  readonly kind: PackKind;
  /** SHA-256 of the whole pack; with the kind it gives the key. */
  readonly sha256: Sha256;
  /** Bytes of the pack. */
  readonly bytes: number;
  /** Bytes of its head; and their digest. */
  readonly headBytes: number;
  readonly headDigest: string;
  readonly objects: number;
  readonly madeAtMs: number;
  /** Number of the pack in the multi-pack index, if it is there. */
  readonly inIndex?: number;
  /**
   * The first 16 bits of the ids of its objects, in ascending order, as base64, if the pack has few objects.
   * A reader skips the pack for an id with another prefix.
   */
  readonly idStarts?: string;
}

/** A multi-pack index (`multi_pack_index.ts`): an object of kind `index`. */
export interface PublishedIndex {
  /** SHA-256 of the whole; it gives the key. */
  readonly sha256: string;
  readonly bytes: number;
  /** Bytes of the head, and their digest. */
  readonly headBytes: number;
  readonly headDigest: string;
  readonly objects: number;
}

/** References that are too many for the manifest: an object of kind `references`, one zlib stream. */
export interface ReferencesFile {
  readonly sha256: Sha256;
  /** Bytes as stored. */
  readonly bytes: number;
  /** Bytes of the text. */
  readonly rawBytes: number;
}

/** A file of derived data (`src/ports/derived_data.ts`): an object of kind `derived`, stored as it is. */
export interface PublishedDerivedFile {
  /** SHA-256 of the file; with the kind it gives the key. */
  readonly digest: Sha256;
  readonly bytes: number;
  /** The file itself as base64, if it is small. It is then not an object of its own. */
  readonly inline?: string;
}

export interface PublishedDerived {
  /** Names with the digests of their files. */
  readonly names: readonly { readonly name: string; readonly digest: Sha256 }[];
  /** All files: files that have names, and files that they lead to. Each once. */
  readonly files: readonly PublishedDerivedFile[];
}

export interface Manifest {
  readonly format: typeof PUBLISHED_FORMAT;
  readonly rid: RepoId;
  /** Number of the state: it grows with each change. */
  readonly stateNumber: number;
  /** Digest of all references, made by `digestOfReferences`. */
  readonly referencesDigest: string;
  readonly publishedAtMs: number;
  /** Text of `encodeReferences`, or the object that contains it. */
  readonly references: string | ReferencesFile;
  /** Packs, newest first. */
  readonly packs: readonly PublishedPack[];
  /** The multi-pack index; null when the packs are few. */
  readonly index: PublishedIndex | null;
  readonly derived: PublishedDerived;
  /** Shown by lists; null when they have to open the repository. */
  readonly listing: RepositoryListing | null;
  /** References lead to objects that the publisher did not have. It searches for them again. */
  readonly isIncomplete?: true;
}

/** Most characters of the id prefixes of a pack. */
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

/** The document of the manifest of a repository. The manifest of another repository counts as damaged. */
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
