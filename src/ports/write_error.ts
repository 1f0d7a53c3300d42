/** Why something could not be written; all ports that write have these reasons. */

/**
 * What stands in the way: somebody else's lock, held for too long (`busy`: try again later); another reference's name (`conflict`);
 * missing permission, as for a read-only disk (`denied`); no room left (`full`).
 */
export type WriteObstacle = "busy" | "conflict" | "denied" | "full";

/** Thrown when something was not written, or may not last. The message is for the log alone: it may name files. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly obstacle: WriteObstacle;

  constructor(obstacle: WriteObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
