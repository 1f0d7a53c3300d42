/** WebAssembly as a module, as bundlers and workers import it. */
declare module "wasm-git/lg2.wasm" {
  const libgit2: import("../../src/ports/libgit2.ts").CompiledLibgit2;
  export default libgit2;
}
