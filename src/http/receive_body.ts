/**
 * Receives request bodies in chunks. All bodies together have a memory limit. When the limit is exceeded, the
 * oldest body is dropped, so that slow senders do not block fast senders.
 */
import { CoreError, MalformedError, TooLargeError, UnavailableError } from "../errors.ts";
import { ByteSemaphore } from "../scheduling/byte_semaphore.ts";

/** Maximum total size of all request bodies that are being received, in bytes. */
export const MAX_ARRIVING_BYTES = 32 * 1024 * 1024;

export interface ArrivingBody {
  /** Whether the body was dropped. Reading must then stop, and the request fails. */
  readonly isLost: boolean;
  /** Adds the number of bytes that were just received. */
  add(bytes: number): void;
  /** Stops counting the body, because it is complete or no longer needed. */
  end(): void;
}

export class BodyBudget {
  readonly #bytes: ByteSemaphore;
  readonly #bodies = new Set<Body>();
  #newest: Body | undefined;

  /**
   * @param limitBytes Maximum total size of all bodies. A single body may exceed the limit if there are no
   * other bodies.
   */
  constructor(limitBytes: number = MAX_ARRIVING_BYTES) {
    this.#bytes = new ByteSemaphore(limitBytes, () => this.#evictOldest());
  }

  /** Starts to count the bytes of a body. `giveUp` is called when the body is dropped to free memory. */
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

/** Approximate memory of a chunk in addition to its bytes, in bytes. */
const CHUNK_OVERHEAD_BYTES = 64;
/** `Retry-After` of a request whose body was dropped, in seconds. */
const RETRY_SECONDS = 5;

/** Memory limit that all request bodies of the process share. */
export const budgetOfProcess: BodyBudget = new BodyBudget();

export function bodyTooLarge(limitBytes: number): TooLargeError {
  return new TooLargeError(`Request body is larger than ${limitBytes} bytes`);
}

/**
 * Refuses a request whose `Content-Length` exceeds `limitBytes`. The caller must also count the received
 * bytes, because the field may be wrong.
 *
 * @throws {TooLargeError}
 */
export function checkDeclaredLength({ headers }: Request, limitBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
}

/**
 * Receives a body to its end.
 *
 * @param limitBytes Maximum size of the body, in bytes.
 * @param take Called with each chunk. If the function throws, the body is not read further.
 * @throws {TooLargeError} when the body exceeds the limit.
 * @throws {UnavailableError} when newer bodies have used up the memory, so that this body was dropped.
 * @throws {MalformedError} when the body is incomplete. A {@link CoreError} of the stream is rethrown
 * unchanged.
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
