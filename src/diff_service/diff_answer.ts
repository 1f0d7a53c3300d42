/** Diffs for responses, from the cache or rendered part by part while the client reads. */
import type { ByteCache, KeyedBytes } from "../cache/byte_cache.ts";
import type { Oid } from "../ids/oid.ts";
import type { MadeDiff, MadePart } from "../ports/workers.ts";
import type { DiffView } from "../views/diff.ts";

/** A diff for a response. */
export interface DiffAnswer {
  /** Ids of the blobs in the diff. The response shows these blobs in its member `files`. */
  readonly touched: readonly Oid[];
  /** Total size of the blobs in `touched`, in bytes. */
  readonly touchedBytes: number;
  /** Size of the JSON that has already been rendered, in bytes. */
  readonly bytes: number;
  /**
   * The diff object as JSON text, which is rendered while the caller reads, and can be read only once. A
   * piece with a key is a whole diff that is cached under this key, or the first or last piece of a diff.
   */
  readonly pieces: AsyncGenerator<KeyedBytes | Uint8Array<ArrayBuffer>>;
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/**
 * Yields the JSON of a diff that is rendered in parts. The first and the last piece carry the key of the
 * diff, so that the diff is cached together with the response.
 *
 * @param key Key of the diff in caches.
 * @param first The first part.
 * @param parts Renders the other parts, until the signal is aborted.
 * @param signal Aborted when the client disconnects.
 * @param whenMade Called when all parts have been rendered.
 * @param view Writes the diff in the format of the dialect.
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
 * Returns a diff from the cache; `undefined` when the diff is not cached. The cache stores a diff separately
 * or as a part of a response.
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

/** Caches a diff separately, until a response that contains the diff is cached. */
export function cacheDiff(answerCache: ByteCache, key: string, diff: MadeDiff): void {
  answerCache.set(keyOfJson(key), { bytes: diff.json });
  cacheTouched(answerCache, key, diff);
}

/** Caches the list of blobs of a diff whose JSON is cached as a part of a response. */
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
