/** Opens the sockets of a service. */
import type { Api, Environment, WorkerPool } from "../../mod.ts";
import { type Address, DEFAULT_ADDRESS, formatAddress } from "../server/address.ts";
import type { Answers } from "../server/answers.ts";
import { Connections, placesFor } from "../server/connections.ts";
import type { Handler } from "../server/handler.ts";
import type { Operator, ServiceFigures } from "../server/operator.ts";
import { openServers } from "../server/open_servers.ts";
import type { Server, ServerOptions } from "../server/server.ts";
import type { HomeParts } from "./parts.ts";

/** Opens a server on a socket, as implemented by each runtime. */
export type CreateServer = (handler: Handler, options: ServerOptions) => Promise<Server>;

export interface SocketOptions {
  /**
   * Addresses to listen on; {@link DEFAULT_ADDRESS} by default. `localhost` means both loopback addresses,
   * 127.0.0.1 and ::1.
   */
  readonly listen?: readonly Address[];
  /**
   * Maximum number of connections on all addresses together. The default is a quarter of the file
   * descriptors, but not more than 1,024.
   */
  readonly maxConnections?: number;
  /** Serves further paths such as health checks, gives ids to requests, and logs requests. */
  readonly operator?: Operator | undefined;
}

export interface OpenSockets {
  /** Addresses of the open sockets. Port 0 is replaced by the port that the system has chosen. */
  readonly addresses: readonly Address[];
  /** The addresses as URLs. */
  readonly urls: readonly string[];
}

interface ListenOptions extends SocketOptions {
  readonly log: Environment["log"];
  readonly answers: Answers;
}

interface Listening extends OpenSockets {
  readonly connections: Connections;
  /** Whether all sockets accept connections. */
  readonly isListening: boolean;
  close(): Promise<void>;
}

/**
 * Opens sockets on all addresses.
 *
 * @throws {ListenError} when a socket cannot be opened. All other sockets are then closed again.
 */
export async function listenOn(
  handler: Handler,
  { listen = [DEFAULT_ADDRESS], log, answers, operator, ...options }: ListenOptions,
  { descriptorLimit }: Pick<HomeParts, "descriptorLimit">,
  createServer: CreateServer,
): Promise<Listening> {
  const { maxConnections = placesFor(descriptorLimit?.()) } = options;
  const connections = new Connections({ maxConnections });
  const servers: Server[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  for (const address of listen) {
    try {
      servers.push(
        ...await openServers(
          address,
          (address) => createServer(handler, { address, log, connections, answers, operator }),
        ),
      );
    } catch (error) {
      await close();
      throw error;
    }
  }
  const addresses = servers.map(({ address }) => address);
  return {
    addresses,
    urls: addresses.map(formatAddress),
    connections,
    get isListening() {
      return servers.every(({ isListening }) => isListening !== false);
    },
    close,
  };
}

/** Returns the current figures of a service for metrics. */
export function figuresOf(
  { connections }: Listening,
  { bytes }: Answers,
  { workers, git, api }: {
    readonly workers?: WorkerPool | undefined;
    readonly git?: ServiceFigures["git"];
    readonly api: Pick<Api, "waiting">;
  },
): ServiceFigures {
  return { connections, answerBytes: bytes, workers: workers?.figures, git, waiting: api.waiting() };
}
