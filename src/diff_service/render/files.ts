/** The blobs of a diff as members of `files`, in JSON (4.2.3). */
import { type Budget, MIN_OBJECT_COST } from "../../diff/budget.ts";
import type { Oid } from "../../ids/oid.ts";
import type { ObjectHeader, Repository } from "../../ports/storage.ts";
import type { Made, MadeMembers } from "../../ports/workers.ts";
import { MAX_SHOWN_BYTES, toDiffFileView, toTruncatedFileView } from "../../views/blob.ts";
import { JsonBytes } from "./json_bytes.ts";
import { isUtf8 } from "./json_hunks.ts";

/** Bytes of blobs above which a part of `files` ends. */
export const FILES_PART_BYTES = 4 * 2 ** 20;

/**
 * Members of `files`, of the first of these blobs: at least of one, and of no more once {@link
 * FILES_PART_BYTES} were read. Damaged blobs are left out, too large ones are marked.
 *
 * @param budget The sizes of all blobs are checked against it before the first is read; by default nothing
 * is.
 * @throws {OverBudgetError} when it is exceeded.
 */
export async function makeFiles(
  repository: Repository,
  oids: readonly Oid[],
  budget?: Budget,
): Promise<Made> {
  const members = new MemberWriter(repository, budget && await readHeaders(repository, oids, budget), budget);
  let next = 0;
  while (next < oids.length && members.bytes <= FILES_PART_BYTES) {
    await members.write(oids[next++]!, members.json.length === 0 ? "" : ",");
  }
  return { json: members.json.toBytes(), left: oids.slice(next) };
}

/** Members of `files` of all these blobs, each by itself. Otherwise as {@link makeFiles}. */
export async function makeMembers(
  repository: Repository,
  oids: readonly Oid[],
  budget?: Budget,
): Promise<MadeMembers> {
  const members = new MemberWriter(repository, budget && await readHeaders(repository, oids, budget), budget);
  const ends: number[] = [];
  for (const oid of oids) {
    await members.write(oid);
    ends.push(members.json.length);
  }
  return { json: members.json.toBytes(), ends };
}

/** Writes blobs as members of `files`. */
class MemberWriter {
  readonly json = new JsonBytes();
  /** Bytes of the blobs that were written. */
  bytes = 0;
  readonly #repository: Repository;
  readonly #headers: ReadonlyMap<Oid, ObjectHeader> | undefined;
  readonly #budget: Budget | undefined;

  constructor(
    repository: Repository,
    headers: ReadonlyMap<Oid, ObjectHeader> | undefined,
    budget: Budget | undefined,
  ) {
    this.#repository = repository;
    this.#headers = headers;
    this.#budget = budget;
  }

  /** Writes a blob after the separator; nothing for a damaged one. */
  async write(oid: Oid, separator = ""): Promise<void> {
    const header = this.#headers ? this.#headers.get(oid) : await this.#repository.header(oid);
    if (header?.kind !== "blob") return;
    const isTooLarge = header.size > MAX_SHOWN_BYTES;
    const pause = this.#budget?.yield();
    if (pause !== undefined) await pause;
    const blob = isTooLarge ? undefined : await this.#repository.object(oid);
    if (blob === undefined && !isTooLarge) return;
    const json = this.json;
    json.write(`${separator}"${oid}":`);
    if (blob === undefined) return json.write(JSON.stringify(toTruncatedFileView(oid)));
    this.bytes += blob.bytes.length;
    if (!isUtf8(blob.bytes)) return json.write(JSON.stringify(toDiffFileView(oid, blob.bytes)));
    const [before, after] = splitEmptyContent(JSON.stringify(toDiffFileView(oid, blob.bytes, "")));
    json.write(before);
    json.writeString(blob.bytes, 0, blob.bytes.length);
    json.write(after);
  }
}

/** Kinds and sizes of blobs, as long as the budget allows to read them all. */
async function readHeaders(
  repository: Repository,
  oids: readonly Oid[],
  budget: Budget,
): Promise<Map<Oid, ObjectHeader>> {
  const headers = new Map<Oid, ObjectHeader>();
  let bytes = 0;
  for (const oid of oids) {
    const header = await repository.header(oid);
    const size = header?.size ?? 0;
    bytes += Math.max(size, MIN_OBJECT_COST);
    budget.checkBlob(size);
    budget.checkFiles(bytes);
    if (header !== undefined) headers.set(oid, header);
  }
  return headers;
}

const EMPTY_CONTENT = '"content":""';

/** Splits the JSON of a file with empty content at the place of its content. */
function splitEmptyContent(view: string): [before: string, after: string] {
  const at = view.indexOf(EMPTY_CONTENT) + EMPTY_CONTENT.length - 1;
  return [view.slice(0, at), view.slice(at)];
}
