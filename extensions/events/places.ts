/**
 * Maximum numbers of clients that listen to changes. The number of sockets of a service depends on them, too.
 */

/** Maximum number of readers at a time, unless an operator sets another number. */
export const DEFAULT_MAX_READERS = 1000;
/** Maximum number of readers of one client. */
export const MAX_READERS_OF_PEER = 100;
