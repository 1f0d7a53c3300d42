/** Joins, compares and frees byte arrays. */

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Checks whether two arrays contain the same bytes. Never use this function for secrets, because the duration
 * shows where the arrays differ.
 */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/**
 * Minimum length of an array that {@link releaseBytes} frees, in bytes. Buffers that several arrays share are
 * shorter.
 */
export const RELEASED_BYTES = 2 ** 17;

/**
 * Frees the memory of bytes at once, unless they are shorter than {@link RELEASED_BYTES}. Call this function
 * only if no other code uses the bytes, and do not use the bytes afterwards. Without this call,
 * JavaScriptCore lets garbage grow to the size of all live objects.
 */
export function releaseBytes(bytes: Uint8Array | undefined): void {
  if (bytes === undefined) return;
  const { buffer } = bytes;
  // A small part of a large buffer is not freed, because other arrays may use the rest.
  const isMost = bytes.byteLength >= RELEASED_BYTES && 2 * bytes.byteLength > buffer.byteLength;
  if (isMost && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Yields the pieces unchanged. Calls `release` when the reader has reached the end or has stopped early. */
export function releasingAfter<T>(
  pieces: AsyncGenerator<T> | Generator<T>,
  release: (() => void) | undefined,
): AsyncGenerator<T> | Generator<T> {
  return release === undefined ? pieces : passOn(pieces, release);
}

async function* passOn<T>(pieces: AsyncGenerator<T> | Generator<T>, release: () => void): AsyncGenerator<T> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}

/**
 * Returns the first of `count` indexes for which the test is true; `count` if there is no such index. Uses
 * binary search, so after the first index for which the test is true, it must be true for all further
 * indexes.
 */
export function firstWhere(count: number, test: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns a view of the same bytes, to read numbers of several bytes. */
export function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
