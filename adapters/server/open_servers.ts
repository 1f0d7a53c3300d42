/**
 * Servers on an address. `localhost` is two addresses, whatever the machine's resolver says of it (RFC 6761,
 * 6.3): browsers try both without asking, and on the other one a program of another user could answer.
 */
import type { Address } from "./address.ts";
import { ListenError, type Server } from "./server.ts";

const LOCALHOST = /^localhost\.?$/i;
const LOOPBACK_ADDRESSES = ["127.0.0.1", "::1"];

/** Attempts to find a port that is free on both addresses. */
const MAX_ATTEMPTS = 8;

/** Codes of addresses that this machine does not have (Deno says EINVAL), or that may not be used. */
const UNUSABLE_CODES: readonly unknown[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL", "EACCES"];

/**
 * Opens a server, and for `localhost` one on each loopback address that can be used, with the same port; on
 * the name itself when neither can.
 *
 * @param open Opens one server.
 * @throws {ListenError} when one cannot be opened; then none is.
 */
export async function openServers(
  address: Address,
  open: (address: Address) => Promise<Server>,
): Promise<readonly Server[]> {
  const openOne = async (one: Address) => {
    try {
      return await open(one);
    } catch (error) {
      throw new ListenError(one, error);
    }
  };
  if (address.transport === "unix" || !LOCALHOST.test(address.hostname)) return [await openOne(address)];
  for (let attempt = 1;; attempt++) {
    const servers: Server[] = [];
    let { port } = address;
    try {
      for (const hostname of LOOPBACK_ADDRESSES) {
        const server = await openOne({ ...address, hostname, port }).catch(unlessUnusable);
        if (server === undefined) continue;
        servers.push(server);
        if (server.address.transport === "tcp") ({ port } = server.address);
      }
      return servers.length > 0 ? servers : [await openOne(address)];
    } catch (error) {
      await Promise.all(servers.map((server) => server.close()));
      const mayTryAnother = address.port === 0 && servers.length > 0 && codeOf(error) === "EADDRINUSE";
      if (!mayTryAnother || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function unlessUnusable(error: unknown): undefined {
  if (!UNUSABLE_CODES.includes(codeOf(error))) throw error;
}

/** The operating system's code in the cause of an error. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof ListenError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
