/**
 * Puts the objects of a bucket that never change: packs, pages of tables, and other objects whose keys
 * contain the digest of their content.
 */
import { mapAtOnce } from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import type { EncodedPage, PagedTable, TablePage } from "../format/paged_table.ts";

/** Maximum number of pages that are put at the same time. */
const PAGES_AT_ONCE = 8;

/**
 * Puts an object, even if it already exists. A second put delays the removal of the object, which is removed
 * some time after its last put if nothing names it.
 *
 * @throws {BucketError}
 */
export async function putContent(bucket: Bucket, key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const cacheControl = "public, max-age=31536000, immutable";
  await bucket.put(key, bytes, { cacheControl, contentType: "application/octet-stream" });
}

export async function putPages(
  bucket: Bucket,
  { keyOf }: PagedTable<unknown>,
  pages: readonly Pick<EncodedPage<unknown>, "sha256" | "content">[],
): Promise<void> {
  await mapAtOnce(pages, PAGES_AT_ONCE, ({ sha256, content }) => putContent(bucket, keyOf(sha256), content));
}

export function keysOf({ keyOf }: PagedTable<unknown>, pages: readonly TablePage[]): readonly string[] {
  return pages.map(({ sha256 }) => keyOf(sha256));
}
