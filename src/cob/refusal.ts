/** Reasons why an entry does not count. */

/**
 * `denied`: the author has no permission; `missing`: a comment, revision or review does not exist; `invalid`:
 * an action violates a rule of the object; `malformed`: the entry or its identity document cannot be decoded.
 */
export type RefusalReason = "denied" | "missing" | "invalid" | "malformed";

/** Refuses an entry, stored or new. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
