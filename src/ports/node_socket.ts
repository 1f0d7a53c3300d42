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
 * Sends a line and passes on the lines that come, until the connection ends; `opened` is called when somebody
 * listens. Lines of more than about `limitBytes` are left out. The returned function closes the connection;
 * nothing is called afterwards.
 */
export type HearNode = (
  line: string,
  calls: {
    readonly limitBytes: number;
    readonly opened: () => void;
    readonly heard: (line: string) => void;
    readonly ended: () => void;
  },
) => () => void;

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
