/** Streams of bytes without read-ahead: each chunk is created on demand. */

type Bytes = Uint8Array<ArrayBuffer>;

export interface ByteStreamOptions {
  /** Chunks at the start of the stream. */
  readonly first?: readonly Bytes[];
  /** Converts a thrown error to the error that the reader gets. By default the reader gets the same error. */
  readonly explain?: (error: unknown) => unknown;
  /** Called when the reader stops before the end. This function must stop the production of chunks. */
  readonly cancel?: (reason: unknown) => unknown;
}

/**
 * Creates a stream of chunks. If the reader cancels while a chunk is being created, the chunk is dropped and
 * its error is ignored.
 *
 * @param next Creates the next chunk; returns `undefined` at the end. An error that `next` throws ends the
 * stream.
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
