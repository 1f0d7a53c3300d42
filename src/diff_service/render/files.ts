/** The blobs of a diff as members of `files`, in JSON (4.2.3). */
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Made } from "../../ports/workers.ts";
import { MAX_SHOWN_BYTES, toDiffFileView, toTruncatedFileView } from "../../views/blob.ts";
import { JsonBytes } from "./json_bytes.ts";
import { isUtf8 } from "./json_hunks.ts";

/** Bytes of blobs above which a part of `files` ends. */
export const FILES_PART_BYTES = 4 * 2 ** 20;

/**
 * Members of `files`, of the first of these blobs: at least of one, and of no more once {@link FILES_PART_BYTES} were read. What is damaged is left out,
 * what is too large is marked.
 */
export async function makeFiles(repository: Repository, oids: readonly Oid[]): Promise<Made> {
  const json = new JsonBytes();
  let bytes = 0;
  let next = 0;
  while (next < oids.length && bytes <= FILES_PART_BYTES) {
    const oid = oids[next++]!;
    const header = await repository.header(oid);
    if (header?.kind !== "blob") continue;
    const isTooLarge = header.size > MAX_SHOWN_BYTES;
    const blob = isTooLarge ? undefined : await repository.object(oid);
    if (blob === undefined && !isTooLarge) continue;
    json.write(`${json.length === 0 ? "" : ","}"${oid}":`);
    if (blob === undefined) {
      json.write(JSON.stringify(toTruncatedFileView(oid)));
    } else if (isUtf8(blob.bytes)) {
      bytes += blob.bytes.length;
      const [before, after] = splitEmptyContent(JSON.stringify(toDiffFileView(oid, blob.bytes, "")));
      json.write(before);
      json.writeString(blob.bytes, 0, blob.bytes.length);
      json.write(after);
    } else {
      bytes += blob.bytes.length;
      json.write(JSON.stringify(toDiffFileView(oid, blob.bytes)));
    }
  }
  return { json: json.toBytes(), left: oids.slice(next) };
}

const EMPTY_CONTENT = '"content":""';

/** What stands before and behind the content of a file that was left empty. */
function splitEmptyContent(view: string): [before: string, after: string] {
  const at = view.indexOf(EMPTY_CONTENT) + EMPTY_CONTENT.length - 1;
  return [view.slice(0, at), view.slice(at)];
}
