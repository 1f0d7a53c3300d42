/** Loads the libgit2 module that the package contains, on all three runtimes. */
export { loadLibgit2 } from "../../src/diff/libgit2/carried.ts";
