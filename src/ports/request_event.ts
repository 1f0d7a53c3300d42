/** Requests to an API as a host learns of them, and the share of them that it gives to each client. */

/** A request that has been answered. */
export interface RequestEvent {
  readonly request: Request;
  /** Path pattern of the route, such as `/api/v1/projects/:project`; `undefined` where there is none. */
  readonly pattern: string | undefined;
  readonly status: number;
  /** Time until the head of the answer, in seconds. The body of a streamed answer is made later. */
  readonly seconds: number;
  /** The error behind a 500 or a 501; `undefined` for errors that clients are told of. */
  readonly error: unknown;
}

/**
 * Bounds the expensive requests of each client: diffs, files, folders of commits, archives, searches, clones.
 * A request that is refused gets 429 with `Retry-After`. Requests of the owner are never asked for; whoever
 * may change things is answered whatever the share says.
 */
export interface RequestShare {
  /**
   * Takes one request from the share of its client.
   *
   * @returns The time after which there is room for one more, in seconds, when the share is used up.
   */
  take(request: Request): number | undefined;
  /**
   * Charges a request that was taken for what its answer costs: called now and then while the answer is made,
   * with the processor time since the last call in milliseconds, of this thread and of workers.
   */
  charge?(request: Request, ms: number): void;
}
