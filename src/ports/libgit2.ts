/** Source of the compiled libgit2 (`lg2.wasm` of the package wasm-git). */

/**
 * A `WebAssembly.Module`. Compilers without the types of WebAssembly also accept this type: for them it is
 * any object.
 */
export type CompiledLibgit2 = typeof globalThis extends
  { WebAssembly: { Module: { prototype: infer Module extends object } } } ? Module : object;

/** Compiles the module; called once, on first use. */
export type LoadLibgit2 = () => Promise<CompiledLibgit2>;
