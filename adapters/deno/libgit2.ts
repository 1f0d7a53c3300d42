/** Node.js's module: Deno has `node:fs`, too. */
export { loadLibgit2 } from "../node/libgit2.ts";
