/** The compiled libgit2: the one that the package carries, on all three runtimes. */
export { loadLibgit2 } from "../../src/diff/libgit2/carried.ts";
