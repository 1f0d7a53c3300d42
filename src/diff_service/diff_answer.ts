/** Answers with diffs: cached ones, or made part by part as the client reads. */
import type { ByteCache, KeyedBytes } from "../cache/byte_cache.ts";
import type { Oid } from "../ids/oid.ts";
import type { MadeDiff, MadePart } from "../ports/workers.ts";
import type { DiffView } from "../views/diff.ts";

/** A diff, ready to be answered. */
export interface DiffAnswer {
  /** Blobs in the diff, to be shown as members of `files`. */
  readonly touched: readonly Oid[];
  /** Bytes of these blobs. */
  readonly touchedBytes: number;
  /** Bytes of JSON made so far: of the whole diff, or of its first part. */
  readonly bytes: number;
  /**
   * The diff object as JSON, made while it is read; readable once. A piece with a key is a whole diff that is
   * cached under this key, or one end of it.
   */
  readonly pieces: AsyncGenerator<KeyedBytes | Uint8Array<ArrayBuffer>>;
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/**
 * The JSON of a diff that is made in parts. Its ends have the key of the diff, so that the diff is cached
 * together with the answer that contains it.
 *
 * @param key Key of the diff in caches.
 * @param first The first part.
 * @param parts Makes the other parts, until the signal is aborted.
 * @param signal Aborted when the client leaves.
 * @param whenMade Called when all parts have been made.
 * @param view The form of the diff.
 */
export async function* diffPieces(
  key: string,
  first: MadeDiff,
  parts: (signal: AbortSignal) => AsyncGenerator<MadePart>,
  signal: AbortSignal | undefined,
  whenMade: () => void,
  { afterFiles }: Pick<DiffView, "afterFiles">,
): AsyncGenerator<KeyedBytes | Uint8Array<ArrayBuffer>> {
  yield { key: keyOfJson(key), bytes: first.json, end: "first" };
  const leaving = new AbortController();
  let { insertions, deletions } = first;
  try {
    for await (const part of parts(signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal)) {
      insertions += part.insertions;
      deletions += part.deletions;
      yield part.json;
    }
    whenMade();
    const stats = { filesChanged: first.filesChanged, insertions, deletions };
    yield { key: keyOfJson(key), bytes: encoder.encode(afterFiles(first.last, stats)), end: "last" };
  } finally {
    leaving.abort();
  }
}

const keyOfJson = (key: string) => `diff ${key}`;
const keyOfTouched = (key: string) => `touched ${key}`;

/**
 * A diff from the cache, which holds it by itself or within an answer; `undefined` when it is not cached.
 */
export function cachedDiff(answerCache: ByteCache, key: string): DiffAnswer | undefined {
  const json = answerCache.get(keyOfJson(key));
  const touched = answerCache.get(keyOfTouched(key));
  if (json === undefined || touched === undefined) return undefined;
  const blobs: Pick<DiffAnswer, "touched" | "touchedBytes"> = JSON.parse(
    decoder.decode(touched.bytes),
  );
  return { ...blobs, bytes: json.bytes.length, pieces: wholeDiff(key, json.bytes) };
}

/** Caches a diff by itself, until an answer that contains it is cached. */
export function cacheDiff(answerCache: ByteCache, key: string, diff: MadeDiff): void {
  answerCache.set(keyOfJson(key), { bytes: diff.json });
  cacheTouched(answerCache, key, diff);
}

/** Caches the blobs of a diff whose JSON is cached within an answer. */
export function cacheTouched(
  answerCache: ByteCache,
  key: string,
  { touched, touchedBytes }: MadeDiff,
): void {
  const bytes = encoder.encode(JSON.stringify({ touched, touchedBytes }));
  answerCache.set(keyOfTouched(key), { bytes });
}

export async function* wholeDiff(
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
): AsyncGenerator<KeyedBytes> {
  yield { key: keyOfJson(key), bytes };
}
