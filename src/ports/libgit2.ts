/** Loads the compiled libgit2 (`lg2.wasm` of the package wasm-git). */

/**
 * The type `WebAssembly.Module`. If a TypeScript configuration has no types of WebAssembly, this type is
 * `object`.
 */
export type CompiledLibgit2 = typeof globalThis extends
  { WebAssembly: { Module: { prototype: infer Module extends object } } } ? Module : object;

/** Compiles libgit2. Called once, when libgit2 is needed for the first time. */
export type LoadLibgit2 = () => Promise<CompiledLibgit2>;
