/** The error about a Radicle home that cannot be served. */

/** An unusable Radicle home. The message is one line for the operator; it is never shown to clients. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}
