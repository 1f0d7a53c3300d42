/** Where the compiled libgit2 (`lg2.wasm` of the package wasm-git) comes from. */

/** Compiles the module; called on first need, and once. */
export type LoadLibgit2 = () => Promise<WebAssembly.Module>;
