/** A remote as clients see it (2.8). */
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";

/** The facts shown about a remote. */
export interface ShownRemote {
  readonly nid: NodeId;
  readonly alias?: string | undefined;
  /** Branches by short name. */
  readonly heads: Iterable<readonly [name: string, oid: Oid]>;
  /** Branches and tags by full name, with their commits; for today's clients alone. */
  readonly refs?: Iterable<readonly [name: string, oid: Oid]>;
  readonly isDelegate: boolean;
}

/** References that are shown in one go: a millisecond. */
const REFS_AT_ONCE = 2048;

/** The JSON of a remote, some references at a time. */
export function* remotePieces({ nid, alias, heads, refs, isDelegate }: ShownRemote): Generator<string> {
  const start = JSON.stringify({ id: nid, ...(alias !== undefined && { alias }) });
  yield `${start.slice(0, -1)},"heads":`;
  yield* mapPieces([...heads]);
  if (refs !== undefined) {
    yield `,"refs":`;
    yield* mapPieces([...refs]);
  }
  yield `,"delegate":${isDelegate}}`;
}

function* mapPieces(entries: readonly (readonly [name: string, oid: Oid])[]): Generator<string> {
  yield "{";
  for (let at = 0; at < entries.length; at += REFS_AT_ONCE) {
    const some = entries.slice(at, at + REFS_AT_ONCE);
    yield (at === 0 ? "" : ",") + some.map(([name, oid]) => `${JSON.stringify(name)}:"${oid}"`).join();
  }
  yield "}";
}
