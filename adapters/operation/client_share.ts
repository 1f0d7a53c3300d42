/** Addresses of clients as far as they can be told, and their shares of expensive requests. */
import { isIP } from "node:net";
import type { Client } from "../../mod.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

/** Seconds of its share that a client may use up at once. */
export const BURST_SECONDS = 30;
/** Expensive requests of a client a second, in the long run, unless an operator says otherwise. */
export const CLIENT_RATE = 8;
/** So many times the share of a client is that of all who cannot be told apart, together. */
export const TOGETHER_FACTOR = 10;
/** Most clients of which it is stored, those that have asked last; others have their whole share. */
export const MAX_CLIENTS = 10_000;

/** Key of all clients that cannot be told apart. */
export const TOGETHER = "together";

/** The shares of all clients. */
export class ClientShares {
  /** Requests a second of one client. */
  readonly #rate: number;
  readonly #now: () => number;
  /** When the share of a client is whole again, in milliseconds; who has asked last stands last. */
  readonly #wholeMs = new Map<string, number>();

  /** @param now A monotonic clock in milliseconds. */
  constructor(rate: number = CLIENT_RATE, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Number of clients that have used some of their shares, at most {@link MAX_CLIENTS}. */
  get size(): number {
    return this.#wholeMs.size;
  }

  /** Takes one request from a share; the time until there is room for one, in seconds, if there is none. */
  take(key: string): number | undefined {
    const factor = key === TOGETHER ? TOGETHER_FACTOR : 1;
    const stepMs = 1000 / (this.#rate * factor);
    const nowMs = this.#now();
    const wholeMs = Math.max(this.#wholeMs.get(key) ?? nowMs, nowMs);
    this.#wholeMs.delete(key);
    const waitMs = wholeMs + stepMs - nowMs - 1000 * BURST_SECONDS;
    // Sums of steps are not exact.
    const isOver = waitMs > stepMs / 1000;
    this.#wholeMs.set(key, isOver ? wholeMs : wholeMs + stepMs);
    if (this.#wholeMs.size > MAX_CLIENTS) this.#wholeMs.delete(this.#wholeMs.keys().next().value!);
    return isOver ? waitMs / 1000 : undefined;
  }
}

/** Longest text that can be an address: IPv6 with an IPv4 address at its end (RFC 4291, 2.2). */
const MAX_LENGTH = 45;

/** Name of a header field in lower case; `undefined` when a text is none (RFC 9110, 5.6.2). */
export function fieldName(text: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]{1,64}$/.test(text) ? text.toLowerCase() : undefined;
}

/**
 * The address of a client: that in the field of a proxy, else that of the socket; `undefined` for other
 * sockets. Of several values in the field the last one counts, which the nearest proxy has added. A field
 * that is there twice, or whose last value is no address, counts for nothing.
 *
 * @param field Name in lower case; `undefined` where there is no proxy that sets it.
 */
export function clientAddress(
  head: RequestHead,
  client: Client | undefined,
  field: string | undefined,
): string | undefined {
  const given = field === undefined ? undefined : addressIn(valuesOf(head, field));
  return given ?? (client?.transport === "tcp" ? plainAddress(client.address) : undefined);
}

function addressIn(values: readonly string[]): string | undefined {
  const [value = "", ...others] = values;
  if (others.length > 0) return undefined;
  const last = value.slice(value.lastIndexOf(",") + 1).trim();
  return last.length <= MAX_LENGTH && !last.includes("%") && isIP(last) !== 0
    ? plainAddress(last)
    : undefined;
}

/** An address in its shortest form; one of IPv4 within IPv6 as IPv4. */
function plainAddress(address: string): string {
  const [, ipv4] = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address) ?? [];
  if (ipv4 !== undefined || !address.includes(":")) return ipv4 ?? address;
  const url = `http://[${address.replace(/%.*$/, "")}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : address;
}
