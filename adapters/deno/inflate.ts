/** Node.js's module: Deno has `node:zlib`, too. */
export { inflate } from "../node/inflate.ts";
