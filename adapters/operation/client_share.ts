/** Limits the number of expensive requests per client. Clients are distinguished by their addresses. */
import { isIP } from "node:net";
import type { Client } from "../../mod.ts";
import { MAX_ADDRESS_LENGTH, plainAddress } from "../../src/http/client_key.ts";
import { TOGETHER } from "../../src/scheduling/limiter.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

/**
 * Number of seconds of {@link CLIENT_RATE} that a client can save. A client that was idle may send that many
 * requests at once.
 */
export const BURST_SECONDS = 30;
/** Default number of expensive requests that a client may send per second on average. */
export const CLIENT_RATE = 8;
/**
 * Processor time that counts as one more request, in milliseconds. A response that takes more time counts as
 * several requests.
 */
export const REQUEST_MS = 25;
/** Maximum time for which a client is refused, in seconds. */
export const MAX_DEBT_SECONDS = 300;
/**
 * Factor by which the rate of one client is multiplied for all clients that cannot be distinguished together.
 */
export const TOGETHER_FACTOR = 10;
/**
 * Maximum number of clients whose requests are counted. The client with the oldest requests is dropped first.
 */
export const MAX_CLIENTS = 10_000;

export interface ClientSharesOptions {
  /** Number of expensive requests that each client may send per second on average. */
  readonly rate?: number;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /**
   * Checks whether the service is idle. Clients that cannot be distinguished are not limited while the
   * service is idle.
   */
  readonly isIdle?: () => boolean;
}

export class ClientShares {
  readonly #rate: number;
  readonly #now: () => number;
  readonly #isIdle: () => boolean;
  /**
   * Time at which the past requests of each client no longer count, in milliseconds. The client with the
   * latest request is last.
   */
  readonly #wholeMs = new Map<string, number>();

  constructor({ rate = CLIENT_RATE, now = () => performance.now(), isIdle }: ClientSharesOptions = {}) {
    this.#rate = rate;
    this.#now = now;
    this.#isIdle = isIdle ?? (() => false);
  }

  get size(): number {
    return this.#wholeMs.size;
  }

  /**
   * Counts a request of a client. Returns `undefined` when the request is allowed, otherwise the number of
   * seconds after which the client may send a request.
   */
  take(key: string): number | undefined {
    const stepMs = this.#stepMs(key);
    const { nowMs, wholeMs } = this.#stateOf(key);
    const waitMs = wholeMs + stepMs - nowMs - 1000 * BURST_SECONDS;
    // Sums of many steps have rounding errors, so a tiny excess is tolerated.
    const isOver = waitMs > stepMs / 1000;
    this.#set(key, isOver ? wholeMs : wholeMs + stepMs);
    return !isOver || key === TOGETHER && this.#isIdle() ? undefined : waitMs / 1000;
  }

  /**
   * Counts the processor time of a response against the limit of a client. The client may be refused for up
   * to {@link MAX_DEBT_SECONDS}. Has no effect for clients that cannot be distinguished, because a client
   * must not pay for other clients.
   *
   * @param ms Processor time in milliseconds.
   */
  charge(key: string, ms: number): void {
    const { nowMs, wholeMs } = this.#stateOf(key);
    const mostMs = nowMs + 1000 * (BURST_SECONDS + (key === TOGETHER ? 0 : MAX_DEBT_SECONDS));
    const chargedMs = wholeMs + this.#stepMs(key) * ms / REQUEST_MS;
    this.#set(key, Math.max(wholeMs, Math.min(chargedMs, mostMs)));
  }

  #stepMs(key: string): number {
    return 1000 / (this.#rate * (key === TOGETHER ? TOGETHER_FACTOR : 1));
  }

  #stateOf(key: string): { readonly nowMs: number; readonly wholeMs: number } {
    const nowMs = this.#now();
    return { nowMs, wholeMs: Math.max(this.#wholeMs.get(key) ?? nowMs, nowMs) };
  }

  #set(key: string, wholeMs: number): void {
    this.#wholeMs.delete(key);
    this.#wholeMs.set(key, wholeMs);
    if (this.#wholeMs.size > MAX_CLIENTS) this.#wholeMs.delete(this.#wholeMs.keys().next().value!);
  }
}

/**
 * Returns the name of a header field in lower case; `undefined` when the text is not a valid name (RFC 9110,
 * 5.6.2) or has more than 64 characters.
 */
export function fieldName(text: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]{1,64}$/.test(text) ? text.toLowerCase() : undefined;
}

/**
 * Returns the address of a client from the header field that a proxy sets, or else from the TCP socket.
 * Returns `undefined` for other sockets. Only the last address in the field counts, because the nearest proxy
 * has added it. A field that occurs twice, or whose last value is not an address, is ignored.
 *
 * @param field Name of the header field in lower case.
 */
export function clientAddress(
  head: RequestHead,
  client: Client | undefined,
  field: string,
): string | undefined {
  return addressIn(valuesOf(head, field)) ??
    (client?.transport === "tcp" ? plainAddress(client.address) : undefined);
}

function addressIn(values: readonly string[]): string | undefined {
  const [value = "", ...others] = values;
  if (others.length > 0) return undefined;
  const last = value.slice(value.lastIndexOf(",") + 1).trim();
  return last.length <= MAX_ADDRESS_LENGTH && !last.includes("%") && isIP(last) !== 0
    ? plainAddress(last)
    : undefined;
}
