/** Node.js's module: Bun has `node:fs`, too. */
export { createCacheFolder, usualCachePath } from "../node/cache_folder.ts";
