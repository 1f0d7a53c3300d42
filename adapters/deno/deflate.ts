/** Node.js's module: Deno has `node:zlib`, too. */
export { deflate } from "../node/deflate.ts";
