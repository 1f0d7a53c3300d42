/** Limits how many expensive requests each client may send, by the client's address. */
import { isIP } from "node:net";
import type { Client } from "../../mod.ts";
import { MAX_ADDRESS_LENGTH, plainAddress } from "../../src/http/client_key.ts";
import { TOGETHER } from "../../src/scheduling/limiter.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

/** A client may use up its share of this many seconds at once. */
export const BURST_SECONDS = 30;
/** Expensive requests of one client per second in the long run, unless the operator sets another number. */
export const CLIENT_RATE = 8;
/**
 * Processor time of one request, in milliseconds. For each further piece of this length, the client pays for
 * one request more.
 */
export const REQUEST_MS = 25;
/** Longest time for which a client that has used up its share is refused, in seconds. */
export const MAX_DEBT_SECONDS = 300;
/** Clients that cannot be told apart share one pool of this many times the rate of one client. */
export const TOGETHER_FACTOR = 10;
/**
 * Most clients whose use is stored: those with the latest requests. All other clients have their whole share.
 */
export const MAX_CLIENTS = 10_000;

export interface ClientSharesOptions {
  /** Expensive requests of one client per second. */
  readonly rate?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Whether no work waits. Then the share of clients that cannot be told apart is not limited. */
  readonly isIdle?: () => boolean;
}

export class ClientShares {
  readonly #rate: number;
  readonly #now: () => number;
  readonly #isIdle: () => boolean;
  /**
   * Time at which each client has its whole share again, in milliseconds. The client with the latest request
   * is last.
   */
  readonly #wholeMs = new Map<string, number>();

  constructor({ rate = CLIENT_RATE, now = () => performance.now(), isIdle }: ClientSharesOptions = {}) {
    this.#rate = rate;
    this.#now = now;
    this.#isIdle = isIdle ?? (() => false);
  }

  /** Number of clients that have used a part of their share, at most {@link MAX_CLIENTS}. */
  get size(): number {
    return this.#wholeMs.size;
  }

  /**
   * Takes one request from the share of a client. If the share is used up, returns the seconds until it has
   * room for one request.
   */
  take(key: string): number | undefined {
    const stepMs = this.#stepMs(key);
    const { nowMs, wholeMs } = this.#stateOf(key);
    const waitMs = wholeMs + stepMs - nowMs - 1000 * BURST_SECONDS;
    // Sums of steps have rounding errors.
    const isOver = waitMs > stepMs / 1000;
    this.#set(key, isOver ? wholeMs : wholeMs + stepMs);
    return !isOver || key === TOGETHER && this.#isIdle() ? undefined : waitMs / 1000;
  }

  /**
   * Charges a client for the cost of an answer. Cost beyond the share becomes a debt of at most
   * {@link MAX_DEBT_SECONDS}. Clients that cannot be told apart get no debt, because other clients would pay
   * it.
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
 * Returns the name of a header field in lower case; `undefined` when the text is not such a name
 * (RFC 9110, 5.6.2).
 */
export function fieldName(text: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]{1,64}$/.test(text) ? text.toLowerCase() : undefined;
}

/**
 * Returns the address of a client: from the header field that a proxy sets, otherwise from the TCP socket;
 * `undefined` for other sockets. If the field has several values, the last one counts, which the nearest
 * proxy has added. The field is ignored when it is there twice, or when its last value is not an address.
 *
 * @param field Name in lower case.
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
