/** Pages of large tables: objects of their own that never change, each one zlib stream of JSON. */
import * as v from "valibot";
import { DamagedError } from "../../errors.ts";
import type { Deflate } from "../../ports/compression.ts";
import type { UnpackBlock } from "./block.ts";
import { type Sha256, sha256Of } from "./keys.ts";

/** How a document names a page. */
export interface JsonPage {
  /** SHA-256 of the object. */
  readonly sha256: Sha256;
  /** Bytes as stored, and of the JSON. */
  readonly bytes: number;
  readonly rawBytes: number;
}

/** Packs the JSON of a page: its name, and the bytes of the object. */
export function packPage(
  raw: Uint8Array,
  deflate: Deflate,
): { readonly page: JsonPage; readonly bytes: Uint8Array<ArrayBuffer> } {
  const bytes = new Uint8Array(deflate(raw));
  return { page: { sha256: sha256Of(bytes), bytes: bytes.length, rawBytes: raw.length }, bytes };
}

/**
 * Decodes a page.
 *
 * @param name The page in messages of errors.
 * @throws {DamagedError} when the bytes are not those of the page, or not what the schema describes.
 */
export function unpackPage(
  page: JsonPage,
  packed: Uint8Array,
  schema: v.GenericSchema,
  unpack: UnpackBlock,
  name: string,
): unknown {
  if (packed.length !== page.bytes || sha256Of(packed) !== page.sha256) {
    throw new DamagedError(`${name} is damaged`);
  }
  let value: unknown;
  try {
    const raw = unpack(packed, page.rawBytes);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw));
  } catch (cause) {
    throw new DamagedError(`${name} cannot be read`, { cause });
  }
  const { success, output } = v.safeParse(schema, value);
  if (!success) throw new DamagedError(`${name} is of another form`);
  return output;
}
