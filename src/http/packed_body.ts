/** Request bodies as bytes, which may be packed with gzip (RFC 9110, 8.4). */
import { ApiError } from "../errors.ts";
import { Task } from "../scheduling/task.ts";
import { joinBytes } from "../bytes/bytes.ts";
import {
  type BodyBudget,
  bodyTooLarge,
  budgetOfProcess,
  checkDeclaredLength,
  receiveBody,
} from "./receive_body.ts";

/**
 * Packed bytes that are unpacked in one go: at most 129 KiB come out. Some runtimes unpack a whole chunk at
 * once, in this thread.
 */
const PACKED_PIECE_BYTES = 128;

/** All bodies share the time in which they are unpacked, however many arrive together. */
const task = new Task("user-blocking");

/** Names of gzip as a content coding. */
const GZIP = new Set(["gzip", "x-gzip"]);
/** Names of no coding at all. */
const PLAIN = new Set(["", "identity"]);

/**
 * Reads the body of a request.
 *
 * @param limitBytes Most bytes, packed and unpacked.
 * @throws {ApiError} `unsupportedMediaType` for another coding than gzip; `payloadTooLarge` when more bytes
 *   arrive or come out; `unavailable` when newer bodies took the memory of this one; `badRequest` when the
 *   body is incomplete or not gzip.
 */
export async function readBytes(
  request: Request,
  limitBytes: number,
  budget: BodyBudget = budgetOfProcess,
): Promise<Uint8Array<ArrayBuffer>> {
  const coding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (!GZIP.has(coding) && !PLAIN.has(coding)) {
    throw new ApiError("unsupportedMediaType", `Content coding "${coding}" is not supported: expected gzip`);
  }
  checkDeclaredLength(request, limitBytes);
  if (request.body === null) return new Uint8Array(0);
  const body = GZIP.has(coding) ? unpacked(inPieces(request.body, limitBytes)) : request.body;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  await receiveBody(body, limitBytes, budget, (chunk) => void chunks.push(chunk));
  return joinBytes(chunks);
}

/**
 * A copy of a stream, in short pieces and steps, that fails after `limitBytes` bytes. A piece is given
 * when it is asked for: when the one before has been unpacked.
 */
function inPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limitBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let rest: Uint8Array<ArrayBuffer> | undefined = new Uint8Array(0);
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      while (rest?.length === 0) {
        rest = (await reader.read()).value;
        size += rest?.length ?? 0;
        if (size > limitBytes) throw bodyTooLarge(limitBytes);
      }
      await task.yield();
      if (rest === undefined) return controller.close();
      controller.enqueue(rest.subarray(0, PACKED_PIECE_BYTES));
      rest = rest.subarray(PACKED_PIECE_BYTES);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

function unpacked(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return body.pipeThrough(new DecompressionStream("gzip"));
}
