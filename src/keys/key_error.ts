/** A secret key is unusable. The message is one line for the operator, and is never shown to clients. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
