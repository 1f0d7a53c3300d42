/** Compression by zlib, for git's objects. */

/** 1 is fast, 6 small: levels of zlib. */
export type DeflateLevel = 1 | 6;

/**
 * Compresses bytes into one whole zlib stream (RFC 1950), at level 1 by default: in TypeScript, or by the
 * runtime's own library if an adapter supplies it.
 */
export type Deflate = (bytes: Uint8Array, level?: DeflateLevel) => Uint8Array;

/**
 * Decompresses the zlib stream at the start of `packed` into exactly `size` bytes, as {@link Deflate} by
 * either. Bytes after the stream are ignored. Throws when the stream is malformed or has another length.
 */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;
