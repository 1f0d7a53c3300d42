/**
 * The catalogue: the ids of all published repositories. Lists need it; requests for one repository do not.
 */
import * as v from "valibot";
import type { RepoId } from "../ids/rid.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { decodeSealed, encodeSealed } from "./sealed_json.ts";
import { RidSchema, wholeNumber } from "./schemas.ts";

/** Most repositories of a catalogue. */
export const MAX_CATALOGUE_REPOSITORIES = 1_000_000;
/** Most bytes of a catalogue. */
export const MAX_CATALOGUE_BYTES = 2 ** 26;

/** The catalogue. */
export interface Catalogue {
  readonly format: typeof PUBLISHED_FORMAT;
  /** It grows with each change. */
  readonly generation: number;
  /** Published repositories, in any order. Each has had a manifest before it was listed here. */
  readonly repositories: readonly RepoId[];
}

const CatalogueSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  generation: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  repositories: v.pipe(v.array(RidSchema), v.maxLength(MAX_CATALOGUE_REPOSITORIES)),
});

/** Encodes a catalogue. */
export function encodeCatalogue(catalogue: Catalogue): Uint8Array<ArrayBuffer> {
  return encodeSealed(catalogue);
}

/**
 * Decodes a catalogue.
 *
 * @throws {DamagedError} when it is damaged or of another version.
 */
export function decodeCatalogue(bytes: Uint8Array): Catalogue {
  return decodeSealed(bytes, CatalogueSchema, MAX_CATALOGUE_BYTES) as Catalogue;
}
