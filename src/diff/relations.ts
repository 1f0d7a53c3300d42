/** Which old and new files may be alike, so that one may have been moved or copied to the place of the other. */
import type { Oid } from "../ids/oid.ts";
import type { BlobContents } from "./blob_contents.ts";
import { areAlike, type Pieces, piecesOf } from "./similarity.ts";
import type { Change, FileSide } from "./tree_comparison.ts";

/** A file that was there and an added one that are alike, or may be. */
export interface Relation {
  readonly from: Change;
  readonly to: Change;
  /** Else only libgit2 can tell. */
  readonly areSurelyAlike: boolean;
}

/** Pieces of texts looked at in search of relations. What would take more is left to libgit2, which takes as long for it. */
export const MAX_COMPARED_PIECES = 2 ** 23;

/** How many times as large as the other a file may be for it to be plain that libgit2 compares them: half of what was found. */
const MAX_PLAIN_SIZE_FACTOR = 4;

/** A side of a change that may be like others. */
interface Candidate {
  readonly change: Change;
  readonly side: FileSide;
  /** Bytes in the file; `undefined` when it is not looked into. */
  readonly size: number | undefined;
  readonly pieces: Pieces | undefined;
}

/** All relations between files; `undefined` when it takes too long to find them. Files without a content are like no others, unless they are equal. */
export function findRelations(changes: readonly Change[], contents: BlobContents): Relation[] | undefined {
  const [sources, targets] = candidatesOf(changes, contents);
  const cost = targets.length * countPieces(sources) + sources.length * countPieces(targets);
  if (cost > MAX_COMPARED_PIECES) return undefined;
  const relations: Relation[] = [];
  for (const target of targets) {
    for (const source of sources) {
      const alike = areFilesAlike(source, target);
      if (alike === false) continue;
      relations.push({ from: source.change, to: target.change, areSurelyAlike: alike === true });
    }
  }
  return relations;
}

/** The old sides of files, and the new ones of added files. */
function candidatesOf(
  changes: readonly Change[],
  contents: BlobContents,
): [sources: Candidate[], targets: Candidate[]] {
  const known = new Map<Oid, Pieces | undefined>();
  const [sources, targets]: [Candidate[], Candidate[]] = [[], []];
  for (const change of changes) {
    const side = change.old ?? change.new;
    if (side === undefined) continue;
    const content = contents.get(side.oid);
    if (content !== undefined && !known.has(side.oid)) known.set(side.oid, piecesOf(content));
    const candidate = { change, side, size: content?.length, pieces: known.get(side.oid) };
    (change.old === undefined ? targets : sources).push(candidate);
  }
  return [sources, targets];
}

function countPieces(candidates: readonly Candidate[]): number {
  return candidates.reduce((count, { pieces }) => count + (pieces?.length ?? 0), 0);
}

/** `undefined` when only libgit2 can tell. */
function areFilesAlike(a: Candidate, b: Candidate): boolean | undefined {
  const areFiles = isFile(a.side) && isFile(b.side);
  if (a.side.oid === b.side.oid) return areFiles || undefined;
  if (a.size === undefined || b.size === undefined) return false;
  const alike = a.pieces && b.pieces && areAlike(a.pieces, b.pieces);
  const areClose = Math.max(a.size, b.size) <= MAX_PLAIN_SIZE_FACTOR * Math.min(a.size, b.size);
  return alike && !(areFiles && areClose) ? undefined : alike;
}

function isFile({ mode }: FileSide): boolean {
  return mode === "blob" || mode === "blobExecutable";
}
