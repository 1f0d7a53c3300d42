/**
 * Builds answers: JSON, whole or streamed, and errors in the form of section 7. Whatever a request does, it
 * gets an answer, and nothing is thrown at the server.
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
 * Size up to which the pieces of an answer are gathered before it is sent. A gathered answer has a
 * `Content-Length` and can still become an error.
 */
export const GATHERED_BYTES = 1024 * 1024;

/** Texts up to this many characters are encoded together with their neighbours. */
const SHORT_TEXT = 4096;
/** Characters from which on the gathered texts are encoded. */
const LONG_TEXT = 16_384;

/**
 * Characters of a text that are encoded at once: on Bun a mebibyte of text that is not plain ASCII takes ten
 * milliseconds.
 */
const PART_LENGTH = 2 ** 17;

const JSON_TYPE = { "content-type": "application/json" };
const encoder = new TextEncoder();

/** A JSON answer. */
export function json<T>(
  value: T,
  init: { status?: number; headers?: Record<string, string> } = {},
): AnswerOf<T> {
  return jsonBytes(encoder.encode(JSON.stringify(value)), init);
}

/** A JSON answer from its text. */
export function jsonText<T>(text: string, init: { headers?: Record<string, string> } = {}): AnswerOf<T> {
  return jsonBytes(encoder.encode(text), init);
}

/** A piece of the text of a JSON answer, or of its UTF-8, which may be cached under a key of its own. */
export type JsonPiece = string | Uint8Array<ArrayBuffer> | KeyedBytes;

/** Options of {@link jsonPieces}. */
export interface PiecesOptions {
  /** Replaces {@link GATHERED_BYTES}. */
  readonly gatheredBytes?: number;
  /**
   * Memory of the data that the pieces are made from, in use until the last piece is made; a function when it
   * may grow.
   */
  readonly heldBytes?: number | (() => number);
  /** Gives that memory back; called when no more pieces will be made. */
  readonly release?: (() => void) | undefined;
  /** Receives the places of pieces with keys. Complete when the whole body has been made. */
  readonly parts?: CachedPart[];
}

/**
 * A JSON answer from pieces of its text or of the UTF-8 of it. Making one piece should take a few
 * milliseconds at most; other requests run between pieces.
 *
 * An answer longer than {@link GATHERED_BYTES} is streamed: the rest is made while it is sent, and not made
 * after the client has left. An error in that rest cannot change the status any more: the answer breaks off,
 * and the error is logged.
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
  /** Short texts in a row, which are encoded together: each call of the encoder takes a microsecond. */
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
      log("error", "Answer broke off", error);
      return new Error("Answer broke off");
    },
    cancel: () => pieces.return(undefined),
  });
  return { status: 200, headers: JSON_TYPE, body: { stream, heldBytes: heldNow(), heldNow } };
}

/** Header fields of errors. The next request may succeed, and some caches store a 404 unless told not to. */
const NO_STORE = { "cache-control": "no-store" };

/** An error answer: `{"error", "code"}`. */
export function errorAnswer(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return json({ error: message, code: status }, { status, headers: { ...NO_STORE, ...headers } });
}

/**
 * The answer to a request whose handler threw. As on the real service, the body for an unreadable path or
 * query has `"success": false`, too.
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

/** As {@link toErrorAnswer}, as a line of text, for programs that show a person such a line. */
export function toTextErrorAnswer(error: unknown, log: LogFailure): Answer {
  const { code, message, headers } = describeError(error, log);
  return textAnswer(`${message}\n`, { ...NO_STORE, ...headers }, code);
}

/** An answer with a text. */
export function textAnswer(text: string, headers: Answer["headers"] = {}, status: number = 200): Answer {
  const bytes = encoder.encode(text);
  return bytesAnswer(bytes, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": String(bytes.length),
    ...headers,
  }, status);
}

/** Logs a failure for the operator. */
type LogFailure = (message: string, cause: unknown) => void;

/** Status, text and header fields for whatever a handler threw. */
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

/** An answer with a whole body. */
export function bytesAnswer(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Answer["headers"],
  status: number = 200,
): AnswerOf<Uint8Array> {
  return { status, headers, body: bytes };
}

/** The pieces of a JSON array, from those of each item. */
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

/** The pieces of a JSON array, from the JSON of each item: short ones together. */
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
 * Whether a request has a URL. Servers on `node:http` put the target and `Host` together when the URL is
 * asked for, and throw when these make none: `GET /{` with `Host: x:99999`.
 */
export function hasUrl(request: Request): boolean {
  try {
    return URL.canParse(request.url);
  } catch {
    return false;
  }
}

/** The answer to a request without a URL (RFC 9112, 3.2). */
export function withoutUrlAnswer(): Answer {
  return errorAnswer(400, "Bad Request");
}

/**
 * The answer to a request whose handler has failed: the error is logged, and the client learns nothing of it.
 */
export function failedAnswer(error: unknown, log: Environment["log"]): Answer {
  log("error", "Request failed", error);
  return errorAnswer(500, "Internal Server Error");
}

/** As {@link toResponse}, but an answer of which no response can be made is a failure. Never throws. */
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

/** A function of the host, such as its log, that never throws: its error must not become one of a request. */
export function neverThrowing<A extends readonly unknown[]>(
  tell?: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      tell?.(...args);
    } catch {
      // There is nowhere to tell it.
    }
  };
}
