/** An answer before it becomes a `Response`: a server can still read its size and the memory that it uses. */

/** An answer to a request. */
export interface Answer {
  /** Status code (RFC 9110, 15). */
  readonly status: number;
  /** Header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
}

/**
 * The body of an answer: whole, streamed, or absent. The bytes of a whole body may be shared with other
 * answers and must not be modified.
 */
export type AnswerBody = Uint8Array<ArrayBuffer> | StreamedBody | undefined;

/** A body in chunks, each made when it is read. */
export interface StreamedBody {
  /** The chunks. A reader that stops before the end cancels the stream. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Memory in use until the last chunk is made, in bytes, approximately. */
  readonly heldBytes: number;
  /** The same at a later time, for a body that may come to hold more. */
  readonly heldNow?: () => number;
  /**
   * Ends a stream that lasts until its client leaves: servers call it before they close. Such an answer takes
   * no place among the others, and holds no more than `heldBytes`.
   */
  readonly end?: () => void;
}

declare const SHOWN: unique symbol;

/** An answer whose body shows a `T`: as JSON, or as it is for bytes. For the compiler alone. */
export type AnswerOf<T> = Answer & { readonly [SHOWN]?: T };

/** The body of a new `Response`, in the types of the runtime: not every one of them has a name for it. */
export type ResponseBody = ConstructorParameters<typeof Response>[0];

/** A class of responses: the runtime's own, or one that a server sends quickly. */
export type ResponseClass = new (body: ResponseBody, init: ResponseInit) => Response;

/**
 * Converts an answer to a `Response`. Call it once for each answer: the response takes over the body.
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

/** A copy of the answer with these header fields added or replaced. */
export function withHeaders<A extends Answer>(answer: A, headers: Answer["headers"]): A {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** A copy of the answer without its body. A streamed body is canceled. */
export async function withoutBody(answer: Answer): Promise<Answer> {
  await discardBody(answer);
  return { ...answer, body: undefined };
}

/** Cancels a streamed body that is not going to be read. Never rejects. */
export async function discardBody({ body }: Answer): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) return;
  await body.stream.cancel().catch(() => {});
}

const VARY = "origin, access-control-request-method, access-control-request-headers";
const MAX_AGE_SECONDS = 86400;
/** Field that pages may send, named to those alone that ask for it: the real service does not know it. */
const TOKEN_FIELD = "xylem-consistency-token";

/** Methods and header fields that pages of other origins may use. */
export type CrossOrigin = Readonly<Record<"methods" | "headers", string>>;

/** Header fields that let any origin read an answer. */
const ANY_ORIGIN: Answer["headers"] = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-range, link, retry-after, x-total-count, " +
    "xylem-confirmed, xylem-consistency-token, xylem-published, xylem-publisher-seen",
  vary: VARY,
};

/**
 * A copy of the answer that web pages of any origin may read. Adds to a `Vary` field of the answer, unless it
 * has all names already: a service to which a request was passed on has added them.
 */
export function withAnyOrigin(answer: Answer): Answer {
  const { vary } = answer.headers;
  const readable = withHeaders(answer, ANY_ORIGIN);
  if (vary === undefined || vary === VARY) return readable;
  return withHeaders(readable, { vary: vary.endsWith(`, ${VARY}`) ? vary : `${vary}, ${VARY}` });
}

/**
 * The answer to `OPTIONS`.
 *
 * @param allow Methods of the path, for `Allow`.
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
