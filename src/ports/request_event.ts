/**
 * Requests to an API as reported to the host, and the number of expensive requests that the host permits to
 * each client.
 */

/** A request whose response is ready. */
export interface RequestEvent {
  readonly request: Request;
  /** Path pattern of the route, such as `/api/v1/projects/:project`; `undefined` when no route matches. */
  readonly pattern: string | undefined;
  readonly status: number;
  /**
   * Time until the header of the response was complete, in seconds. The body of a streamed response comes
   * later.
   */
  readonly seconds: number;
  /** The error that caused a status 500 or 501; `undefined` for errors that the response describes. */
  readonly error: unknown;
}

/**
 * Limits the expensive requests of each client: diffs, files, folders of commits, archives, searches, clones.
 * The expensive requests that a client may send in a time are its share. A request beyond the share gets
 * status 429 with `Retry-After`. The requests of the owner, and of clients that may change repository data,
 * are not refused.
 */
export interface RequestShare {
  /**
   * Takes one request from the share of its client.
   *
   * @returns `undefined` when the request is permitted. When the share is used up, the number of seconds
   *   until one more request is permitted.
   */
  take(request: Request): number | undefined;
  /**
   * Charges the cost of a response to the share of the client. Called several times while the response is
   * computed, with the processor time of this thread and of workers since the previous call, in milliseconds.
   */
  charge?(request: Request, ms: number): void;
}
