/** JSON of a remote (specification, 2.8): the signed references of a node in a repository. */
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";

export interface ShownRemote {
  readonly nid: NodeId;
  readonly alias?: string | undefined;
  /** Branches with their short names and commits. */
  readonly heads: Iterable<readonly [name: string, oid: Oid]>;
  /** Branches and tags with their full names and commits, only for the `/repos` dialect. */
  readonly refs?: Iterable<readonly [name: string, oid: Oid]>;
  readonly isDelegate: boolean;
}

/**
 * Number of references that are written before a pause. Writing these references takes about a millisecond.
 */
const REFS_AT_ONCE = 2048;

/** Yields the JSON text of a remote, in several pieces if it has very many references. */
export function* remotePieces({ nid, alias, heads, refs, isDelegate }: ShownRemote): Generator<string> {
  const start = JSON.stringify({ id: nid, ...(alias !== undefined && { alias }) });
  let text = yield* withMap(`${start.slice(0, -1)},"heads":`, [...heads]);
  if (refs !== undefined) text = yield* withMap(`${text},"refs":`, [...refs]);
  yield `${text},"delegate":${isDelegate}}`;
}

/** Yields all pieces except the last piece. Returns the last piece. */
function* withMap(
  before: string,
  entries: readonly (readonly [name: string, oid: Oid])[],
): Generator<string, string> {
  let text = `${before}{`;
  for (let at = 0; at < entries.length; at += REFS_AT_ONCE) {
    if (at > 0) {
      yield text;
      text = ",";
    }
    text += entries.slice(at, at + REFS_AT_ONCE).map(([name, oid]) => `${JSON.stringify(name)}:"${oid}"`)
      .join();
  }
  return `${text}}`;
}
