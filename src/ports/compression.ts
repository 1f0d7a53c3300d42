/** Compression of git objects with zlib. */

/** Compression level of zlib. Level 1 is the fastest. Level 6 gives smaller results. */
export type DeflateLevel = 1 | 6;

/**
 * Compresses bytes into one whole zlib stream (RFC 1950), at level 1 by default. The compression is
 * implemented in TypeScript, unless an adapter passes the zlib library of the runtime.
 */
export type Deflate = (bytes: Uint8Array, level?: DeflateLevel) => Uint8Array;

/**
 * Decompresses the zlib stream at the start of `packed` into exactly `size` bytes. As for {@link Deflate}, an
 * adapter may pass the zlib library of the runtime instead of the implementation in TypeScript. Bytes after
 * the stream are ignored. Throws when the stream is malformed, or its content does not have this size.
 */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;
