/** Memory of large temporary bytes, returned at once. */

/** Least length of bytes that are worth the call, in bytes: more than any buffer that others share. */
export const RELEASED_BYTES = 2 ** 17;

/**
 * Frees the memory of bytes that their only owner uses no more; shorter ones than {@link RELEASED_BYTES} are
 * left to the engine. Without the call they last until the next collection of garbage, and JavaScriptCore
 * lets as much garbage gather as there are live objects.
 */
export function releaseBytes(bytes: Uint8Array | undefined): void {
  if (bytes === undefined) return;
  const { buffer } = bytes;
  // A small part of a large buffer may be one of many.
  const isMost = bytes.byteLength >= RELEASED_BYTES && 2 * bytes.byteLength > buffer.byteLength;
  if (isMost && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** The same pieces; calls `release` when no more will be made, because the reader has ended or left. */
export function releasingAfter<T>(
  pieces: AsyncGenerator<T>,
  release: (() => void) | undefined,
): AsyncGenerator<T> {
  return release === undefined ? pieces : passOn(pieces, release);
}

async function* passOn<T>(pieces: AsyncGenerator<T>, release: () => void): AsyncGenerator<T> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}
