/** The error about an unusable secret key. */

/** An unusable secret key. The message is one line for the operator. It is never shown to clients. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
