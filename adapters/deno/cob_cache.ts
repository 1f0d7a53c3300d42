/** Node.js's module: Deno has `node:sqlite`, too. */
export { createCobCache } from "../node/cob_cache.ts";
