/**
 * The WebAssembly of libgit2, `lg2.wasm` of the package wasm-git, which the build stores as text in this
 * module.
 */

/** The file in base64, compressed as raw deflate data (RFC 1951). */
export const PACKED_WASM: string;
