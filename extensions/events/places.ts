/** Numbers of clients that listen to changes. The sockets of a service depend on them, too. */

/** Readers at the same time, unless an operator says otherwise. */
export const DEFAULT_MAX_READERS = 1000;
/** Readers of one client. */
export const MAX_READERS_OF_PEER = 100;
