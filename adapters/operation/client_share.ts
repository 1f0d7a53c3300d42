/** Addresses of clients as far as they can be told, and their shares of expensive requests. */
import { isIP } from "node:net";
import type { Client } from "../../mod.ts";
import { MAX_ADDRESS_LENGTH, plainAddress } from "../../src/http/client_key.ts";
import { TOGETHER } from "../../src/scheduling/limiter.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

/** Seconds of its share that a client may use up at once. */
export const BURST_SECONDS = 30;
/** Expensive requests of a client a second, in the long run, unless an operator says otherwise. */
export const CLIENT_RATE = 8;
/**
 * Processor time that a request may take, in milliseconds. For each further piece of so much, its client is
 * charged for one request more.
 */
export const REQUEST_MS = 25;
/** Longest time for which a client that has used up its share is refused, in seconds. */
export const MAX_DEBT_SECONDS = 300;
/** The clients that cannot be told apart share so many times the share of one client. */
export const TOGETHER_FACTOR = 10;
/** Most clients of which it is stored, those that have asked last; others have their whole share. */
export const MAX_CLIENTS = 10_000;

/** Options of {@link ClientShares}. */
export interface ClientSharesOptions {
  /** Requests a second of one client. */
  readonly rate?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Whether no work waits; the share of clients that cannot be told apart has no bound then. */
  readonly isIdle?: () => boolean;
}

/** The shares of all clients. */
export class ClientShares {
  readonly #rate: number;
  readonly #now: () => number;
  readonly #isIdle: () => boolean;
  /** When the share of a client is whole again, in milliseconds; who has asked last stands last. */
  readonly #wholeMs = new Map<string, number>();

  constructor({ rate = CLIENT_RATE, now = () => performance.now(), isIdle }: ClientSharesOptions = {}) {
    this.#rate = rate;
    this.#now = now;
    this.#isIdle = isIdle ?? (() => false);
  }

  /** Number of clients that have used some of their shares, at most {@link MAX_CLIENTS}. */
  get size(): number {
    return this.#wholeMs.size;
  }

  /** Takes one request from a share; the time until there is room for one, in seconds, if there is none. */
  take(key: string): number | undefined {
    const stepMs = this.#stepMs(key);
    const { nowMs, wholeMs } = this.#stateOf(key);
    const waitMs = wholeMs + stepMs - nowMs - 1000 * BURST_SECONDS;
    // Sums of steps are not exact.
    const isOver = waitMs > stepMs / 1000;
    this.#set(key, isOver ? wholeMs : wholeMs + stepMs);
    return !isOver || key === TOGETHER && this.#isIdle() ? undefined : waitMs / 1000;
  }

  /**
   * Charges a share for what an answer has cost. What that exceeds is a debt, of {@link MAX_DEBT_SECONDS} at
   * most; clients that cannot be told apart have no debts, which others would have to pay.
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

/** Name of a header field in lower case; `undefined` when a text is none (RFC 9110, 5.6.2). */
export function fieldName(text: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]{1,64}$/.test(text) ? text.toLowerCase() : undefined;
}

/**
 * The address of a client: that in the field of a proxy, else that of the socket; `undefined` for other
 * sockets. Of several values in the field the last one counts, which the nearest proxy has added. A field
 * that is there twice, or whose last value is no address, counts for nothing.
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
