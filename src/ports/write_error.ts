/** The error that all ports throw when a write fails. */

/**
 * Reason why a write failed. `busy`: another program held a lock for too long, so a later retry may succeed.
 * `conflict`: the name of another reference prevents the write. `denied`: a permission is missing, or the
 * disk is read-only. `full`: no space is left on the disk.
 */
export type WriteObstacle = "busy" | "conflict" | "denied" | "full";

/**
 * A write failed, or may not be durable. The message is only for the log, because it may contain file names.
 */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly obstacle: WriteObstacle;

  constructor(obstacle: WriteObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
