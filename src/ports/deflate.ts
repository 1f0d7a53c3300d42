/**
 * Compression of zlib data (RFC 1950): in TypeScript by default, by the runtime's own library if an adapter
 * supplies it.
 */

/** Compresses bytes into one whole zlib stream. */
export type Deflate = (bytes: Uint8Array) => Uint8Array;
