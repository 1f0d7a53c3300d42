/** Memory for large answers, bounded by the host. */

/** The host's budget for large answers. */
export interface AnswerRoom {
  /**
   * Reserves about as much memory as the answer to a request needs, until the answer has been passed on.
   * Waits while other requests use the budget.
   *
   * @returns `false` when the wait took too long; the client may retry later.
   */
  reserve(request: Request, bytes: number): Promise<boolean>;
}
