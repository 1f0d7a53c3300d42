/** The operation of a service, as the command line has it. */
import type { Client, LogLevel, RequestEvent } from "../../mod.ts";
import type { Handler } from "../server/handler.ts";
import type { Exchange, Operator, RequestHead, ServiceView } from "../server/operator.ts";
import { clientAddress } from "./client_address.ts";
import { answerOwnPath, isOfHealth } from "./own_paths.ts";
import { requestIdOf } from "./request_id.ts";
import type { Metrics } from "./metrics.ts";
import { formatRequest, isLogged, levelOf, type LogForm } from "./request_log.ts";

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
  #isStopping = false;

  constructor(options: OperationOptions = {}) {
    this.#options = options;
  }

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

  stopping(): void {
    this.#isStopping = true;
  }

  #log(request: Request, { head, client, pattern, error }: Seen, exchange: Exchange): void {
    const { log, addressField } = this.#options;
    if (log === undefined || !isLogged(levelOf({ ...exchange, error }), log.level)) return;
    const logged = {
      ...exchange,
      method: head.method ?? "-",
      target: head.url ?? "-",
      pattern,
      error,
      id: this.idOf(request),
      client: log.hasClients ? clientAddress(head, client, addressField) ?? "-" : undefined,
    };
    log.write(formatRequest(logged, log.form, new Date()));
  }
}
