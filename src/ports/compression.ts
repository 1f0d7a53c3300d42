/** Compression with zlib, for git objects. */

/** Compression level of zlib: 1 is the fastest, 6 gives smaller results. */
export type DeflateLevel = 1 | 6;

/**
 * Compresses bytes into one whole zlib stream (RFC 1950), at level 1 by default. It is written in TypeScript,
 * unless an adapter supplies the library of the runtime.
 */
export type Deflate = (bytes: Uint8Array, level?: DeflateLevel) => Uint8Array;

/**
 * Decompresses the zlib stream at the start of `packed` into exactly `size` bytes. Like {@link Deflate}, it
 * may come from an adapter. Bytes after the stream are ignored. Throws when the stream is malformed or has
 * another length.
 */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;
