/** The sockets of a service, on a home or on a bucket. */
import type { Api, Environment, WorkerPool } from "../../mod.ts";
import { type Address, DEFAULT_ADDRESS, formatAddress } from "../server/address.ts";
import type { Answers } from "../server/answers.ts";
import { Connections, placesFor } from "../server/connections.ts";
import type { Handler } from "../server/handler.ts";
import type { Operator, ServiceFigures } from "../server/operator.ts";
import { openServers } from "../server/open_servers.ts";
import type { Server, ServerOptions } from "../server/server.ts";
import type { HomeParts } from "./parts.ts";

/** Puts a handler on a socket, by the means of a runtime. */
export type CreateServer = (handler: Handler, options: ServerOptions) => Promise<Server>;

/** Addresses of a service, and what its sockets do with requests. */
export interface SocketOptions {
  /** Addresses to listen on; {@link DEFAULT_ADDRESS} by default. `localhost` is both loopback addresses. */
  readonly listen?: readonly Address[];
  /** Connections at a time on all addresses; by default a quarter of the file descriptors, at most 1,024. */
  readonly maxConnections?: number;
  /** Operates the servers: paths of their own, ids and logs of requests; none by default. */
  readonly operator?: Operator | undefined;
}

/** The sockets of a service that listen. */
export interface OpenSockets {
  /** Addresses with the real ports. */
  readonly addresses: readonly Address[];
  /** The same as URLs. */
  readonly urls: readonly string[];
}

/** Options of {@link listenOn}. */
interface ListenOptions extends SocketOptions {
  readonly log: Environment["log"];
  readonly answers: Answers;
}

/** The sockets of a service. */
interface Listening extends OpenSockets {
  readonly connections: Connections;
  /** Whether all of them accept connections. */
  readonly isListening: boolean;
  close(): Promise<void>;
}

/** Opens sockets on all addresses. Rejects with `ListenError` when one cannot be opened; then none is. */
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

/** Figures of a service. */
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
