/** Answers: JSON in one piece or streamed, and errors in the one shape that clients know (7). */
import { joinBytes } from "../bytes/join.ts";
import { ApiError, DamagedError, statusOf, TooLargeError, UnsupportedError } from "../errors.ts";
import type { Environment } from "../ports/environment.ts";
import { TimeSlices } from "../async/time_slices.ts";
import type { Answer } from "./answer.ts";

/** Streamed answers up to this size are gathered first, so that they carry a length and may still become an error. */
export const GATHERED_BYTES = 1024 * 1024;

/** Nothing is made before it is asked for: whoever makes pieces bounds what is made ahead. */
const UNREAD = { highWaterMark: 0 };

const JSON_TYPE = { "content-type": "application/json" };
const encoder = new TextEncoder();

/** A JSON answer. */
export function json(
  value: unknown,
  init: { status?: number; headers?: Record<string, string> } = {},
): Answer {
  return jsonBytes(encoder.encode(JSON.stringify(value)), init);
}

/** A JSON answer whose text is there already. */
export function jsonText(text: string, init: { headers?: Record<string, string> } = {}): Answer {
  return jsonBytes(encoder.encode(text), init);
}

/** A JSON answer that is an array of what these texts are; a long one is streamed. */
export async function jsonTexts(texts: readonly string[], log: Environment["log"]): Promise<Answer> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length <= GATHERED_BYTES ? jsonText(`[${texts.join(",")}]`) : await jsonPieces(toArray(texts), log);
}

/**
 * A JSON answer whose text, or the UTF-8 of it, comes in pieces, each made in a few milliseconds: what is left after {@link GATHERED_BYTES} is sent while it is
 * made, and not made when the client leaves. Other requests come in between. What fails then can no longer become an error: the answer breaks off, and the log says why.
 */
export async function jsonPieces(
  pieces: AsyncGenerator<string | Uint8Array<ArrayBuffer>>,
  log: Environment["log"],
  { gatheredBytes = GATHERED_BYTES, heldBytes = 0 }: {
    /** Instead of {@link GATHERED_BYTES}. */
    readonly gatheredBytes?: number;
    /** Memory that the pieces are made of, which is held while the answer leaves. */
    readonly heldBytes?: number;
  } = {},
): Promise<Answer> {
  const slices = new TimeSlices();
  const gathered: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  while (size <= gatheredBytes) {
    await slices.next();
    const { done, value } = await pieces.next();
    if (done === true) return jsonBytes(joinBytes(gathered));
    const bytes = toBytes(value);
    gathered.push(bytes);
    size += bytes.length;
  }
  let hasLeft = false;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => gathered.forEach((bytes) => controller.enqueue(bytes)),
    async pull(controller) {
      try {
        await slices.next();
        const { done, value } = await pieces.next();
        if (hasLeft) return;
        if (done === true) controller.close();
        else controller.enqueue(toBytes(value));
      } catch (error) {
        if (hasLeft) return;
        log("error", "Answer broke off", error);
        controller.error(new Error("Answer broke off"));
      }
    },
    async cancel() {
      hasLeft = true;
      await pieces.return(undefined);
    },
  }, UNREAD);
  return { status: 200, headers: JSON_TYPE, body: { stream, heldBytes: heldBytes + size } };
}

/** What is missing or refused now may be there in a moment: caches, some of which keep a 404 of their own accord, shall not. */
const NOT_KEPT = { "cache-control": "no-store" };

/** An error answer: `{"error", "code"}`; failures of path and query say `"success": false`, too, as the real service does. */
export function errorAnswer(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return json({ error: message, code: status }, { status, headers: { ...NOT_KEPT, ...headers } });
}

/** The answer for whatever a handler threw; `log` hears of what is not the client's doing. */
export function toErrorAnswer(error: unknown, log: (message: string, cause: unknown) => void): Answer {
  if (error instanceof ApiError) {
    const code = statusOf(error.code);
    if (error.code === "badParameter") {
      return json({ success: false, error: error.message, code }, { status: code, headers: NOT_KEPT });
    }
    const { retryAfterSeconds } = error;
    return errorAnswer(
      code,
      error.message,
      retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    );
  }
  if (error instanceof TooLargeError) return errorAnswer(statusOf("payloadTooLarge"), error.message);
  if (error instanceof DamagedError) {
    log("Damaged repository data", error);
    return errorAnswer(404, "Repository data is damaged");
  }
  if (error instanceof UnsupportedError) {
    log(error.message, error.cause);
    return errorAnswer(501, error.message);
  }
  log("Request failed", error);
  return errorAnswer(500, "Internal Server Error");
}

function toBytes(piece: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof piece === "string" ? encoder.encode(piece) : piece;
}

function jsonBytes(
  bytes: Uint8Array<ArrayBuffer>,
  { status, headers }: { status?: number; headers?: Record<string, string> } = {},
): Answer {
  return bytesAnswer(bytes, { ...JSON_TYPE, "content-length": String(bytes.length), ...headers }, status);
}

/** An answer with a body in one piece. */
export function bytesAnswer(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Answer["headers"],
  status: number = 200,
): Answer {
  return { status, headers, body: bytes };
}

async function* toArray(texts: readonly string[]): AsyncGenerator<string> {
  const slices = new TimeSlices();
  for (const [i, text] of texts.entries()) {
    yield `${i === 0 ? "[" : ","}${text}`;
    await slices.next();
  }
  yield "]";
}
