/** How zlib data (RFC 1950) is unpacked: in TypeScript by default, by the runtime's own library where an adapter brings it. */

/**
 * Unpacks the zlib stream at the start of `packed`, whatever bytes follow it, into exactly `size` bytes.
 * Throws when the stream is broken or has another length.
 */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;
