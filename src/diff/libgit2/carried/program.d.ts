/**
 * The program libgit2 without its WebAssembly: `lg2.js` of the package wasm-git, as the build carries it
 * here. It needs no host.
 */
import type { CreateLg2 } from "../wasm_git.ts";

/** Starts an instance. */
declare const createLg2: CreateLg2;
export default createLg2;
