/** Memory for large answers, as a host bounds it. */

/** Who gives memory for large answers. */
export interface AnswerRoom {
  /**
   * Sets memory aside for what is needed to answer a request, about, until the answer is handed over; waits for it when others have it. `false` when
   * it took too long: the request may come again later.
   */
  reserve(request: Request, bytes: number): Promise<boolean>;
}
