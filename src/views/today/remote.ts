/** A remote as clients of today's service see it: with its tags. */
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";

/** The facts shown about a remote. */
export interface TodayRemote {
  readonly nid: NodeId;
  readonly alias: string | undefined;
  /** Branches and tags by full name, with their commits. */
  readonly refs: ReadonlyMap<string, Oid>;
  readonly isDelegate: boolean;
}

const HEADS = "refs/heads/";
/** References that are shown in one go: a millisecond. */
const REFS_AT_ONCE = 2048;

/** The JSON of a remote: `heads` by short name, `refs` by full name, some at a time. */
export function* todayRemotePieces({ nid, alias, refs, isDelegate }: TodayRemote): Generator<string> {
  const start = JSON.stringify({ id: nid, ...(alias !== undefined && { alias }) });
  const heads = [...refs].filter(([name]) => name.startsWith(HEADS));
  yield `${start.slice(0, -1)},"heads":`;
  yield* mapPieces(heads.map(([name, oid]) => [name.slice(HEADS.length), oid]));
  yield `,"refs":`;
  yield* mapPieces([...refs]);
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
