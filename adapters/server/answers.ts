/**
 * Limits the memory of responses that a server is sending. A large response is sent in chunks as its client
 * reads. When the limit is reached, responses whose clients read nothing are cut off. Further requests wait
 * for a while, and then get the status 503.
 */
import { type Answer, discardBody } from "../../src/http/answer.ts";
import { errorAnswer } from "../../src/http/respond.ts";
import type { AnswerRoom } from "../../src/ports/answer_room.ts";
import { ByteSemaphore, type Reservation } from "../../src/scheduling/byte_semaphore.ts";

/**
 * Maximum total size of the large responses that are being made or sent, in bytes. A single response may
 * exceed this size.
 */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/**
 * Maximum size of a response that is sent in one piece, in bytes. One piece is faster than chunks. The total
 * size of such responses is limited by {@link ALL_WHOLE_BYTES}.
 */
const MAX_WHOLE_BYTES = 1024 * 1024;
/** Maximum total size of all responses that are being sent in one piece, in bytes. */
const ALL_WHOLE_BYTES = 32 * 1024 * 1024;
/** Size of the chunks of a response, in bytes. The buffers of a connection contain at most one chunk. */
const CHUNK_BYTES = 64 * 1024;
/** Assumed size of a response whose size is unknown, in bytes. */
export const UNKNOWN_BYTES = 2 * CHUNK_BYTES;
/** Time after which a response may be cut off if its client reads nothing, in milliseconds. */
export const STALL_MS = 2000;
/** Timeout for reserving memory before a response is made, in milliseconds. */
export const WAIT_MS = 5000;
/** Value of `Retry-After` in the response to a refused request, in seconds. */
export const RETRY_SECONDS = 5;

const WITHOUT_BODY = new Set([204, 304]);

export class Answers implements AnswerRoom {
  readonly #stallMs: number;
  readonly #waitMs: number;
  readonly #room: ByteSemaphore;
  readonly #leaving = new Map<LeavingAnswer, Reservation>();
  /** Buffers that several responses share. Each buffer counts once. */
  readonly #shared = new Map<ArrayBuffer, { readonly reservation: Reservation; answers: number }>();
  readonly #reserved = new Map<Request, readonly Reservation[]>();
  #wholeBytes = 0;

  /** @param limits Values that replace {@link MAX_ANSWER_BYTES}, {@link STALL_MS} and {@link WAIT_MS}. */
  constructor(
    limits: { readonly maxBytes?: number; readonly stallMs?: number; readonly waitMs?: number } = {},
  ) {
    this.#room = new ByteSemaphore(limits.maxBytes ?? MAX_ANSWER_BYTES, () => this.#cutStill());
    this.#stallMs = limits.stallMs ?? STALL_MS;
    this.#waitMs = limits.waitMs ?? WAIT_MS;
  }

  /** Total size of the responses that count towards the limits, in bytes. */
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
   * Returns the answer to send instead of the given answer: the same answer in one piece or in chunks, or a
   * 503. Frees the memory that was reserved for the request.
   *
   * @param whenLeft Registers a function to call when the response was sent or its client has left.
   */
  send(
    answer: Answer | Response,
    request: Request,
    whenLeft?: (call: () => void) => void,
  ): Answer | Response {
    this.#release(request);
    if (isResponse(answer)) return this.#sendResponse(answer, request);
    const { body } = answer;
    // An endless stream does not count towards this limit.
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
   * Drops an answer that is not sent. Frees the memory of the answer, and the memory that was reserved for
   * its request.
   */
  discard(answer: Answer | Response, request: Request): void {
    this.#release(request);
    if (isResponse(answer)) answer.body?.cancel().catch(() => {});
    else void discardBody(answer);
  }

  /** The memory of a `Response` is unknown, unlike the memory of an `Answer`. */
  #sendResponse(response: Response, request: Request): Response {
    // Reading the `body` of a response costs more than the checks before.
    if (request.method === "HEAD" || WITHOUT_BODY.has(response.status)) return response;
    const { status, statusText, headers } = response;
    const declared = headers.get("content-length");
    if (declared !== null && Number(declared) <= CHUNK_BYTES || response.body === null) return response;
    // The size is unknown. If the body proves to be too large, the response is cut off.
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
   * is read.
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
        // A response that has grown must still fit into the limit.
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
      // The size of a body in memory does not change.
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
   * Cuts off the response whose client has not read for the longest time, if that time is at least the limit.
   * Returns whether a response was cut off.
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
 * Number of bytes at the end of a response that may still wait in the connection when the response no longer
 * counts towards the limit.
 */
const LAST_BYTES: number = 2 * CHUNK_BYTES;

/** A response that is being sent. Makes the chunks of the response. */
export class LeavingAnswer {
  /** Buffer of the body, which other responses may share. `undefined` when the body is a stream. */
  readonly buffer: ArrayBuffer | undefined;
  /** Size of this response that counts towards the limit. */
  bytes: number;
  /**
   * Time since which the client has not read, by the clock of `performance`. `Infinity` while the next chunk
   * is being made.
   */
  waitsSinceMs = performance.now();
  /** Ends the response with an error. */
  cut: () => void = () => {};
  readonly #countsFor: () => number;
  #rest: Uint8Array<ArrayBuffer>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;

  /**
   * @param bytes Size that counts towards the limit. If a larger part of `body` is in memory, the size of
   * that part counts.
   * @param countsFor Returns the size that replaces `bytes`, if the size can change later.
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
   * Whether a chunk may be a view of the buffer. The last chunks are copies, because a view would keep the
   * whole buffer in memory after the response no longer counts. Chunks of a stream are copies, because the
   * source of the stream may use the memory again.
   */
  get #mayShare(): boolean {
    return this.#reader === undefined && this.#rest.length > LAST_BYTES;
  }

  drop(): void {
    this.#rest = new Uint8Array(0);
    this.#reader?.cancel().catch(() => {});
  }
}
