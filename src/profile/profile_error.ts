/** A Radicle home that cannot be served. */

/** What is wrong with the home, in one line for whoever started the service; never shown to clients. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}
