/** Answers: JSON in one piece or streamed, and errors in the one shape that clients know (7). */
import { joinBytes } from "../bytes/join.ts";
import { ApiError, DamagedError, statusOf, TooLargeError, UnsupportedError } from "../errors.ts";
import type { Environment } from "../ports/environment.ts";
import { Turns } from "../time/turns.ts";

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
): Response {
  return jsonBytes(encoder.encode(JSON.stringify(value)), init);
}

/** A JSON answer whose text is there already. */
export function jsonText(text: string, init: { headers?: Record<string, string> } = {}): Response {
  return jsonBytes(encoder.encode(text), init);
}

/** A JSON answer that is an array of what these texts are; a long one is streamed. */
export async function jsonTexts(texts: readonly string[], log: Environment["log"]): Promise<Response> {
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
    /** Memory that the pieces are made of, which is held while the answer leaves; for {@link heldBytesOf}. */
    readonly heldBytes?: number;
  } = {},
): Promise<Response> {
  const turns = new Turns();
  const gathered: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  while (size <= gatheredBytes) {
    await turns.next();
    const { done, value } = await pieces.next();
    if (done === true) return jsonBytes(joinBytes(gathered));
    const bytes = toBytes(value);
    gathered.push(bytes);
    size += bytes.length;
  }
  let hasLeft = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => gathered.forEach((bytes) => controller.enqueue(bytes)),
    async pull(controller) {
      try {
        await turns.next();
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
  const response = new Response(body, { headers: JSON_TYPE });
  held.set(response, heldBytes + size);
  return response;
}

/** How much memory streamed answers hold. */
const held = new WeakMap<Response, number>();

/** Memory that an answer in pieces holds while it leaves, in bytes, about; `undefined` for all other answers. */
export function heldBytesOf(response: Response): number | undefined {
  return held.get(response);
}

/** What is missing or refused now may be there in a moment: caches, some of which keep a 404 of their own accord, shall not. */
const NOT_KEPT = { "cache-control": "no-store" };

/** An error answer: `{"error", "code"}`; failures of path and query say `"success": false`, too, as the real service does. */
export function errorResponse(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return json({ error: message, code: status }, { status, headers: { ...NOT_KEPT, ...headers } });
}

/** The answer for whatever a handler threw; `log` hears of what is not the client's doing. */
export function toErrorResponse(error: unknown, log: (message: string, cause: unknown) => void): Response {
  if (error instanceof ApiError) {
    const code = statusOf(error.code);
    if (error.code === "badParameter") {
      return json({ success: false, error: error.message, code }, { status: code, headers: NOT_KEPT });
    }
    const { retryAfterSeconds } = error;
    return errorResponse(
      code,
      error.message,
      retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    );
  }
  if (error instanceof TooLargeError) return errorResponse(statusOf("payloadTooLarge"), error.message);
  if (error instanceof DamagedError) {
    log("Damaged repository data", error);
    return errorResponse(404, "Repository data is damaged");
  }
  if (error instanceof UnsupportedError) {
    log(error.message, error.cause);
    return errorResponse(501, error.message);
  }
  log("Request failed", error);
  return errorResponse(500, "Internal Server Error");
}

function toBytes(piece: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof piece === "string" ? encoder.encode(piece) : piece;
}

function jsonBytes(
  bytes: Uint8Array<ArrayBuffer>,
  init: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return bytesResponse(bytes, {
    status: init.status ?? 200,
    headers: { ...JSON_TYPE, "content-length": String(bytes.length), ...init.headers },
  });
}

/** An answer with a body in one piece, which is known by {@link bodyOf}. */
export function bytesResponse(
  bytes: Uint8Array<ArrayBuffer>,
  init: { status?: number; headers?: Record<string, string> },
): Response {
  const response = new Response(bytes, init);
  bodies.set(response, bytes);
  return response;
}

/** The bodies of answers that were made in one piece: to read one out of its answer costs a copy, and more. */
const bodies = new WeakMap<Response, Uint8Array<ArrayBuffer>>();

/** The body of an answer that was made in one piece here; `undefined` for all others. Never write to it. */
export function bodyOf(response: Response): Uint8Array<ArrayBuffer> | undefined {
  return bodies.get(response);
}

/** The whole body of an answer, which must not be used any more. Never write to it. */
export async function takeBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return bodies.get(response) ?? new Uint8Array(await response.arrayBuffer());
}

async function* toArray(texts: readonly string[]): AsyncGenerator<string> {
  const turns = new Turns();
  for (const [i, text] of texts.entries()) {
    yield `${i === 0 ? "[" : ","}${text}`;
    await turns.next();
  }
  yield "]";
}
