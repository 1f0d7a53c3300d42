/** Maximum numbers of clients that may listen to changes at the same time. */

/** Default maximum number of simultaneous readers, which are clients that listen to changes. */
export const DEFAULT_MAX_READERS = 1000;
/** Maximum number of simultaneous readers of one client. */
export const MAX_READERS_OF_PEER = 100;
