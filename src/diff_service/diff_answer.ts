/** Answers with diffs: cached ones, or made part by part as the client reads. */
import type { ByteCache, CachedBytes } from "../cache/byte_cache.ts";
import { joinBytes } from "../bytes/join.ts";
import { type Oid, OID_BYTES, oidFromBytes, oidToBytes } from "../ids/oid.ts";
import type { Asker, MadeDiff } from "../ports/workers.ts";
import { afterFiles } from "../views/diff.ts";

/** A diff, ready to be answered. */
export interface DiffAnswer {
  /** Blobs that it touches, to be shown as members of `files`. */
  readonly touched: readonly Oid[];
  /** Bytes of these blobs. */
  readonly touchedBytes: number;
  /** The diff object as JSON; made anew each time. */
  pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>>;
}

const encoder = new TextEncoder();

/**
 * The JSON of a diff.
 *
 * @param first What has been made.
 * @param parts Makes the other parts, until the signal is aborted.
 * @param keep Is given the whole JSON when it is short enough to be held.
 */
export async function* diffPieces(
  first: MadeDiff,
  parts: (signal: AbortSignal) => AsyncGenerator<MadeDiff>,
  asker: Asker | undefined,
  keep: { admits(bytes: number): boolean; take(json: Uint8Array<ArrayBuffer>): void },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield first.json;
  if (first.rest.length === 0) return;
  const leaving = new AbortController();
  const signal = asker?.signal ? AbortSignal.any([asker.signal, leaving.signal]) : leaving.signal;
  let { last, stats: { insertions, deletions } } = first;
  let held: Uint8Array<ArrayBuffer>[] | undefined = [first.json];
  let bytes = first.json.length;
  const hold = (json: Uint8Array<ArrayBuffer>) => {
    bytes += json.length;
    if (keep.admits(bytes)) held?.push(json);
    else held = undefined;
  };
  try {
    for await (const part of parts(signal)) {
      insertions += part.stats.insertions;
      deletions += part.stats.deletions;
      last = part.last;
      hold(part.json);
      yield part.json;
    }
    const end = encoder.encode(afterFiles(last, { ...first.stats, insertions, deletions }));
    hold(end);
    if (held !== undefined) keep.take(joinBytes(held));
    yield end;
  } finally {
    leaving.abort();
  }
}

/** The beginning of a diff with the part that follows it. */
export function appendPart(first: MadeDiff, part: MadeDiff): MadeDiff {
  const { touched, touchedBytes } = first;
  const rest = [...part.rest, ...first.rest.slice(1)];
  const stats = {
    filesChanged: first.stats.filesChanged,
    insertions: first.stats.insertions + part.stats.insertions,
    deletions: first.stats.deletions + part.stats.deletions,
  };
  const end = rest.length === 0 ? [encoder.encode(afterFiles(part.last, stats))] : [];
  return {
    json: joinBytes([first.json, part.json, ...end]),
    touched,
    touchedBytes,
    stats,
    last: part.last,
    rest,
  };
}

/** Where the blobs of a cached diff begin, behind how many bytes they have. */
const TOUCHED_AT = 8;

/** A diff in the cache; `undefined` when it is not there. */
export function cachedDiff(answerCache: ByteCache, key: string): DiffAnswer | undefined {
  const json = answerCache.get(`diff ${key}`);
  const touched = answerCache.get(`touched ${key}`);
  if (json === undefined || touched === undefined) return undefined;
  const { buffer, byteOffset } = touched.bytes;
  return {
    touched: Array.from(
      { length: (touched.bytes.length - TOUCHED_AT) / OID_BYTES },
      (_, i) => oidFromBytes(touched.bytes, TOUCHED_AT + i * OID_BYTES),
    ),
    touchedBytes: new DataView(buffer, byteOffset).getFloat64(0),
    pieces: () => onePiece(json),
  };
}

/** Caches a diff. */
export function cacheDiff(
  answerCache: ByteCache,
  key: string,
  { touched, touchedBytes }: MadeDiff,
  json: Uint8Array<ArrayBuffer>,
): void {
  const head = new Uint8Array(TOUCHED_AT);
  new DataView(head.buffer).setFloat64(0, touchedBytes);
  answerCache.set(`diff ${key}`, { bytes: json });
  answerCache.set(`touched ${key}`, { bytes: joinBytes([head, ...touched.map(oidToBytes)]) });
}

async function* onePiece({ bytes }: CachedBytes): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield bytes;
}
