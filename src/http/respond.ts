/**
 * Creates responses: JSON, complete or streamed, and errors in the format of section 7. Every request gets a
 * response, even when its handler fails.
 */
import { byteStream } from "../bytes/byte_stream.ts";
import { joinBytes, releasingAfter } from "../bytes/bytes.ts";
import type { CachedPart, KeyedBytes } from "../cache/byte_cache.ts";
import { CoreError, DamagedError, UnavailableError, UnsupportedError } from "../errors.ts";
import { codeOf, HttpError, statusOf } from "./errors.ts";
import type { Environment } from "../ports/environment.ts";
import type { Task } from "../scheduling/task.ts";
import { textParts } from "../text/utf8.ts";
import { type Answer, type AnswerOf, type ResponseClass, toResponse } from "./answer.ts";

/**
 * Maximum size of a response that is complete before it is sent, in bytes. Such a response has a
 * `Content-Length`, and an error response can still replace it.
 */
export const GATHERED_BYTES = 1024 * 1024;

/** Maximum length of a text that is encoded together with neighbouring texts, in characters. */
const SHORT_TEXT = 4096;
/** Length at which joined texts are encoded, in characters. */
const LONG_TEXT = 16_384;

/**
 * Maximum length of a text that is encoded in one call, in characters. On Bun, encoding a mebibyte of
 * non-ASCII text takes ten milliseconds.
 */
const PART_LENGTH = 2 ** 17;

const JSON_TYPE = { "content-type": "application/json" };
const encoder = new TextEncoder();

export function json<T>(
  value: T,
  init: { status?: number; headers?: Record<string, string> } = {},
): AnswerOf<T> {
  return jsonBytes(encoder.encode(JSON.stringify(value)), init);
}

/** Creates a JSON response from JSON text. */
export function jsonText<T>(text: string, init: { headers?: Record<string, string> } = {}): AnswerOf<T> {
  return jsonBytes(encoder.encode(text), init);
}

/** A piece of a JSON response, as text or as UTF-8. A piece with a key may be cached under this key. */
export type JsonPiece = string | Uint8Array<ArrayBuffer> | KeyedBytes;

export interface PiecesOptions {
  /** Size to use instead of {@link GATHERED_BYTES}. */
  readonly gatheredBytes?: number;
  /**
   * Memory of the data from which the pieces are created, in bytes. The memory is in use until the last piece
   * is created. If the memory may grow, pass a function that returns the current number of bytes.
   */
  readonly heldBytes?: number | (() => number);
  /** Frees the memory of `heldBytes`. Called when no more pieces will be created. */
  readonly release?: (() => void) | undefined;
  /**
   * Receives the positions of the pieces with keys. All positions are known when the whole body has been
   * created.
   */
  readonly parts?: CachedPart[];
}

/**
 * Creates a JSON response from pieces of text or UTF-8. Other requests run only between two pieces, so
 * creating a piece should take a few milliseconds at most.
 *
 * A response longer than {@link GATHERED_BYTES} is streamed. Later pieces are created while the response is
 * sent, and no more pieces are created after the client has disconnected. When creating a later piece fails,
 * the response is cut off, and the error is logged.
 */
export async function jsonPieces<T>(
  made: AsyncGenerator<JsonPiece> | Generator<JsonPiece>,
  log: Environment["log"],
  task: Task,
  { gatheredBytes = GATHERED_BYTES, heldBytes = 0, release, parts }: PiecesOptions = {},
): Promise<AnswerOf<T>> {
  const pieces = releasingAfter(made, release);
  const gathered: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let partStart = 0;
  const add = (piece: JsonPiece): Uint8Array<ArrayBuffer> => {
    const bytes = typeof piece === "string"
      ? encoder.encode(piece)
      : piece instanceof Uint8Array
      ? piece
      : piece.bytes;
    if (typeof piece === "object" && "key" in piece) {
      if (piece.end !== "last") partStart = size;
      if (piece.end !== "first") parts?.push({ key: piece.key, start: partStart, end: size + bytes.length });
    }
    size += bytes.length;
    return bytes;
  };
  /** Consecutive short texts are encoded together, because each call of the encoder takes a microsecond. */
  let text = "";
  while (size + text.length <= gatheredBytes) {
    const pause = task.yield();
    if (pause !== undefined) await pause;
    const { done, value } = await pieces.next();
    const isShort = typeof value === "string" && value.length <= SHORT_TEXT;
    if (isShort) text += value;
    if (text.length > LONG_TEXT || text !== "" && !isShort) {
      gathered.push(add(text));
      text = "";
    }
    if (isShort) continue;
    if (done === true) return jsonBytes(joinBytes(gathered));
    gathered.push(add(value));
  }
  if (text !== "") gathered.push(add(text));
  const gatheredSize = size;
  const heldNow = () => gatheredSize + (typeof heldBytes === "number" ? heldBytes : heldBytes());
  const next = async () => {
    await task.yield();
    const { done, value } = await pieces.next();
    return done === true ? undefined : add(value);
  };
  const stream = byteStream(next, {
    first: gathered,
    explain(error) {
      log("error", "An answer was cut off", error);
      return new Error("An answer was cut off");
    },
    cancel: () => pieces.return(undefined),
  });
  return { status: 200, headers: JSON_TYPE, body: { stream, heldBytes: heldNow(), heldNow } };
}

/**
 * Header fields of errors. Without `no-store`, some caches would store a 404, although the next request may
 * succeed.
 */
const NO_STORE = { "cache-control": "no-store" };

/** Creates an error response with the JSON body `{"error", "code"}`. */
export function errorAnswer(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return json({ error: message, code: status }, { status, headers: { ...NO_STORE, ...headers } });
}

/**
 * Creates the response to a request whose handler threw an error. The body contains `"success": false` if the
 * path or the query is unreadable, as in `radicle-httpd`.
 *
 * @param error Any thrown value.
 * @param log Receives the errors that the client did not cause.
 */
export function toErrorAnswer(error: unknown, log: LogFailure): Answer {
  const { code, message, headers } = describeError(error, log);
  if (codeOf(error) === "badParameter") {
    return json({ success: false, error: message, code }, { status: code, headers: NO_STORE });
  }
  return errorAnswer(code, message, headers);
}

/** Creates the same error response as {@link toErrorAnswer}, but with one line of plain text as the body. */
export function toTextErrorAnswer(error: unknown, log: LogFailure): Answer {
  const { code, message, headers } = describeError(error, log);
  return textAnswer(`${message}\n`, { ...NO_STORE, ...headers }, code);
}

export function textAnswer(text: string, headers: Answer["headers"] = {}, status: number = 200): Answer {
  const bytes = encoder.encode(text);
  return bytesAnswer(bytes, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": String(bytes.length),
    ...headers,
  }, status);
}

type LogFailure = (message: string, cause: unknown) => void;

/** Returns the status, the text and the header fields for any thrown value. */
function describeError(
  error: unknown,
  log: LogFailure,
): { readonly code: number; readonly message: string; readonly headers: Record<string, string> } {
  const code = statusOf(codeOf(error));
  const headers: Record<string, string> = {};
  if (error instanceof DamagedError) {
    log("Damaged repository data", error);
    return { code, message: "Repository data is damaged", headers };
  }
  if (!(error instanceof CoreError || error instanceof HttpError)) {
    log("Request failed", error);
    return { code, message: "Internal Server Error", headers };
  }
  if (error instanceof UnsupportedError) log(error.message, error.cause);
  if (error instanceof UnavailableError || error instanceof HttpError) {
    const { retryAfterSeconds } = error;
    if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
  }
  return { code, message: error.message, headers };
}

function jsonBytes(
  bytes: Uint8Array<ArrayBuffer>,
  { status, headers }: { status?: number; headers?: Record<string, string> } = {},
): Answer {
  return bytesAnswer(bytes, { ...JSON_TYPE, "content-length": String(bytes.length), ...headers }, status);
}

/** Creates a response with a complete body. */
export function bytesAnswer(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Answer["headers"],
  status: number = 200,
): AnswerOf<Uint8Array> {
  return { status, headers, body: bytes };
}

/** Yields a JSON array from the pieces of each item. */
export async function* arrayPieces(
  items: Iterable<Iterable<string>> | AsyncIterable<Iterable<string>>,
): AsyncGenerator<string> {
  let before = "[";
  for await (const item of items) {
    for (const piece of item) {
      yield before + piece;
      before = "";
    }
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** Yields a JSON array from the JSON text of each item. Short items are joined to one piece. */
export function* arrayOfTexts(texts: readonly string[]): Generator<string> {
  let text = "[";
  for (const [i, item] of texts.entries()) {
    text += i === 0 ? item : `,${item}`;
    if (text.length < LONG_TEXT) continue;
    yield* textParts(text, PART_LENGTH);
    text = "";
  }
  yield `${text}]`;
}

/**
 * Checks whether a request has a valid URL. Servers on `node:http` build the URL when the property `url` is
 * first read, and throw when the URL is invalid, for example for `GET /{` with `Host: x:99999`.
 */
export function hasUrl(request: Request): boolean {
  try {
    return URL.canParse(request.url);
  } catch {
    return false;
  }
}

/** Creates the response to a request without a valid URL (RFC 9112, 3.2). */
export function withoutUrlAnswer(): Answer {
  return errorAnswer(400, "Bad Request");
}

/** Logs the error of a failed handler, and creates a response that does not contain the error. */
export function failedAnswer(error: unknown, log: Environment["log"]): Answer {
  log("error", "Request failed", error);
  return errorAnswer(500, "Internal Server Error");
}

/**
 * Converts an answer by {@link toResponse}. If the conversion fails, logs the error and returns an error
 * response. Never throws.
 */
export function respond(
  answer: Answer,
  log: Environment["log"],
  make: ResponseClass = Response,
): Response {
  try {
    return toResponse(answer, make);
  } catch (error) {
    return toResponse(failedAnswer(error, log), make);
  }
}

/** Wraps a function of the host, such as its log. The wrapper ignores errors of the function. */
export function neverThrowing<A extends readonly unknown[]>(
  call?: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      call?.(...args);
    } catch {
      // The error cannot be logged, because the log itself may have thrown it.
    }
  };
}
