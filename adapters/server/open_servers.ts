/** Servers on an address. */
import { type Address, concreteAddresses } from "./address.ts";
import { ListenError, type Server } from "./server.ts";

/** Attempts to find a port that is free on all addresses. */
const MAX_ATTEMPTS = 8;

/** Codes of addresses that this machine does not have (Deno says EINVAL), or that may not be used. */
const UNUSABLE_CODES: readonly unknown[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL", "EACCES"];

/** Opens one server. */
type Open = (address: Address) => Promise<Server>;

/**
 * Opens a server on each address that a name stands for and that can be used, all with the same port.
 *
 * @throws {ListenError} when no address can be used, or another program has the port of one; then none is
 *   opened.
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

/** Opens the servers, each of which is in `servers` at once. */
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

/** An address with the port of another one, if there is any. */
function withPortOf(other: Address | undefined, address: Address): Address {
  return address.transport === "tcp" && other?.transport === "tcp"
    ? { ...address, port: other.port }
    : address;
}
