/**
 * Compression of zlib data (RFC 1950): in TypeScript by default, by the runtime's own library if an adapter
 * supplies it.
 */

/** 1 is fast, 6 small: levels of zlib. */
export type DeflateLevel = 1 | 6;

/** Compresses bytes into one whole zlib stream, at level 1 by default. */
export type Deflate = (bytes: Uint8Array, level?: DeflateLevel) => Uint8Array;
