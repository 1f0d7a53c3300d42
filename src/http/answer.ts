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
export function toResponse(
  { status, headers, body }: Answer,
  make: new (body: ResponseBody, init: ResponseInit) => Response = Response,
): Response {
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
