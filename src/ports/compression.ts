/** Compression of git objects with zlib. */

/** Compression level of zlib. Level 1 is the fastest. Level 6 gives smaller results. */
export type DeflateLevel = 1 | 6;

/**
 * Compresses bytes into one whole zlib stream (RFC 1950), at level 1 by default. By default, a library in
 * TypeScript is used. An adapter may pass the zlib library of the runtime.
 */
export type Deflate = (bytes: Uint8Array, level?: DeflateLevel) => Uint8Array;

/**
 * Decompresses the zlib stream at the start of `packed` into exactly `size` bytes. Bytes after the stream are
 * ignored. Throws when the stream is malformed, or its content does not have this size. By default, an
 * implementation in TypeScript is used. An adapter may pass the zlib library of the runtime.
 */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;
