/** Comparisons as finished JSON: what a worker is there for, and what is done in this process where there is none. */
import { joinBytes } from "../bytes/join.ts";
import { diffTrees, type Pause } from "../diff/tree_diff.ts";
import type { Libgit2Calls } from "../diff/libgit2.ts";
import type { Oid } from "../ids/oid.ts";
import type { Made } from "../ports/workers.ts";
import type { Repository } from "../ports/storage.ts";
import { MAX_SHOWN_BYTES, toDiffFileView } from "../views/blob.ts";
import { diffPieces } from "../views/diff.ts";

/** Bytes of blobs above which a part of `files` ends. */
export const FILES_PART_BYTES = 4 * 2 ** 20;

/** Characters of JSON that are encoded at once. */
const CHUNK_LENGTH = 2 ** 18;

const encoder = new TextEncoder();

/**
 * The diff between two trees; without an old tree all files were added.
 *
 * @throws {DamagedError} when a tree or a blob is missing or broken, or the trees are too large to be compared.
 */
export async function makeDiff(
  libgit2: Libgit2Calls,
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
  pause?: Pause,
): Promise<Made> {
  const { diff, touched } = await diffTrees(libgit2, repository, oldTree, newTree, pause);
  return { json: encodePieces(diffPieces(diff)), left: touched };
}

/**
 * Members of `files`, of the first of these blobs: at least of one, and of no more once {@link FILES_PART_BYTES} were read. What cannot be shown, or is
 * too large for it, is left out.
 */
export async function makeFiles(repository: Repository, oids: readonly Oid[]): Promise<Made> {
  const members: string[] = [];
  let bytes = 0;
  let next = 0;
  while (next < oids.length && bytes <= FILES_PART_BYTES) {
    const oid = oids[next++]!;
    const header = await repository.header(oid);
    if (header?.kind !== "blob" || header.size > MAX_SHOWN_BYTES) continue;
    const blob = await repository.object(oid);
    if (blob === undefined) continue;
    bytes += blob.bytes.length;
    members.push(
      `${members.length === 0 ? "" : ","}"${oid}":${JSON.stringify(toDiffFileView(oid, blob.bytes))}`,
    );
  }
  return { json: encodePieces(members), left: oids.slice(next) };
}

function encodePieces(pieces: Iterable<string>): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK_LENGTH) continue;
    chunks.push(encoder.encode(text));
    text = "";
  }
  return chunks.length === 0 ? encoder.encode(text) : joinBytes([...chunks, encoder.encode(text)]);
}
