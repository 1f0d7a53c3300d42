/** Source of the compiled libgit2 (`lg2.wasm` of the package wasm-git). */

/** Compiles the module; called once, on first use. */
export type LoadLibgit2 = () => Promise<WebAssembly.Module>;
