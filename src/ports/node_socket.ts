/** The control socket of a running node: one line of JSON in, one out, a connection for each. */

/** How long an answer may take and how large it may be. */
export interface AnswerLimits {
  /** Milliseconds from the call to the end of the answer. */
  readonly timeoutMs: number;
  /** Bytes. */
  readonly limitBytes: number;
}

/**
 * Sends a line and resolves with the answer, without the line feed; the end of the connection ends it as well.
 *
 * @throws {NodeSocketError} when there is no answer.
 */
export type AskNode = (line: string, limits: AnswerLimits) => Promise<string>;

/**
 * Why there was no answer: nobody listens (`absent`), so that the node is stopped; the socket may not be used (`denied`); the node does not answer in
 * time (`silent`); it answers what makes no sense (`broken`), or no to what was asked (`refused`).
 */
export type NodeObstacle = "absent" | "denied" | "silent" | "broken" | "refused";

/** Thrown when there was no answer. The message is for the log alone. */
export class NodeSocketError extends Error {
  override readonly name = "NodeSocketError";
  readonly obstacle: NodeObstacle;

  constructor(obstacle: NodeObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
