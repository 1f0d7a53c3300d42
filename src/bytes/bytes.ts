/** Arrays of bytes: joined, compared, and their memory given back at once. */

/** Concatenates byte arrays into a new one. */
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
 * Whether two arrays hold the same bytes. The time that it takes tells where they differ: never for secrets.
 */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

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
 * The first of `count` places from which on a test holds; `count` when it holds at none. Once it holds, it
 * must hold at all further places.
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

/** Reads several bytes at a time. */
export function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
