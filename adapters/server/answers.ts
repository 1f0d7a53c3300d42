/**
 * Sends the responses of a service. A large response is sent in chunks as its client reads the chunks, and
 * the total size of all large responses is limited. When the limit is reached, responses whose clients read
 * nothing are cut off. Further requests wait for a while, and then get the status 503.
 */
import { type Answer, discardBody } from "../../src/http/answer.ts";
import { errorAnswer } from "../../src/http/respond.ts";
import type { AnswerRoom } from "../../src/ports/answer_room.ts";
import { ByteSemaphore, type Reservation } from "../../src/scheduling/byte_semaphore.ts";

/**
 * Maximum total size of the large responses that are being made or sent, in bytes. A single response may be
 * larger.
 */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/**
 * Maximum size of a response that is sent in one piece, in bytes. Sending one piece is faster than sending
 * chunks. A response larger than one chunk is sent in one piece only if the total size of such responses
 * stays within {@link ALL_WHOLE_BYTES}.
 */
const MAX_WHOLE_BYTES = 1024 * 1024;
/** Maximum total size of all responses that are being sent in one piece, in bytes. */
const ALL_WHOLE_BYTES = 32 * 1024 * 1024;
/**
 * Chunk size of responses that are sent in chunks, in bytes. The buffers of a connection contain at most one
 * chunk of the response.
 */
const CHUNK_BYTES = 64 * 1024;
/** Assumed size of a response whose size is unknown, in bytes. */
export const UNKNOWN_BYTES = 2 * CHUNK_BYTES;
/**
 * If a client reads nothing for this time, in milliseconds, its response may be cut off to make room for
 * other responses.
 */
export const STALL_MS = 2000;
/** Timeout for reserving memory before a response is made, in milliseconds. */
export const WAIT_MS = 5000;
/** Value of `Retry-After` in the response to a refused request, in seconds. */
export const RETRY_SECONDS = 5;

const WITHOUT_BODY = new Set([204, 304]);

/** Sends the responses of a service and limits their total memory. */
export class Answers implements AnswerRoom {
  readonly #stallMs: number;
  readonly #waitMs: number;
  readonly #room: ByteSemaphore;
  readonly #leaving = new Map<LeavingAnswer, Reservation>();
  /** Buffers that several responses have in common. Each buffer counts once. */
  readonly #shared = new Map<ArrayBuffer, { readonly reservation: Reservation; answers: number }>();
  readonly #reserved = new Map<Request, readonly Reservation[]>();
  /** Total size of the responses that are being sent in one piece, in bytes. */
  #wholeBytes = 0;

  /** @param limits Values that replace {@link MAX_ANSWER_BYTES}, {@link STALL_MS} and {@link WAIT_MS}. */
  constructor(
    limits: { readonly maxBytes?: number; readonly stallMs?: number; readonly waitMs?: number } = {},
  ) {
    this.#room = new ByteSemaphore(limits.maxBytes ?? MAX_ANSWER_BYTES, () => this.#cutStill());
    this.#stallMs = limits.stallMs ?? STALL_MS;
    this.#waitMs = limits.waitMs ?? WAIT_MS;
  }

  /** Number of bytes that currently count towards the limits. */
  get bytes(): number {
    return this.#room.taken + this.#wholeBytes;
  }

  async reserve(request: Request, bytes: number): Promise<boolean> {
    const reservation = this.#room.tryTake(bytes) ??
      await this.#room.take(bytes, AbortSignal.timeout(this.#waitMs)).catch(() => undefined);
    if (reservation === undefined) return false;
    this.#reserved.set(request, [...this.#reserved.get(request) ?? [], reservation]);
    return true;
  }

  /**
   * Returns the answer to send instead of the given answer, which must not be used afterwards. The result is
   * the same answer in one piece, the same answer in chunks, or a 503. Small answers stay in one piece, and
   * so do some answers of medium size. Also frees the memory that was reserved for the request.
   *
   * @param whenLeft Takes a function, and calls this function when the answer has been sent or can no longer
   *   be sent.
   */
  send(
    answer: Answer | Response,
    request: Request,
    whenLeft?: (call: () => void) => void,
  ): Answer | Response {
    this.#release(request);
    if (isResponse(answer)) return this.#sendResponse(answer, request);
    const { body } = answer;
    // A stream without an end has a limit of another kind, and must not make other responses wait.
    if (body === undefined || "end" in body) return answer;
    if (!(body instanceof Uint8Array)) return this.#admit(answer, body.heldBytes, body.stream, body.heldNow);
    const { length } = body;
    if (length <= CHUNK_BYTES) return answer;
    if (whenLeft !== undefined && length <= MAX_WHOLE_BYTES && this.#wholeBytes + length <= ALL_WHOLE_BYTES) {
      this.#wholeBytes += length;
      whenLeft(() => this.#wholeBytes -= length);
      return answer;
    }
    return this.#admit(answer, length, body);
  }

  /**
   * Drops an answer that is not sent to a client. Frees the memory of the answer, and the memory that was
   * reserved for its request.
   */
  discard(answer: Answer | Response, request: Request): void {
    this.#release(request);
    if (isResponse(answer)) answer.body?.cancel().catch(() => {});
    else void discardBody(answer);
  }

  /**
   * Returns the response to send instead of a `Response` that a handler made. Unlike for an `Answer`, it is
   * unknown how much memory a `Response` uses.
   */
  #sendResponse(response: Response, request: Request): Response {
    // The order of these checks matters, because reading the `body` of a response costs more than all other
    // checks.
    if (request.method === "HEAD" || WITHOUT_BODY.has(response.status)) return response;
    const { status, statusText, headers } = response;
    const declared = headers.get("content-length");
    if (declared !== null && Number(declared) <= CHUNK_BYTES || response.body === null) return response;
    // The size is unknown, and may be small. If the body proves to be too large, the response is cut off.
    const leaving = new LeavingAnswer(UNKNOWN_BYTES, response.body);
    return new Response(this.#streamOf(leaving), { status, statusText, headers });
  }

  #admit(
    answer: Answer,
    bytes: number,
    body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
    heldNow?: () => number,
  ): Answer {
    if (this.#room.hasRoom(bytes)) {
      return {
        ...answer,
        body: { stream: this.#streamOf(new LeavingAnswer(bytes, body, heldNow)), heldBytes: bytes },
      };
    }
    void discardBody(answer);
    const origin = answer.headers["access-control-allow-origin"];
    return errorAnswer(503, "Service Unavailable", {
      "retry-after": String(RETRY_SECONDS),
      ...(origin !== undefined && { "access-control-allow-origin": origin }),
    });
  }

  /**
   * Returns a stream of the chunks of a response. The response counts towards the limit until its last chunk
   * has been read.
   */
  #streamOf(leaving: LeavingAnswer): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        leaving.cut = () => controller.error(new Error("The client does not read the answer"));
        this.#leaving.set(leaving, this.#reservationOf(leaving));
      },
      pull: async (controller) => {
        const bytes = leaving.bytes;
        const chunk = await leaving.next().catch((error) => {
          this.#end(leaving);
          throw error;
        });
        const reservation = this.#leaving.get(leaving);
        if (reservation === undefined) return;
        reservation.resize(leaving.bytes);
        // If the response proves to be larger than it was before this chunk, the total size must still be
        // within the limit.
        const fits = leaving.bytes <= bytes || this.#leaving.size === 1 || this.#room.hasRoom(0);
        if (chunk !== undefined && fits) return controller.enqueue(chunk);
        this.#end(leaving);
        if (fits) controller.close();
        else controller.error(new Error("The client reads too slowly while much is being sent"));
      },
      cancel: () => this.#end(leaving),
    }, { highWaterMark: 0 });
  }

  #reservationOf({ buffer, bytes }: LeavingAnswer): Reservation {
    if (buffer === undefined) return this.#room.force(bytes);
    const shared = this.#shared.get(buffer) ?? { reservation: this.#room.force(bytes), answers: 0 };
    this.#shared.set(buffer, shared);
    shared.answers++;
    return {
      // The size of a body that is completely in memory does not change.
      resize() {},
      release: () => {
        if (--shared.answers > 0) return;
        this.#shared.delete(buffer);
        shared.reservation.release();
      },
    };
  }

  #end(leaving: LeavingAnswer): void {
    const reservation = this.#leaving.get(leaving);
    if (reservation === undefined) return;
    this.#leaving.delete(leaving);
    reservation.release();
    leaving.drop();
  }

  #release(request: Request): void {
    for (const reservation of this.#reserved.get(request) ?? []) reservation.release();
    this.#reserved.delete(request);
  }

  /**
   * Finds the response whose client has not read for the longest time, and cuts it off if this time is at
   * least the limit. Returns whether a response was cut off.
   */
  #cutStill(): boolean {
    const [still] = [...this.#leaving.keys()].sort((a, b) => a.waitsSinceMs - b.waitsSinceMs);
    if (still === undefined || performance.now() - still.waitsSinceMs < this.#stallMs) return false;
    this.#end(still);
    still.cut();
    return true;
  }
}

export function isResponse(answer: Answer | Response): answer is Response {
  return "arrayBuffer" in answer;
}

/**
 * Number of bytes at the end of a response, which is two chunks. These bytes may still wait in the connection
 * when the response no longer counts towards the limit.
 */
const LAST_BYTES: number = 2 * CHUNK_BYTES;

/**
 * A response while it is being sent. It has the part of the body that is in memory, and makes the next
 * chunks.
 */
export class LeavingAnswer {
  /** Buffer that other responses may use as well. Absent when the body is a stream. */
  readonly buffer: ArrayBuffer | undefined;
  /** Number of bytes with which this response counts towards the limit. */
  bytes: number;
  /**
   * Time of the last read by the client, by the clock of `performance`. `Infinity` while the next chunk is
   * being made.
   */
  waitsSinceMs = performance.now();
  /** Ends the response with an error. */
  cut: () => void = () => {};
  readonly #countsFor: () => number;
  #rest: Uint8Array<ArrayBuffer>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;

  /**
   * @param bytes Number of bytes with which the response counts towards the limit. If a larger part of `body`
   *   is in memory, the size of that part counts instead.
   * @param countsFor Returns the current number of bytes that replaces `bytes`, if this number can change
   *   later.
   */
  constructor(
    bytes: number,
    body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
    countsFor: () => number = () => bytes,
  ) {
    this.bytes = bytes;
    this.#countsFor = countsFor;
    const isWhole = body instanceof Uint8Array;
    this.#rest = isWhole ? body : new Uint8Array(0);
    this.buffer = isWhole ? body.buffer : undefined;
    this.#reader = isWhole ? undefined : body.getReader();
  }

  /** Returns the next chunk; `undefined` at the end. The promise rejects when the body fails. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#rest.length === 0) {
      this.waitsSinceMs = Infinity;
      const value = (await this.#reader?.read())?.value;
      if (value === undefined) return undefined;
      this.#rest = value;
      this.bytes = Math.max(this.#countsFor(), value.length);
    }
    const chunk = this.#mayShare ? this.#rest.subarray(0, CHUNK_BYTES) : this.#rest.slice(0, CHUNK_BYTES);
    this.#rest = this.#rest.subarray(CHUNK_BYTES);
    this.waitsSinceMs = performance.now();
    return chunk;
  }

  /**
   * Whether the next chunk may be a view of the buffer. A view keeps the whole buffer in memory, but the
   * buffer counts towards the limit only until the end of the response. Therefore the last chunks are copies.
   * The chunks of a stream are also copies, because the source of the stream may use the memory again.
   */
  get #mayShare(): boolean {
    return this.#reader === undefined && this.#rest.length > LAST_BYTES;
  }

  /** Frees the part of the body that has not been sent. */
  drop(): void {
    this.#rest = new Uint8Array(0);
    this.#reader?.cancel().catch(() => {});
  }
}
