/**
 * Maximum numbers of clients that may listen to changes at the same time. A service also derives its number
 * of sockets from {@link DEFAULT_MAX_READERS}.
 */

/** Default maximum number of readers at a time. A reader is a client that listens to changes. */
export const DEFAULT_MAX_READERS = 1000;
/** Maximum number of readers at a time that belong to one client. */
export const MAX_READERS_OF_PEER = 100;
