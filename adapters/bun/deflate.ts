/** Node.js's module: Bun has `node:zlib`, too. */
export { deflate } from "../node/deflate.ts";
