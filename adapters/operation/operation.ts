/**
 * Limits the expensive requests of each client, gives ids to requests, and provides logs and metrics, as the
 * command line requests.
 */
import type { Client, LogLevel, RequestEvent, RequestShare } from "../../mod.ts";
import { clientKey, ownAddress, plainAddress } from "../../src/http/client_key.ts";
import { isPrivileged } from "../../src/http/privilege.ts";
import type { ClientClaims } from "../../extensions/replicas/origin/client_claim.ts";
import { CLIENT_ADDRESS_FIELD } from "../../extensions/replicas/origin/fields.ts";
import type { Handler } from "../server/handler.ts";
import {
  type Exchange,
  type Operator,
  type RequestHead,
  type ServiceView,
  valuesOf,
} from "../server/operator.ts";
import { CLIENT_RATE, clientAddress, ClientShares } from "./client_share.ts";
import { Load } from "./load.ts";
import { answerOwnPath, isOfHealth } from "./own_paths.ts";
import { formatRequest, isLogged, levelOf, type LogForm, requestIdOf } from "./request_log.ts";
import type { Metrics } from "./metrics.ts";

export interface RequestLogOptions {
  readonly form: LogForm;
  /** Lowest level that is logged. All more serious levels are logged as well. */
  readonly level: LogLevel;
  /** Whether log lines contain the addresses of clients. */
  readonly hasClients: boolean;
  /** Writes a line that includes the line end. */
  readonly write: (line: string) => void;
}

export interface OperationOptions {
  /**
   * Number of expensive requests that each client may send per second; 0 for no limit. The default is
   * {@link CLIENT_RATE}.
   */
  readonly shareRate?: number | undefined;
  /**
   * Whether the service is a replica. A replica has no owner, but does not limit clients on its own machine.
   */
  readonly isReplica?: boolean | undefined;
  /** Verifies client addresses that replicas send. By default, such addresses are ignored. */
  readonly claims?: Pick<ClientClaims, "verify"> | undefined;
  /**
   * Whether all requests come through a proxy of the operator. If so, the service uses the request ids of the
   * proxy.
   */
  readonly behindProxy?: boolean | undefined;
  /** Name of the header field in which the proxy sends the address of the client, in lower case. */
  readonly addressField?: string | undefined;
  /** Text of `/robots.txt`, which replaces the default text. */
  readonly robots?: string | undefined;
  /** Log of requests. By default, requests are not logged. */
  readonly log?: RequestLogOptions | undefined;
  /** Metrics of the service. By default, no metrics are collected. */
  readonly metrics?: Metrics | undefined;
}

interface Seen {
  readonly head: RequestHead;
  readonly client: Client | undefined;
  /** Address of the client, for limits per client. */
  readonly address: string | undefined;
  id: string | undefined;
  pattern: string | undefined;
  error: unknown;
}

export class Operation implements Operator {
  readonly #options: OperationOptions;
  readonly #seen = new WeakMap<Request, Seen>();
  readonly #shares: ClientShares;
  #load: Load | undefined;
  #isStopping = false;

  constructor(options: OperationOptions = {}) {
    this.#options = options;
    this.#shares = new ClientShares({
      rate: options.shareRate || CLIENT_RATE,
      isIdle: () => this.#load?.isIdle ?? false,
    });
  }

  readonly share: RequestShare = {
    take: (request) => this.#isBounded(request) ? this.#shares.take(this.#keyOf(request)) : undefined,
    charge: (request, ms) => {
      if (this.#isBounded(request)) this.#shares.charge(this.#keyOf(request), ms);
    },
  };

  wrap(handler: Handler, service: ServiceView): Handler {
    const { robots, metrics } = this.#options;
    const unreadiness = () => this.#isStopping ? Promise.resolve("stopping" as const) : service.unreadiness();
    metrics?.watch({ ...service, unreadiness });
    this.#load = new Load(() => service.figures());
    return (request, client) => answerOwnPath(request, { robots, unreadiness }) ?? handler(request, client);
  }

  readonly idOf = (request: Request): string => {
    const seen = this.#seen.get(request);
    if (seen === undefined) return requestIdOf(undefined, false);
    return seen.id ??= requestIdOf(seen.head, this.#options.behindProxy ?? false);
  };

  begin(request: Request, client: Client | undefined, head: RequestHead): void {
    const address = this.#identify(client, head);
    this.#seen.set(request, { head, client, address, id: undefined, pattern: undefined, error: undefined });
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

  readonly addressOf = (request: Request): string | undefined => this.#seen.get(request)?.address;

  /**
   * Returns the address of the client: the address that a replica sends and proves with the key, or else the
   * address in the header field of the proxy, or else the address of the socket. Returns `undefined` for
   * clients that cannot be distinguished.
   */
  #identify(client: Client | undefined, head: RequestHead): string | undefined {
    const { claims, addressField, behindProxy = false } = this.#options;
    const [claim, ...others] = claims === undefined ? [] : valuesOf(head, CLIENT_ADDRESS_FIELD);
    const named = claim === undefined || others.length > 0 ? undefined : claims?.verify(claim);
    if (named !== undefined) return named.address;
    return addressField === undefined
      ? ownAddress(client, behindProxy)
      : clientAddress(head, client, addressField);
  }

  #keyOf(request: Request): string {
    return clientKey(this.addressOf(request));
  }

  /**
   * Checks whether a request counts towards the limit of its client. On a replica, requests from its own
   * machine do not count.
   */
  #isBounded(request: Request): boolean {
    const { behindProxy = false, isReplica = false, shareRate } = this.#options;
    const seen = this.#seen.get(request);
    if (shareRate === 0 || seen === undefined) return false;
    return !isReplica || !isPrivileged(request, seen.client, { behindProxy, trustedOrigins: [] });
  }

  stopping(): void {
    this.#isStopping = true;
  }

  #log(request: Request, { head, client, address, pattern, error }: Seen, exchange: Exchange): void {
    const { log } = this.#options;
    if (log === undefined || !isLogged(levelOf({ ...exchange, error }), log.level)) return;
    const logged = {
      ...exchange,
      method: head.method ?? "-",
      target: head.url ?? "-",
      pattern,
      error,
      id: this.idOf(request),
      client: log.hasClients ? shownAddress(address, client) : undefined,
    };
    log.write(formatRequest(logged, log.form, new Date()));
  }
}

/**
 * Returns the address of a client for the log; the address of the socket if the client cannot be
 * distinguished from others.
 */
function shownAddress(address: string | undefined, client: Client | undefined): string {
  const shown = address ?? (client?.transport === "tcp" ? client.address : undefined);
  return shown === undefined ? "-" : plainAddress(shown);
}
