/**
 * The control socket of a running node. On each connection, the client sends one line of JSON and the node
 * replies.
 */

/** Limits for a reply of the node. */
export interface AnswerLimits {
  /** Timeout from the call to the end of the reply, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum length of the reply, in bytes. */
  readonly limitBytes: number;
}

/**
 * Sends a line and resolves with the reply, without its line feed. The reply ends at a line feed, or when the
 * connection ends.
 *
 * @throws {NodeSocketError} when there is no reply.
 */
export type AskNode = (line: string, limits: AnswerLimits) => Promise<string>;

/** Receives the lines of a reply that does not end. */
export interface LineListener {
  /** Called when the line was sent. */
  readonly onOpen: () => void;
  /** Called with the beginning of each line of the reply, without its line feed. */
  readonly onLine: (start: string) => void;
}

/**
 * Sends a line, and passes the beginning of each line of the reply to `listener`, until the connection ends
 * or the signal is aborted.
 *
 * @param limitBytes Maximum number of bytes of a line that are passed on. The rest of the line is dropped.
 * @throws {NodeSocketError} when there is no connection.
 */
export type SubscribeToNode = (
  line: string,
  listener: LineListener,
  limits: { readonly limitBytes: number; readonly signal: AbortSignal },
) => Promise<void>;

/**
 * Reason why there is no reply. `absent`: no program listens on the socket, because the node is stopped.
 * `denied`: the permission for the socket is missing. `silent`: the node did not reply before the timeout.
 * `broken`: the reply is malformed. `refused`: the node replied with an error.
 */
export type NodeObstacle = "absent" | "denied" | "silent" | "broken" | "refused";

/** The node did not reply, or replied with an error. The message is only for the log. */
export class NodeSocketError extends Error {
  override readonly name = "NodeSocketError";
  readonly obstacle: NodeObstacle;

  constructor(obstacle: NodeObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
