/** Node.js's module: Bun has `node:fs`, too. */
export { loadLibgit2 } from "../node/libgit2.ts";
