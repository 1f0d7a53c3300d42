/** The limit that servers need, too: in a module that loads nothing else. */

/** Clients that listen to changes at a time unless an operator says otherwise. */
export const DEFAULT_MAX_READERS = 1000;
