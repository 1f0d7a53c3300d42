/**
 * Opens servers on all addresses that an address stands for, such as both loopback addresses for `localhost`.
 */
import { type Address, concreteAddresses } from "./address.ts";
import { ListenError, type Server } from "./server.ts";

/** Maximum number of attempts to find a port that is free on all addresses. */
const MAX_ATTEMPTS = 8;

/** Error codes for addresses that must not be used, or that this machine does not have (EINVAL on Deno). */
const UNUSABLE_CODES: readonly unknown[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL", "EACCES"];

type Open = (address: Address) => Promise<Server>;

/**
 * Opens a server on each usable address that `address` stands for. All servers have the same port.
 *
 * @throws {ListenError} when no address can be used, or when another program uses the port on one of the
 * addresses. All other servers are then closed again.
 */
export async function openServers(address: Address, open: Open): Promise<readonly Server[]> {
  for (let attempt = 1;; attempt++) {
    const servers: Server[] = [];
    try {
      await openEach(address, open, servers);
      return servers;
    } catch (error) {
      await Promise.all(servers.map((server) => server.close()));
      const isPortChosen = address.transport === "tcp" && address.port === 0 && servers.length > 0;
      if (!isPortChosen || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * Adds each server to `servers` as soon as it is open, so that the caller can close the servers after a
 * failure.
 */
async function openEach(address: Address, open: Open, servers: Server[]): Promise<void> {
  const unusable: ListenError[] = [];
  for (const concrete of concreteAddresses(address)) {
    const one = withPortOf(servers[0]?.address, concrete);
    try {
      servers.push(await open(one));
    } catch (cause) {
      const error = new ListenError(one, cause);
      if (!UNUSABLE_CODES.includes((cause as { code?: unknown }).code)) throw error;
      unusable.push(error);
    }
  }
  if (servers.length === 0) throw unusable[0];
}

/**
 * Returns an address with the port of another address. If one of the addresses is not a TCP address, returns
 * the address unchanged.
 */
function withPortOf(other: Address | undefined, address: Address): Address {
  return address.transport === "tcp" && other?.transport === "tcp"
    ? { ...address, port: other.port }
    : address;
}
