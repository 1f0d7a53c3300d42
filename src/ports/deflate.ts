/** How bytes are packed as zlib data (RFC 1950): in TypeScript by default, by the runtime's own library where an adapter brings it. */

/** Packs bytes into one whole zlib stream. */
export type Deflate = (bytes: Uint8Array) => Uint8Array;
