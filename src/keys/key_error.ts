/** An error about a secret key that cannot be used. */

/** An unusable secret key. The message is one line for the operator; it is never shown to clients. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
