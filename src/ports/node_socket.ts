/** The control socket of a running node. Each connection carries one line of JSON in each direction. */

/** Limits of an answer. */
export interface AnswerLimits {
  /** Milliseconds from the call to the end of the answer. */
  readonly timeoutMs: number;
  /** Maximum length of the answer in bytes. */
  readonly limitBytes: number;
}

/**
 * Sends a line and resolves with the answer without its line feed; the end of the connection also ends the
 * answer.
 *
 * @throws {NodeSocketError} when there is no answer.
 */
export type AskNode = (line: string, limits: AnswerLimits) => Promise<string>;

/** Receives the lines of an answer that does not end. */
export interface LineListener {
  /** The line was sent. */
  readonly onOpen: () => void;
  /** The beginning of a line of the answer, without its line feed. */
  readonly onLine: (start: string) => void;
}

/**
 * Sends a line, and passes the beginning of each line of the answer to a listener, until the connection ends
 * or the signal is aborted.
 *
 * @param limitBytes Bytes of a line that are passed on; the rest of the line is dropped.
 * @throws {NodeSocketError} when there is no connection.
 */
export type SubscribeToNode = (
  line: string,
  listener: LineListener,
  limits: { readonly limitBytes: number; readonly signal: AbortSignal },
) => Promise<void>;

/**
 * Reason for a missing answer. `absent`: no program listens on the socket, so the node is stopped. `denied`:
 * missing permission for the socket. `silent`: no answer in time. `broken`: a malformed answer. `refused`:
 * the node answered with an error.
 */
export type NodeObstacle = "absent" | "denied" | "silent" | "broken" | "refused";

/** There was no answer. The message is only for the log. */
export class NodeSocketError extends Error {
  override readonly name = "NodeSocketError";
  readonly obstacle: NodeObstacle;

  constructor(obstacle: NodeObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
