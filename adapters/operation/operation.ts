/** The operation of a service, as the command line has it. */
import type { Client, LogLevel, RequestEvent, RequestShare } from "../../mod.ts";
import { isLoopbackAddress, isPrivileged, peerNetwork, peerOf } from "../../src/http/privilege.ts";
import type { TokenSigner } from "../../src/replication/origin/consistency_token.ts";
import { CLIENT_ADDRESS_FIELD, isFromReplica } from "../../src/replication/origin/forwarded_head.ts";
import type { Handler } from "../server/handler.ts";
import {
  type Exchange,
  type Operator,
  type RequestHead,
  type ServiceView,
  valuesOf,
} from "../server/operator.ts";
import { CLIENT_RATE, clientAddress, ClientShares, TOGETHER } from "./client_share.ts";
import { answerOwnPath, isOfHealth } from "./own_paths.ts";
import { formatRequest, isLogged, levelOf, type LogForm, requestIdOf } from "./request_log.ts";
import type { Metrics } from "./metrics.ts";

/** A log of requests. */
export interface RequestLogOptions {
  readonly form: LogForm;
  /** Lines of this level and above are written. */
  readonly level: LogLevel;
  /** Whether lines have the addresses of clients. */
  readonly hasClients: boolean;
  /** Takes a line with its end. */
  readonly write: (line: string) => void;
}

/** Choices of an operator. */
export interface OperationOptions {
  /** Expensive requests a second of one client, 0 for no bound; {@link CLIENT_RATE} by default. */
  readonly shareRate?: number | undefined;
  /** Whether it is a replica, which knows no owner: whoever works on its machine has no bound. */
  readonly isReplica?: boolean | undefined;
  /** Reads the address that a replica tells of its client. */
  readonly tokens?: TokenSigner | undefined;
  /** Whether all requests come through a proxy of the operator, whose ids of requests count. */
  readonly behindProxy?: boolean | undefined;
  /** Header field in which that proxy names the client, in lower case. */
  readonly addressField?: string | undefined;
  /** Text of `/robots.txt`, in place of our own. */
  readonly robots?: string | undefined;
  /** By default requests are not logged. */
  readonly log?: RequestLogOptions | undefined;
  /** By default nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

/** Facts about a request. */
interface Seen {
  readonly head: RequestHead;
  readonly client: Client | undefined;
  id: string | undefined;
  pattern: string | undefined;
  error: unknown;
}

/** Operates the servers of one service. */
export class Operation implements Operator {
  readonly #options: OperationOptions;
  readonly #seen = new WeakMap<Request, Seen>();
  readonly #shares: ClientShares;
  #isStopping = false;

  constructor(options: OperationOptions = {}) {
    this.#options = options;
    this.#shares = new ClientShares(options.shareRate || CLIENT_RATE);
  }

  readonly share: RequestShare = { take: (request) => this.#take(request) };

  wrap(handler: Handler, service: ServiceView): Handler {
    const { robots, metrics } = this.#options;
    const unreadiness = () => this.#isStopping ? Promise.resolve("stopping" as const) : service.unreadiness();
    metrics?.watch({ ...service, unreadiness });
    return (request, client) => answerOwnPath(request, { robots, unreadiness }) ?? handler(request, client);
  }

  readonly idOf = (request: Request): string => {
    const seen = this.#seen.get(request);
    if (seen === undefined) return requestIdOf(undefined, false);
    return seen.id ??= requestIdOf(seen.head, this.#options.behindProxy ?? false);
  };

  begin(request: Request, client: Client | undefined, head: RequestHead): void {
    this.#seen.set(request, { head, client, id: undefined, pattern: undefined, error: undefined });
    this.#options.metrics?.begin();
  }

  readonly answered = ({ request, pattern, error }: RequestEvent): void => {
    if (error !== undefined) this.#options.metrics?.fault();
    const seen = this.#seen.get(request);
    if (seen === undefined) return;
    seen.pattern = pattern;
    seen.error = error;
  };

  end(request: Request, exchange: Exchange): void {
    const seen = this.#seen.get(request);
    if (seen === undefined) return;
    const { metrics } = this.#options;
    const { head: { method = "", url: target = "" }, pattern } = seen;
    if (pattern === undefined && isOfHealth(target.split("?", 1)[0]!)) return metrics?.leave();
    metrics?.end({ ...exchange, method, pattern });
    this.#log(request, seen, exchange);
  }

  /**
   * The address of the client of a request, as far as it can be told: a replica passes it on with a
   * signature, a proxy in its field.
   */
  readonly addressOf = (request: Request): string | undefined => {
    const seen = this.#seen.get(request);
    if (seen === undefined) return undefined;
    const { head, client } = seen;
    const field = isFromReplica(request) ? undefined : this.#options.addressField;
    return this.#signedAddress(request, head) ?? clientAddress(head, client, field);
  };

  /** The address that a replica has signed. Whatever else it passes on is what its client has sent. */
  #signedAddress(request: Request, head: RequestHead): string | undefined {
    const { tokens } = this.#options;
    return isFromReplica(request)
      ? tokens?.verifyAddress(valuesOf(head, CLIENT_ADDRESS_FIELD)[0])
      : undefined;
  }

  /** Takes a request from the share of its client. */
  #take(request: Request): number | undefined {
    const { behindProxy = false, isReplica = false, shareRate } = this.#options;
    const seen = this.#seen.get(request);
    if (shareRate === 0 || seen === undefined) return undefined;
    const policy = { behindProxy, trustedOrigins: [] };
    if (isReplica && isPrivileged(request, seen.client, policy)) return undefined;
    return this.#shares.take(this.#clientOf(request, seen));
  }

  /** The client that a request counts for: a network, or all that cannot be told apart. */
  #clientOf(request: Request, { head, client }: Seen): string {
    const { addressField, behindProxy = false } = this.#options;
    if (isFromReplica(request)) {
      const address = this.#signedAddress(request, head);
      return address === undefined ? TOGETHER : peerNetwork(address);
    }
    if (addressField !== undefined) {
      const address = clientAddress(head, client, addressField);
      return address === undefined ? TOGETHER : peerNetwork(address);
    }
    // A socket on this machine may be that of a proxy.
    const isOne = client?.transport === "tcp" && !isLoopbackAddress(client.address);
    return isOne ? peerOf(request, client, { behindProxy }) || TOGETHER : TOGETHER;
  }

  stopping(): void {
    this.#isStopping = true;
  }

  #log(request: Request, { head, pattern, error }: Seen, exchange: Exchange): void {
    const { log } = this.#options;
    if (log === undefined || !isLogged(levelOf({ ...exchange, error }), log.level)) return;
    const logged = {
      ...exchange,
      method: head.method ?? "-",
      target: head.url ?? "-",
      pattern,
      error,
      id: this.idOf(request),
      client: log.hasClients ? this.addressOf(request) ?? "-" : undefined,
    };
    log.write(formatRequest(logged, log.form, new Date()));
  }
}
