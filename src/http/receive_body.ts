/** Receives the chunks of request bodies within a limit for each body and a memory budget for all. */
import { ApiError } from "../errors.ts";
import { BodyBudget } from "./body_budget.ts";

/** Memory that each chunk of a body takes in addition to its bytes, approximately. */
const CHUNK_OVERHEAD_BYTES = 64;
/** `Retry-After` of a request whose body was evicted from the budget, in seconds. */
const RETRY_SECONDS = 5;

/** Budget shared by all request bodies of the process. */
export const budgetOfProcess: BodyBudget = new BodyBudget();

/** The error for a body of more than `limitBytes` bytes. */
export function bodyTooLarge(limitBytes: number): ApiError {
  return new ApiError("payloadTooLarge", `Request body is larger than ${limitBytes} bytes`);
}

/**
 * Refuses a request that declares a larger body. The declaration may be wrong: the bytes received count.
 *
 * @throws {ApiError} `payloadTooLarge`.
 */
export function checkDeclaredLength({ headers }: Request, limitBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
}

/**
 * Receives a body to its end.
 *
 * @param limitBytes Largest body, inclusive.
 * @param take Receives each chunk. What it throws ends the body.
 * @throws {ApiError} `payloadTooLarge` beyond the limit; `unavailable` when newer bodies took the memory of
 *   this one; `badRequest` when the body is incomplete; errors of that class with which the stream fails.
 */
export async function receiveBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limitBytes: number,
  budget: BodyBudget,
  take: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const reader = body?.getReader();
  const cancel = () => reader?.cancel().catch(() => {});
  const arriving = budget.begin(cancel);
  try {
    for (let size = 0;;) {
      const chunk = (await reader?.read().catch((error) => {
        if (arriving.isLost) return undefined;
        throw error instanceof ApiError ? error : new ApiError("badRequest", "Request body is incomplete");
      }))?.value;
      if (arriving.isLost) throw lostBody();
      if (chunk === undefined) return;
      size += chunk.length;
      if (size > limitBytes) {
        await cancel();
        throw bodyTooLarge(limitBytes);
      }
      arriving.add(chunk.length + CHUNK_OVERHEAD_BYTES);
      take(chunk);
    }
  } finally {
    arriving.end();
  }
}

function lostBody(): ApiError {
  return new ApiError("unavailable", "Too many request bodies arrive", { retryAfterSeconds: RETRY_SECONDS });
}
