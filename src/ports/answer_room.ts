/** The memory for large responses, which the host limits. */

/** Reserves memory for large responses, within the limit of the host. */
export interface AnswerRoom {
  /**
   * Reserves approximately the memory that the response to a request needs, until the response has been
   * passed on. Waits while other requests use the memory.
   *
   * @returns `false` when the wait took too long. The client may retry later.
   */
  reserve(request: Request, bytes: number): Promise<boolean>;
}
