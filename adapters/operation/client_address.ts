/** Addresses of clients as far as they can be told, for shares and logs. They never give a privilege. */
import { isIP } from "node:net";
import type { Client } from "../../mod.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

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
