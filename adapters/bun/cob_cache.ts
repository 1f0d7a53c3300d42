/** Node.js's module: Bun has `node:sqlite`, too. */
export { createCobCache } from "../node/cob_cache.ts";
