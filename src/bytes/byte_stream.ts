/** Streams of bytes without read-ahead: a chunk is made when it is asked for. */

type Bytes = Uint8Array<ArrayBuffer>;

/** How a stream begins and ends, besides its chunks. */
export interface ByteStreamOptions {
  /** Chunks before all others. */
  readonly first?: readonly Bytes[];
  /** The error that readers get for one that was thrown; the same by default. */
  readonly explain?: (error: unknown) => unknown;
  /** Ends the making of chunks when the reader stops before the end. */
  readonly cancel?: (reason: unknown) => unknown;
}

/**
 * A stream of chunks. When its reader has left, a chunk that is still made is dropped, and its error is
 * passed over.
 *
 * @param next Makes a chunk; `undefined` at the end. What it throws breaks the stream off.
 */
export function byteStream(
  next: () => Bytes | undefined | Promise<Bytes | undefined>,
  { first = [], explain = (error) => error, cancel }: ByteStreamOptions = {},
): ReadableStream<Bytes> {
  let hasLeft = false;
  return new ReadableStream<Bytes>({
    start: (controller) => first.forEach((chunk) => controller.enqueue(chunk)),
    async pull(controller) {
      try {
        const chunk = await next();
        if (hasLeft) return;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      } catch (error) {
        if (!hasLeft) throw explain(error);
      }
    },
    async cancel(reason) {
      hasLeft = true;
      await cancel?.(reason);
    },
  }, { highWaterMark: 0 });
}
