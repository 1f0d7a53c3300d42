/** The control socket of a running node: one line of JSON each way, on a connection of its own. */

/** Limits of an answer. */
export interface AnswerLimits {
  /** Milliseconds from the call to the end of the answer. */
  readonly timeoutMs: number;
  /** Bytes. */
  readonly limitBytes: number;
}

/**
 * Sends a line and resolves with the answer without its line feed; the end of the connection also ends the
 * answer.
 *
 * @throws {NodeSocketError} when there is no answer.
 */
export type AskNode = (line: string, limits: AnswerLimits) => Promise<string>;

/**
 * Reason for a missing answer. `absent`: nobody listens, so the node is stopped. `denied`: missing permission
 * for the socket. `silent`: no answer in time. `broken`: a malformed answer. `refused`: the node answered
 * with an error.
 */
export type NodeObstacle = "absent" | "denied" | "silent" | "broken" | "refused";

/** There was no answer. The message is for the log alone. */
export class NodeSocketError extends Error {
  override readonly name = "NodeSocketError";
  readonly obstacle: NodeObstacle;

  constructor(obstacle: NodeObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
