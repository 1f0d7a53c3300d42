/** Checks the files of a published pack by reading them completely. */
import { sha1 } from "@noble/hashes/legacy.js";
import {
  ifReadable,
  isSameBytes,
  joinBytes,
  type Oid,
  OID_BYTES,
  oidFromBytes,
  type RepoId,
  type Task,
} from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { inlineOf } from "../format/derived.ts";
import { manifestKey, packKey, sha256OfLong } from "../format/keys.ts";
import type { PublishedPack } from "../format/manifest.ts";
import { digestsOfBlocks, encodeOffsetTable } from "../format/offset_table.ts";
import { parsePackIdx } from "./pack_idx.ts";

/** Maximum number of bytes that one read of a file returns. It is a multiple of the size of a block. */
const READ_BYTES = 2 ** 22;

/** The result of the check of a pack. */
export interface PackCheck {
  /** Keys of the damaged files. It is the key of the manifest if the offset table in it is wrong. */
  readonly damaged: readonly string[];
  /** Ids of the objects of the pack. */
  readonly oids: readonly Oid[];
}

/**
 * Checks a pack against its name, its index against the pack, and its offset table
 * against both. A file that does not exist counts as damaged.
 *
 * @throws {BucketError}
 */
export async function checkPack(
  bucket: Bucket,
  rid: RepoId,
  pack: PublishedPack,
  task: Task,
): Promise<PackCheck> {
  const { name, bytes, idxBytes, objects, offsets } = pack;
  const [packAt, idxAt, offsetsAt] = (["pack", "idx", "offsets"] as const).map((file) =>
    packKey(rid, name, file)
  );
  const damaged: string[] = [];
  const digests: Uint8Array[] = [];
  const end = await hashFile(bucket, packAt!, bytes, async (part) => {
    digests.push(...await digestsOfBlocks(part, task));
  });
  if (end?.stored !== name || end.computed !== name) damaged.push(packAt!);
  const parts: Uint8Array[] = [];
  const idxEnd = await hashFile(bucket, idxAt!, idxBytes, (part) => void parts.push(part));
  const idx = idxEnd && ifReadable(() => parsePackIdx(joinBytes(parts)));
  const isIdx = idxEnd?.stored === idxEnd?.computed && idx?.packName === name &&
    idx.objects.length === objects;
  if (!isIdx) return { damaged: [...damaged, idxAt!], oids: [] };
  const oids = idx.objects.map(({ oid }) => oid);
  // Only an undamaged pack has the digests that the table must have.
  if (damaged.length > 0) return { damaged, oids };
  const table = encodeOffsetTable(digests, idx.objects);
  if ("inline" in offsets) {
    if (offsets.inline !== inlineOf(table)) damaged.push(manifestKey(rid));
  } else {
    const found = await bucket.get(offsetsAt!, { limitBytes: table.length });
    const isSame = typeof found === "object" && isSameBytes(found.bytes, table);
    if (!isSame || await sha256OfLong(table) !== offsets.sha256) damaged.push(offsetsAt!);
  }
  return { damaged, oids };
}

/**
 * Computes the SHA-1 of a file without its last 20 bytes, and returns it with the SHA-1 in these bytes.
 * Returns `undefined` when the file is missing or has another size.
 */
async function hashFile(
  bucket: Bucket,
  key: string,
  bytes: number,
  onPart: (part: Uint8Array<ArrayBuffer>) => Promise<void> | void,
): Promise<{ readonly computed: Oid; readonly stored: Oid } | undefined> {
  if ((await bucket.head(key))?.size !== bytes) return undefined;
  const hash = sha1.create();
  let end: Uint8Array = new Uint8Array();
  for (let start = 0; start < bytes; start += READ_BYTES) {
    const found = await bucket.get(key, { range: { start, end: Math.min(bytes, start + READ_BYTES) } });
    if (typeof found !== "object") return undefined;
    await onPart(found.bytes);
    // The last 20 bytes may begin in the part before the last one.
    const known = joinBytes([end, found.bytes]);
    hash.update(known.subarray(0, -OID_BYTES));
    end = known.slice(-OID_BYTES);
  }
  return { computed: oidFromBytes(hash.digest()), stored: oidFromBytes(end) };
}
