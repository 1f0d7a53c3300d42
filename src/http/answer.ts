/**
 * The response to a request before it becomes a `Response` object. Servers can read the size and the memory
 * of an `Answer`.
 */

/** The response to a request, before it becomes a `Response` object. */
export interface Answer {
  /** Status code (RFC 9110, 15). */
  readonly status: number;
  /** Header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
}

/**
 * The body of a response: complete bytes, a stream, or no body. Complete bytes may be shared with other
 * responses and must not be changed.
 */
export type AnswerBody = Uint8Array<ArrayBuffer> | StreamedBody | undefined;

/** A body in chunks. A chunk is created when the reader requests it. */
export interface StreamedBody {
  /** The chunks. A reader that stops before the end has to cancel the stream. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Approximate memory in use until the last chunk is created, in bytes. */
  readonly heldBytes: number;
  /**
   * Returns a body with only the bytes from `start` to `end` (exclusive). It replaces this body, which must
   * not have been read. Without this method, the bytes before `start` are read and dropped.
   */
  readonly part?: (start: number, end: number) => StreamedBody;
  /** Returns the current value of `heldBytes`, for a body whose memory use may grow. */
  readonly heldNow?: () => number;
  /**
   * Ends a stream that otherwise lasts until its client disconnects. Servers call this function before they
   * close. Servers do not count a response with `end` towards their memory limit for responses.
   */
  readonly end?: () => void;
}

declare const SHOWN: unique symbol;

/**
 * An answer whose body contains a `T`, as JSON or as bytes. The type parameter exists only for the compiler.
 */
export type AnswerOf<T> = Answer & { readonly [SHOWN]?: T };

/** Type of the body that `new Response` accepts. Not every runtime exports a name for this type. */
export type ResponseBody = ConstructorParameters<typeof Response>[0];

/** A class of responses: the `Response` of the runtime, or a faster class of the server. */
export type ResponseClass = new (body: ResponseBody, init: ResponseInit) => Response;

/**
 * Converts an answer to a `Response`. Convert each answer only once, because the response uses the same body.
 *
 * @example
 * ```ts
 * const answer = await api.handle(request, client);
 * const bytes = answer.body instanceof Uint8Array ? answer.body.length : answer.body?.heldBytes ?? 0;
 * if (!hasRoomFor(bytes)) return new Response(null, { status: 503 });
 * return toResponse(answer);
 * ```
 *
 * @param make Constructor of the response; the runtime's `Response` by default.
 */
export function toResponse({ status, headers, body }: Answer, make: ResponseClass = Response): Response {
  return new make(body instanceof Uint8Array ? body : body?.stream ?? null, { status, headers });
}

/** Returns a copy of a response with added or replaced header fields. */
export function withHeaders<A extends Answer>(answer: A, headers: Answer["headers"]): A {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Returns a copy of a response without its body. A streamed body is canceled. */
export async function withoutBody(answer: Answer): Promise<Answer> {
  await discardBody(answer);
  return { ...answer, body: undefined };
}

/** Cancels a streamed body that will not be read. Never rejects. */
export async function discardBody({ body }: Answer): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) return;
  await body.stream.cancel().catch(() => {});
}

const VARY = "origin, access-control-request-method, access-control-request-headers";
const MAX_AGE_SECONDS = 86400;
/**
 * Name of the request field with a consistency token. `radicle-httpd` does not permit this field to web
 * pages, so preflight responses permit it only when the browser asks for it.
 */
const TOKEN_FIELD = "xylem-consistency-token";

/** Methods and header fields that web pages of other origins may use. */
export type CrossOrigin = Readonly<Record<"methods" | "headers", string>>;

/** Header fields that let web pages of any origin read a response. */
const ANY_ORIGIN: Answer["headers"] = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-range, link, retry-after, x-total-count, " +
    "xylem-confirmed, xylem-consistency-token, xylem-published, xylem-publisher-seen",
  vary: VARY,
};

/**
 * Returns a copy of a response that web pages of any origin may read. Adds names to the field `Vary`, unless
 * the response was forwarded from another service.
 */
export function withAnyOrigin(answer: Answer): Answer {
  const { vary } = answer.headers;
  const readable = withHeaders(answer, ANY_ORIGIN);
  if (vary === undefined || vary === VARY) return readable;
  return withHeaders(readable, { vary: vary.endsWith(`, ${VARY}`) ? vary : `${vary}, ${VARY}` });
}

/**
 * Returns the response to `OPTIONS`.
 *
 * @param allow Methods of the path, for the field `Allow`.
 */
export function preflight(request: Request, allow: string, { methods, headers }: CrossOrigin): Answer {
  const asked = request.headers.get("access-control-request-headers")?.toLowerCase().split(",");
  const token = asked?.some((name) => name.trim() === TOKEN_FIELD) ? `,${TOKEN_FIELD}` : "";
  return {
    status: 200,
    headers: {
      allow,
      "content-length": "0",
      "access-control-allow-methods": methods,
      "access-control-allow-headers": headers + token,
      "access-control-max-age": String(MAX_AGE_SECONDS),
    },
    body: undefined,
  };
}
