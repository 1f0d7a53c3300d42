/** A secret key that cannot be used. */

/** Why, in one line for whoever runs the service; never shown to clients. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
