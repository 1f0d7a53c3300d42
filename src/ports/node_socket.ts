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

/** Hears the lines of an answer that does not end. */
export interface LineListener {
  /** The line was sent. */
  readonly onOpen: () => void;
  /** The beginning of a line of the answer, without its line feed. */
  readonly onLine: (start: string) => void;
}

/**
 * Sends a line, and tells the beginning of each line of the answer, until the connection ends or the signal
 * is aborted.
 *
 * @param limitBytes Bytes of a line that are told; the rest of it is dropped.
 * @throws {NodeSocketError} when there is no connection.
 */
export type HearNode = (
  line: string,
  listener: LineListener,
  limits: { readonly limitBytes: number; readonly signal: AbortSignal },
) => Promise<void>;

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
