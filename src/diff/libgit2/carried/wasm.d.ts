/** The WebAssembly of libgit2, `lg2.wasm` of the package wasm-git, as the build carries it here. */

/** The file in base64, compressed as raw deflate data (RFC 1951). */
export const PACKED_WASM: string;
