/**
 * Requests to an API as reported to the host, and the share of requests that the host gives to each client.
 */

/** A request that has been answered. */
export interface RequestEvent {
  readonly request: Request;
  /** Path pattern of the route, such as `/api/v1/projects/:project`; `undefined` when no route matches. */
  readonly pattern: string | undefined;
  readonly status: number;
  /** Time until the head of the answer, in seconds. The body of a streamed answer comes later. */
  readonly seconds: number;
  /** The error behind a 500 or a 501; `undefined` for errors that the answer describes. */
  readonly error: unknown;
}

/**
 * Bounds the expensive requests of each client: diffs, files, folders of commits, archives, searches, clones.
 * A request that is refused gets 429 with `Retry-After`. The requests of the owner are never counted. A
 * client that may change things gets an answer even when its share is used up.
 */
export interface RequestShare {
  /**
   * Takes one request from the share of its client.
   *
   * @returns Seconds until one more request is allowed, when the share is used up; `undefined` otherwise.
   */
  take(request: Request): number | undefined;
  /**
   * Charges a taken request for the cost of its answer. Called now and then while the answer is computed,
   * with the processor time of this thread and of workers since the last call, in milliseconds.
   */
  charge?(request: Request, ms: number): void;
}
