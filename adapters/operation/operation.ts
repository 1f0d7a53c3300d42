/** How the command operates a service. */
import type { Client, RequestEvent } from "../../mod.ts";
import type { Handler } from "../server/handler.ts";
import type { Operator, RequestHead, ServiceView } from "../server/operator.ts";
import { answerOwnPath } from "./own_paths.ts";
import { requestIdOf } from "./request_id.ts";

/** Choices of an operator. */
export interface OperationOptions {
  /** Whether all requests come through a proxy of the operator, whose ids of requests count. */
  readonly behindProxy?: boolean | undefined;
  /** Text of `/robots.txt`, in place of our own. */
  readonly robots?: string | undefined;
}

/** What is known of a request. */
interface Seen {
  readonly head: RequestHead;
  id: string | undefined;
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
    const { robots } = this.#options;
    const unreadiness = () => this.#isStopping ? Promise.resolve("stopping" as const) : service.unreadiness();
    return (request, client) => answerOwnPath(request, { robots, unreadiness }) ?? handler(request, client);
  }

  readonly idOf = (request: Request): string => {
    const seen = this.#seen.get(request);
    if (seen === undefined) return requestIdOf(undefined, false);
    return seen.id ??= requestIdOf(seen.head, this.#options.behindProxy ?? false);
  };

  begin(request: Request, _client: Client | undefined, head: RequestHead): void {
    this.#seen.set(request, { head, id: undefined });
  }

  readonly answered = (_event: RequestEvent): void => {};

  end(_request: Request): void {}

  stopping(): void {
    this.#isStopping = true;
  }
}
