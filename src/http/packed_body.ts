/** Request bodies as bytes, which may be packed with gzip (RFC 9110, 8.4). */
import { ApiError } from "../errors.ts";
import { joinBytes } from "../bytes/join.ts";
import { budgetOfProcess, CHUNK_OVERHEAD_BYTES, lostBody } from "./body.ts";
import type { BodyBudget } from "./body_budget.ts";

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
  if (Number(request.headers.get("content-length") ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (request.body === null) return new Uint8Array(0);
  const body = GZIP.has(coding) ? unpacked(bounded(request.body, limitBytes)) : request.body;
  return await gather(body, limitBytes, budget);
}

async function gather(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limitBytes: number,
  budget: BodyBudget,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  const arriving = budget.begin(cancel);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let size = 0;;) {
      const chunk = (await reader.read().catch((error) => {
        if (arriving.isLost) return undefined;
        throw error instanceof ApiError ? error : new ApiError("badRequest", "Request body is incomplete");
      }))?.value;
      if (arriving.isLost) throw lostBody();
      if (chunk === undefined) return joinBytes(chunks);
      size += chunk.length;
      if (size > limitBytes) {
        cancel();
        throw tooLarge(limitBytes);
      }
      arriving.add(chunk.length + CHUNK_OVERHEAD_BYTES);
      chunks.push(chunk);
    }
  } finally {
    arriving.end();
  }
}

/** The same stream, which fails after so many bytes. */
function bounded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limitBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size > limitBytes) throw tooLarge(limitBytes);
        controller.enqueue(chunk);
      },
    }),
  );
}

function unpacked(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return body.pipeThrough(new DecompressionStream("gzip"));
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError("payloadTooLarge", `Request body is larger than ${limitBytes} bytes`);
}
