/** The error of all ports that write. */

/**
 * Reason for a failed write. `busy`: another program has held a lock for too long; retry later. `conflict`:
 * the name of another reference is in the way. `denied`: missing permission, or a read-only disk. `full`: no
 * space left.
 */
export type WriteObstacle = "busy" | "conflict" | "denied" | "full";

/** A write failed, or may not be durable. The message is only for the log: it may name files. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly obstacle: WriteObstacle;

  constructor(obstacle: WriteObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
