/**
 * Decompression of zlib data (RFC 1950): in TypeScript by default, by the runtime's own library if an adapter
 * supplies it.
 */

/**
 * Decompresses the zlib stream at the start of `packed` into exactly `size` bytes; bytes after the stream are
 * ignored. Throws when the stream is malformed or has another length.
 */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;
