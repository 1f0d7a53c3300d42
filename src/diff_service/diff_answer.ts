/** Answers with diffs: cached ones, or made part by part as the client reads. */
import type { ByteCache, KeyedBytes } from "../cache/byte_cache.ts";
import { joinBytes } from "../bytes/bytes.ts";
import type { Oid } from "../ids/oid.ts";
import type { FileBatch, MadeDiff, Requester } from "../ports/workers.ts";
import type { DiffView } from "../views/diff.ts";

/** A diff, ready to be answered. */
export interface DiffAnswer {
  /** Blobs in the diff, to be shown as members of `files`. */
  readonly touched: readonly Oid[];
  /** Bytes of these blobs. */
  readonly touchedBytes: number;
  /** Bytes of JSON that are made: all, or those of the first part. */
  readonly bytes: number;
  /**
   * The diff object as JSON. A piece with a key is a whole diff that is cached under this key, or one end of
   * it. Made while they are read, once.
   */
  readonly pieces: AsyncGenerator<KeyedBytes | Uint8Array<ArrayBuffer>>;
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/**
 * The JSON of a diff that was made in parts. Its ends have the key of the diff, so that the diff is cached as
 * a part of its answer.
 *
 * @param key Key of the diff in caches.
 * @param first The first part.
 * @param parts Makes the other parts, until the signal is aborted.
 * @param whenMade Called when all parts have been made.
 * @param view The form of the diff.
 */
export async function* diffPieces(
  key: string,
  first: MadeDiff,
  parts: (signal: AbortSignal) => AsyncGenerator<MadeDiff>,
  requester: Requester | undefined,
  whenMade: () => void,
  { afterFiles }: Pick<DiffView, "afterFiles">,
): AsyncGenerator<KeyedBytes | Uint8Array<ArrayBuffer>> {
  yield { key: keyOfJson(key), bytes: first.json, end: "first" };
  const leaving = new AbortController();
  const signal = requester?.signal ? AbortSignal.any([requester.signal, leaving.signal]) : leaving.signal;
  let { last, stats: { insertions, deletions } } = first;
  try {
    for await (const part of parts(signal)) {
      insertions += part.stats.insertions;
      deletions += part.stats.deletions;
      last = part.last;
      yield part.json;
    }
    whenMade();
    const bytes = encoder.encode(afterFiles(last, { ...first.stats, insertions, deletions }));
    yield { key: keyOfJson(key), bytes, end: "last" };
  } finally {
    leaving.abort();
  }
}

/** A divided diff with the parts of its first batches. What was not made of the batches is its rest. */
export function joinParts(
  divided: MadeDiff,
  parts: readonly MadeDiff[],
  { afterFiles }: Pick<DiffView, "afterFiles">,
): MadeDiff {
  const texts: Uint8Array[] = [];
  let [insertions, deletions, last] = [0, 0, divided.last];
  let rest: readonly FileBatch[] = divided.rest;
  for (const part of parts) {
    texts.push(part.json);
    insertions += part.stats.insertions;
    deletions += part.stats.deletions;
    last = part.last;
    rest = [...part.rest, ...rest.slice(1)];
    if (part.rest.length > 0) break;
  }
  const stats = { ...divided.stats, insertions, deletions };
  if (rest.length === 0) texts.push(encoder.encode(afterFiles(last, stats)));
  return { ...divided, json: joinBytes(texts), stats, last, rest };
}

/** Key of the JSON of a diff. */
const keyOfJson = (key: string) => `diff ${key}`;
/** Key of the blobs in a diff. */
const keyOfTouched = (key: string) => `touched ${key}`;

/**
 * A diff from the cache, where it stands by itself or as a part of an answer; `undefined` when it is not
 * cached.
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

/** Caches the blobs of a diff, whose JSON is cached elsewhere. */
export function cacheTouched(
  answerCache: ByteCache,
  key: string,
  { touched, touchedBytes }: MadeDiff,
): void {
  const bytes = encoder.encode(JSON.stringify({ touched, touchedBytes }));
  answerCache.set(keyOfTouched(key), { bytes });
}

/** The JSON of a whole diff. */
export async function* wholeDiff(
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
): AsyncGenerator<KeyedBytes> {
  yield { key: keyOfJson(key), bytes };
}
