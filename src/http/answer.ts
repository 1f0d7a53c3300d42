/** An answer before it becomes a `Response`: its bytes and its memory can still be looked at. */

/** An answer to a request. */
export interface Answer {
  /** Status code (RFC 9110, 15). */
  readonly status: number;
  /** Header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
}

/**
 * The content of an answer: bytes in one piece, which may be shared with other answers and must not be written to; pieces that are made while they
 * leave; or none.
 */
export type AnswerBody = Uint8Array<ArrayBuffer> | StreamedBody | undefined;

/** Content in pieces, each made when it is asked for. */
export interface StreamedBody {
  /** The pieces. Whoever does not read them to the end cancels the stream. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Memory that is held until the last piece was made, in bytes, about. */
  readonly heldBytes: number;
}

/**
 * The answer as a `Response`, once: its body belongs to the response then.
 *
 * @example
 * ```ts
 * const answer = await api.handle(request, client);
 * const bytes = answer.body instanceof Uint8Array ? answer.body.length : answer.body?.heldBytes ?? 0;
 * if (!hasRoomFor(bytes)) return new Response(null, { status: 503 });
 * return toResponse(answer);
 * ```
 *
 * @param make The class of the response; the runtime's by default.
 */
export function toResponse(
  { status, headers, body }: Answer,
  make: new (body: BodyInit | null, init: ResponseInit) => Response = Response,
): Response {
  return new make(body instanceof Uint8Array ? body : body?.stream ?? null, { status, headers });
}

/** The same answer with these header fields more, or in place of others. */
export function withHeaders(answer: Answer, headers: Answer["headers"]): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** The same answer without its body, of which the rest is not made. */
export async function withoutBody(answer: Answer): Promise<Answer> {
  await discardBody(answer);
  return { ...answer, body: undefined };
}

/** Gives up a body that nobody reads. Never rejects. */
export async function discardBody({ body }: Answer): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) return;
  await body.stream.cancel().catch(() => {});
}
