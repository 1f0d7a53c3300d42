/** Renders the blobs of a diff as members of the JSON object `files` (specification, 4.2.3). */
import { Budget } from "../../diff/budget.ts";
import { ifReadable } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { MadeFiles } from "../../ports/workers.ts";
import { MAX_SHOWN_BYTES, toDiffFileView, toTruncatedFileView } from "../../views/blob.ts";
import { JsonBytes } from "./json_bytes.ts";
import { isUtf8 } from "./json_hunks.ts";

/** Size of blobs after which a part of `files` ends, in bytes. */
export const FILES_PART_BYTES = 4 * 2 ** 20;

/**
 * Renders the first blobs of a list, at least one, until {@link FILES_PART_BYTES} bytes were read. Damaged
 * blobs are left out. Blobs that are too large have no content, and are marked as truncated.
 *
 * @param budget Divides the work into time slices. The default budget does not divide the work.
 */
export async function makeFiles(
  repository: Repository,
  oids: readonly Oid[],
  budget: Budget = new Budget(),
): Promise<MadeFiles> {
  const json = new JsonBytes();
  let [next, bytes] = [0, 0];
  while (next < oids.length && bytes <= FILES_PART_BYTES) {
    await budget.yield();
    bytes += await writeMember(json, repository, oids[next++]!, budget);
  }
  return { json: json.toBytes(), left: oids.slice(next) };
}

/**
 * Writes a blob, with a comma before each blob except the first. Leaves out a damaged blob. Returns the
 * number of bytes that were read.
 */
async function writeMember(
  json: JsonBytes,
  repository: Repository,
  oid: Oid,
  budget: Budget,
): Promise<number> {
  const comma = json.length === 0 ? "" : ",";
  const limitBytes = Math.min(MAX_SHOWN_BYTES, budget.limits.blobBytes);
  let blob = await ifReadable(async () => await repository.object(oid, { limitBytes }));
  // The storage of a host may not support limits.
  if (blob === undefined || blob.bytes.length > limitBytes) {
    const header = await repository.header(oid);
    if (header?.kind !== "blob") return 0;
    if (header.size > MAX_SHOWN_BYTES) {
      json.write(`${comma}"${oid}":${JSON.stringify(toTruncatedFileView(oid))}`);
      return 0;
    }
    budget.check("blobBytes", header.size);
    // Reads the object again without a limit, because a storage remembers that an object is damaged only
    // after such a read.
    blob = await repository.object(oid);
  }
  if (blob?.kind !== "blob") return 0;
  json.write(`${comma}"${oid}":`);
  const { bytes } = blob;
  budget.readBytes += bytes.length;
  if (!isUtf8(bytes)) {
    json.write(JSON.stringify(toDiffFileView(oid, bytes)));
    return bytes.length;
  }
  const [before, after] = splitEmptyContent(JSON.stringify(toDiffFileView(oid, bytes, "")));
  json.write(before);
  json.writeString(bytes, 0, bytes.length);
  json.write(after);
  return bytes.length;
}

const EMPTY_CONTENT = '"content":""';

/** Splits the JSON of a file with empty content at the position of the content. */
function splitEmptyContent(view: string): [before: string, after: string] {
  const at = view.indexOf(EMPTY_CONTENT) + EMPTY_CONTENT.length - 1;
  return [view.slice(0, at), view.slice(at)];
}
