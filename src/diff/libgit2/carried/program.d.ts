/**
 * The program libgit2 without its WebAssembly: `lg2.js` of the package wasm-git, which the build copies into
 * this package. It needs nothing from the host.
 */
import type { CreateLg2 } from "../wasm_git.ts";

/** Starts an instance of libgit2. */
declare const createLg2: CreateLg2;
export default createLg2;
