/** Why an entry does not count. */

/**
 * `denied`: its author may not do that; `missing`: it speaks of a comment, revision or review that is not there; `invalid`: what it says is against
 * the rules of its object; `malformed`: it, or its identity document, cannot be understood.
 */
export type RefusalReason = "denied" | "missing" | "invalid" | "malformed";

/** An entry, or the action of a would-be entry, that its object does not take. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
