/** The body of a request as a stream that can be cancelled: the one of Node.js, and of Deno, fails outside of any handler when data comes after that. */
import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * The bytes of a request's body as they come; reading rejects when the client leaves. Cancelled, it leaves the connection as it is. Bytes that nobody
 * wants are read once the request has been answered, so that the next request on the connection can come.
 */
export function streamBody(
  request: IncomingMessage,
  response: ServerResponse,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = request.iterator({ destroyOnReturn: false });
  let isCancelled = false;
  // It settles when more has come, or nothing more can.
  const letGo = async () => {
    isCancelled = true;
    await chunks.return?.().catch(() => {});
  };
  response.once("finish", () => {
    if (!request.complete) void letGo().then(() => request.resume());
  });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (isCancelled) return;
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    },
    cancel: () => void letGo(),
  }, { highWaterMark: 0 });
}
