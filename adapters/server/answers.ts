/**
 * The answers that a service is sending. Large answers leave in chunks as their clients read them, and the
 * total of their bytes is limited. At the limit, answers whose clients read nothing are cut off. Further
 * answers wait for a while, then become a 503.
 */
import { type Answer, discardBody } from "../../src/http/answer.ts";
import { errorAnswer } from "../../src/http/respond.ts";
import type { AnswerRoom } from "../../src/ports/answer_room.ts";
import { ByteSemaphore, type Reservation } from "../../src/scheduling/byte_semaphore.ts";

/** Most bytes of large answers under way, being made or being sent; a single answer may have more. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/**
 * Answers up to this size leave in one piece, which is faster, while the total of such answers fits into
 * {@link ALL_WHOLE_BYTES}.
 */
const MAX_WHOLE_BYTES = 1024 * 1024;
/** Most bytes of all answers together that leave in one piece. */
const ALL_WHOLE_BYTES = 32 * 1024 * 1024;
/**
 * Larger answers leave in chunks of this size. The buffers of a connection hold at most one chunk of its
 * answer.
 */
const CHUNK_BYTES = 64 * 1024;
/** Bytes that an answer counts as while its size is unknown. */
export const UNKNOWN_BYTES = 2 * CHUNK_BYTES;
/**
 * A client that reads nothing for this time, in milliseconds, may have its answer cut off to make room for
 * others.
 */
export const STALL_MS = 2000;
/** Longest wait of an answer for memory, before it is made, in milliseconds. */
export const WAIT_MS = 5000;
/** `Retry-After` of a refused request, in seconds. */
export const RETRY_SECONDS = 5;

const WITHOUT_BODY = new Set([204, 304]);

/** Sends the answers of one service within a limit of memory. */
export class Answers implements AnswerRoom {
  readonly #stallMs: number;
  readonly #waitMs: number;
  readonly #room: ByteSemaphore;
  readonly #leaving = new Map<LeavingAnswer, Reservation>();
  /** Buffers that several answers share. Each buffer counts once. */
  readonly #shared = new Map<ArrayBuffer, { readonly reservation: Reservation; answers: number }>();
  readonly #reserved = new Map<Request, readonly Reservation[]>();
  /** Bytes of the answers that are leaving in one piece. */
  #wholeBytes = 0;

  /** @param limits Replace {@link MAX_ANSWER_BYTES}, {@link STALL_MS} and {@link WAIT_MS}. */
  constructor(
    limits: { readonly maxBytes?: number; readonly stallMs?: number; readonly waitMs?: number } = {},
  ) {
    this.#room = new ByteSemaphore(limits.maxBytes ?? MAX_ANSWER_BYTES, () => this.#cutStill());
    this.#stallMs = limits.stallMs ?? STALL_MS;
    this.#waitMs = limits.waitMs ?? WAIT_MS;
  }

  /** Bytes that count against the limit now. */
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
   * Returns the answer to send instead of the given one, which must not be used any more: the same answer in
   * one piece, the same answer in chunks, or a 503. Small answers stay in one piece, and so do some answers
   * of medium size. Frees the memory that was reserved for the request.
   *
   * @param whenLeft Takes a function and calls it when the answer has been sent, or never will be.
   */
  send(
    answer: Answer | Response,
    request: Request,
    whenLeft?: (call: () => void) => void,
  ): Answer | Response {
    this.#release(request);
    if (isResponse(answer)) return this.#sendResponse(answer, request);
    const { body } = answer;
    // A stream without an end has a limit of its own, and must not make other answers wait.
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

  /** Frees an answer that no client gets, and the memory that was reserved for its request. */
  discard(answer: Answer | Response, request: Request): void {
    this.#release(request);
    if (isResponse(answer)) answer.body?.cancel().catch(() => {});
    else void discardBody(answer);
  }

  /** Sends a response that a handler made. Its memory is unknown, unlike the memory of an `Answer`. */
  #sendResponse(response: Response, request: Request): Response {
    // The order matters: reading `body` of a response costs more than all other checks.
    if (request.method === "HEAD" || WITHOUT_BODY.has(response.status)) return response;
    const { status, statusText, headers } = response;
    const declared = headers.get("content-length");
    if (declared !== null && Number(declared) <= CHUNK_BYTES || response.body === null) return response;
    // The body may be small. If it proves to be too large, it is cut off.
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

  /** Streams the chunks of an answer, which counts until its last chunk has left. */
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
        // The answer is larger than the size it was admitted with.
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
      // A body that is completely in memory does not change its size.
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

  /** Cuts off the answer whose client has read nothing for the longest time, if that time is long enough. */
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
 * Bytes at the end of an answer, two chunks, that may still wait in the connection after the answer has
 * stopped counting.
 */
const LAST_BYTES: number = 2 * CHUNK_BYTES;

/** An answer while it is being sent: the part of it that is in memory, and its next chunks. */
export class LeavingAnswer {
  /** The buffer that this answer may share with other answers; absent when the body is a stream. */
  readonly buffer: ArrayBuffer | undefined;
  /** Bytes of memory that this answer counts as. */
  bytes: number;
  /**
   * Time since which the client has read nothing, by the clock of `performance`; `Infinity` while the next
   * chunk is being made.
   */
  waitsSinceMs = performance.now();
  /** Ends the answer with an error. */
  cut: () => void = () => {};
  readonly #countsFor: () => number;
  #rest: Uint8Array<ArrayBuffer>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;

  /**
   * @param bytes Memory that the answer counts as; it counts as more while a larger part of `body` is in
   *   memory.
   * @param countsFor Returns the memory that the answer counts as, if that changes later.
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

  /** Returns the next chunk; `undefined` at the end. Rejects when the body fails. */
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
   * Whether the next chunk may be a view of the buffer, which keeps the whole buffer in memory. The buffer
   * counts only until the end of the answer, so the last chunks are copies: views would keep it in memory
   * after that. Chunks of a stream are copies too, because the source may reuse the memory of a piece.
   */
  get #mayShare(): boolean {
    return this.#reader === undefined && this.#rest.length > LAST_BYTES;
  }

  /** Frees the part that has not been sent. */
  drop(): void {
    this.#rest = new Uint8Array(0);
    this.#reader?.cancel().catch(() => {});
  }
}
