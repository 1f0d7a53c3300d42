/**
 * The key that identifies a client for all limits per client. The configuration of the operator decides how a
 * client is identified. A client cannot change its key by a header field.
 */
import type { Client } from "../ports/client.ts";
import { TOGETHER } from "../scheduling/limiter.ts";
import { isLoopbackAddress } from "./privilege.ts";

/**
 * Reads the address of a client, for the limits per client.
 *
 * @param client The client at the other end of the connection, as the host passes it with the request.
 * @returns `undefined` for clients that cannot be distinguished. All these clients together count as one
 * client.
 */
export type AddressOf = (request: Request, client: Client | undefined) => string | undefined;

/** Maximum length of an address, in characters: IPv6 with an IPv4 address at its end (RFC 4291, 2.2). */
export const MAX_ADDRESS_LENGTH = 45;

/**
 * Returns the key of the client at an address. For IPv6, the key is the network of 64 bits, which usually
 * belongs to one client. A longer text than an address is cut, so that keys stay short.
 */
export function clientKey(address: string | undefined): string {
  if (address === undefined) return TOGETHER;
  const plain = plainAddress(address.slice(0, MAX_ADDRESS_LENGTH));
  return plain.includes(":") ? networkOf(plain) : plain;
}

/**
 * Returns the address of the socket; `undefined` if the socket may belong to a proxy. This is the case with
 * `behindProxy`, and for connections from this machine.
 */
export function ownAddress(client: Client | undefined, behindProxy: boolean): string | undefined {
  const isOwn = client?.transport === "tcp" && !behindProxy && !isLoopbackAddress(client.address);
  return isOwn ? client.address : undefined;
}

/** Shortens an address. An IPv4 address that is mapped into IPv6 becomes an IPv4 address. */
export function plainAddress(address: string): string {
  const [, ipv4] = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address) ?? [];
  if (ipv4 !== undefined || !address.includes(":")) return ipv4 ?? address;
  const url = `http://[${address.replace(/%.*$/, "")}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : address;
}

/** Returns the first four groups of an IPv6 address. */
function networkOf(address: string): string {
  const [start = "", end] = address.split("::");
  const groups = start.split(":").filter((group) => group !== "");
  const rest = end?.split(":").filter((group) => group !== "") ?? [];
  const zeros = end === undefined ? 0 : Math.max(8 - groups.length - rest.length, 0);
  return [...groups, ...new Array<string>(zeros).fill("0"), ...rest].slice(0, 4).join(":").toLowerCase();
}
