/**
 * The answers of a service that are under way. Large ones leave in chunks as their clients take them, and
 * their bytes have a bound. When it is reached, answers whose clients take nothing are cut; further answers
 * wait for a while, then become a 503.
 */
import { type Answer, discardBody } from "../../src/http/answer.ts";
import { errorAnswer } from "../../src/http/respond.ts";
import type { AnswerRoom } from "../../src/ports/answer_room.ts";
import { ByteSemaphore, type Reservation } from "../../src/scheduling/byte_semaphore.ts";

/** Most bytes of large answers under way, being made or being sent; a single answer may have more. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/**
 * Answers up to this size leave in one piece, which is quicker, as long as all of them fit
 * {@link ALL_WHOLE_BYTES}.
 */
export const MAX_WHOLE_BYTES = 1024 * 1024;
/** Bytes of answers that leave in one piece, all together. */
export const ALL_WHOLE_BYTES = 32 * 1024 * 1024;
/**
 * Answers that are larger leave in chunks of that size: of each, no more waits in the buffers of its
 * connection.
 */
export const CHUNK_BYTES = 64 * 1024;
/** Bytes that an answer counts for while its size is unknown. */
export const UNKNOWN_BYTES = 2 * CHUNK_BYTES;
/** After this time without taking anything, in milliseconds, an answer has to make room for others. */
export const STALL_MS = 2000;
/** Longest wait of an answer for memory, before it is made, in milliseconds. */
export const WAIT_MS = 5000;
/** `Retry-After` of a refused request, in seconds. */
export const RETRY_SECONDS = 5;

/** Statuses of answers that have no body. */
const WITHOUT_BODY = new Set([204, 304]);

/** The answers of one service. */
export class Answers implements AnswerRoom {
  readonly #stallMs: number;
  readonly #waitMs: number;
  readonly #room: ByteSemaphore;
  readonly #leaving = new Map<LeavingAnswer, Reservation>();
  /** Buffers of several answers, which count once. */
  readonly #shared = new Map<ArrayBuffer, { readonly reservation: Reservation; answers: number }>();
  readonly #reserved = new Map<Request, readonly Reservation[]>();
  /** Bytes of answers that leave in one piece. */
  #wholeBytes = 0;

  /** @param limits Instead of {@link MAX_ANSWER_BYTES}, {@link STALL_MS} and {@link WAIT_MS}. */
  constructor(
    limits: { readonly maxBytes?: number; readonly stallMs?: number; readonly waitMs?: number } = {},
  ) {
    this.#room = new ByteSemaphore(limits.maxBytes ?? MAX_ANSWER_BYTES, () => this.#cutStill());
    this.#stallMs = limits.stallMs ?? STALL_MS;
    this.#waitMs = limits.waitMs ?? WAIT_MS;
  }

  /** Bytes that are counted now. */
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
   * The answer to be sent in place of the given one, which must not be used any more: the same in one piece,
   * the same in chunks, or a 503. Small answers stay in one piece, and so do a few that are not large. Frees
   * the memory that was reserved for the request.
   *
   * @param whenLeft Has a function called when the answer has left, or never will.
   */
  send(
    answer: Answer | Response,
    request: Request,
    whenLeft?: (call: () => void) => void,
  ): Answer | Response {
    this.#release(request);
    if (isResponse(answer)) return this.#sendResponse(answer, request);
    const { body } = answer;
    // A stream without an end bounds itself, and must not keep others waiting.
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

  /** Lets go of an answer that no client gets, and of what was reserved for it. */
  discard(answer: Answer | Response, request: Request): void {
    this.#release(request);
    if (isResponse(answer)) answer.body?.cancel().catch(() => {});
    else void discardBody(answer);
  }

  /** Sends a response that a handler made, which does not tell the memory that it holds. */
  #sendResponse(response: Response, request: Request): Response {
    // In this order: to look at the body of a response costs more than all the rest.
    if (request.method === "HEAD" || WITHOUT_BODY.has(response.status)) return response;
    const { status, statusText, headers } = response;
    const declared = headers.get("content-length");
    if (declared !== null && Number(declared) <= CHUNK_BYTES || response.body === null) return response;
    // It may be small: a body that proves to be too large is broken off.
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

  /** The chunks of an answer, counted until the last one has left. */
  #streamOf(leaving: LeavingAnswer): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        leaving.cut = () => controller.error(new Error("Client takes nothing"));
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
        // More of it has come than it was let in for.
        const fits = leaving.bytes <= bytes || this.#leaving.size === 1 || this.#room.hasRoom(0);
        if (chunk !== undefined && fits) return controller.enqueue(chunk);
        this.#end(leaving);
        if (fits) controller.close();
        else controller.error(new Error("Too much is on its way"));
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
      // What is whole in memory keeps its size.
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

  /** Cuts the answer that has stood still for the longest time, if that is long enough. */
  #cutStill(): boolean {
    const [still] = [...this.#leaving.keys()].sort((a, b) => a.waitsSinceMs - b.waitsSinceMs);
    if (still === undefined || performance.now() - still.waitsSinceMs < this.#stallMs) return false;
    this.#end(still);
    still.cut();
    return true;
  }
}

/** Whether a handler made a response by itself. */
export function isResponse(answer: Answer | Response): answer is Response {
  return "arrayBuffer" in answer;
}

/**
 * Last bytes of an answer that may still wait in its connection when the answer no longer counts: those of
 * two chunks.
 */
export const LAST_BYTES: number = 2 * CHUNK_BYTES;

/** The part of an answer that is in memory, and how it is sent. */
export class LeavingAnswer {
  /** The bytes that it may share with other answers; none when it is read as it leaves. */
  readonly buffer: ArrayBuffer | undefined;
  /** Bytes of memory that it counts for. */
  bytes: number;
  /**
   * Since when its client has to take something, by the clock of `performance`; endless while it is being
   * made.
   */
  waitsSinceMs = performance.now();
  /** Breaks it off. */
  cut: () => void = () => {};
  readonly #countsFor: () => number;
  #rest: Uint8Array<ArrayBuffer>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;

  /**
   * @param bytes What it counts for; more while a larger part of `body` is there.
   * @param countsFor What it counts for later, when that may change.
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

  /** The next chunk; `undefined` at the end. Rejects when the body fails. */
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
   * Whether the next chunk may be a part of the bytes, which holds on to all of them. They count until the
   * end; after it the last chunks would hold on to them, so these are copies. So are the chunks of a body
   * that is read: its maker may use the memory of a piece again.
   */
  get #mayShare(): boolean {
    return this.#reader === undefined && this.#rest.length > LAST_BYTES;
  }

  /** Lets go of what has not left. */
  drop(): void {
    this.#rest = new Uint8Array(0);
    this.#reader?.cancel().catch(() => {});
  }
}
