/**
 * Receives the chunks of request bodies within a limit for each body and a memory budget for all bodies. When
 * the budget is exceeded, the oldest body is evicted, so that slow senders do not block fast ones.
 */
import { CoreError, MalformedError, TooLargeError, UnavailableError } from "../errors.ts";
import { ByteSemaphore } from "../scheduling/byte_semaphore.ts";

/** Most bytes of request bodies being received at a time. */
export const MAX_ARRIVING_BYTES = 32 * 1024 * 1024;

export interface ArrivingBody {
  /** Whether the body was evicted: reading must stop, and the request fails. */
  readonly isLost: boolean;
  /** Counts bytes just received. */
  add(bytes: number): void;
  /** Stops counting the body: it is complete or no longer needed. */
  end(): void;
}

export class BodyBudget {
  readonly #bytes: ByteSemaphore;
  readonly #bodies = new Set<Body>();
  /** The body that most recently received bytes. */
  #newest: Body | undefined;

  /** @param limitBytes Limit of the sum. A body may exceed it while it is the only one. */
  constructor(limitBytes: number = MAX_ARRIVING_BYTES) {
    this.#bytes = new ByteSemaphore(limitBytes, () => this.#evictOldest());
  }

  /** Starts to count a body. `giveUp` is called when the body is evicted. */
  begin(giveUp: () => void): ArrivingBody {
    const lease = this.#bytes.force(0);
    let size = 0;
    const body: Body = {
      giveUp,
      isLost: false,
      add: (bytes) => {
        lease.resize(size += bytes);
        this.#newest = body;
        this.#bytes.hasRoom(0);
      },
      end: () => {
        this.#bodies.delete(body);
        lease.release();
      },
    };
    this.#bodies.add(body);
    return body;
  }

  #evictOldest(): boolean {
    const oldest = [...this.#bodies].find((body) => body !== this.#newest);
    if (oldest === undefined) return false;
    oldest.end();
    oldest.isLost = true;
    oldest.giveUp();
    return true;
  }
}

interface Body extends ArrivingBody {
  readonly giveUp: () => void;
  isLost: boolean;
}

/** Memory that each chunk of a body takes in addition to its bytes, approximately. */
const CHUNK_OVERHEAD_BYTES = 64;
/** `Retry-After` of a request whose body was evicted from the budget, in seconds. */
const RETRY_SECONDS = 5;

/** Budget shared by all request bodies of the process. */
export const budgetOfProcess: BodyBudget = new BodyBudget();

export function bodyTooLarge(limitBytes: number): TooLargeError {
  return new TooLargeError(`Request body is larger than ${limitBytes} bytes`);
}

/**
 * Refuses a request that declares a larger body. The declaration may be wrong: the bytes received count.
 *
 * @throws {TooLargeError}
 */
export function checkDeclaredLength({ headers }: Request, limitBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
}

/**
 * Receives a body to its end.
 *
 * @param limitBytes Largest body, inclusive.
 * @param take Receives each chunk. An error that it throws ends the body.
 * @throws {TooLargeError} beyond the limit.
 * @throws {UnavailableError} when newer bodies evicted this one from the memory budget.
 * @throws {MalformedError} when the body is incomplete. A {@link CoreError} of the stream is rethrown
 *   unchanged.
 */
export async function receiveBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limitBytes: number,
  budget: BodyBudget,
  take: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const reader = body?.getReader();
  const cancel = () => reader?.cancel().catch(() => {});
  const arriving = budget.begin(cancel);
  try {
    for (let size = 0;;) {
      const chunk = (await reader?.read().catch((error) => {
        if (arriving.isLost) return undefined;
        throw error instanceof CoreError ? error : new MalformedError("Request body is incomplete");
      }))?.value;
      if (arriving.isLost) throw lostBody();
      if (chunk === undefined) return;
      size += chunk.length;
      if (size > limitBytes) {
        await cancel();
        throw bodyTooLarge(limitBytes);
      }
      arriving.add(chunk.length + CHUNK_OVERHEAD_BYTES);
      take(chunk);
    }
  } finally {
    arriving.end();
  }
}

function lostBody(): UnavailableError {
  return new UnavailableError("Too many request bodies arrive", { retryAfterSeconds: RETRY_SECONDS });
}
